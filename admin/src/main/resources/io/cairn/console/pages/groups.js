// Placement groups, those at risk first.

import { button, card, h, state, table } from '../dom.js';
import { count, plural } from '../format.js';

export const title = 'Groups';

const CHOICES = [
    ['atRisk', 'At risk'], ['unavailable', 'Unavailable'], ['degraded', 'Degraded'],
    ['syncing', 'Syncing'], ['complete', 'Complete'], ['', 'All'],
];
const PAGE = 100;

/** `#/groups`, `#/groups/target/7`: those of one disk. */
export function open(context, [kind, id]) {
    const target = kind === 'target' ? id : null;
    let wanted = target ? '' : 'atRisk';
    let limit = PAGE;
    let seen = { items: [], next: null };
    const query = () => ({ limit: String(Math.min(1000, limit)), ...(wanted && { state: wanted }),
        ...(target && { target }) });
    return {
        periodMs: 2000,
        title: () => (target ? `Groups of disk ${target}` : 'Placement groups'),
        load: async () => {
            seen = await context.api.get('/groups', query());
        },
        render: () => card(CHOICES.find(([value]) => value === wanted)[1],
            h('p', { class: 'choices', role: 'group', 'aria-label': 'Which groups' },
                CHOICES.map(([value, text]) => button(text, () => {
                    wanted = value;
                    limit = PAGE;
                    context.reload();
                }, { class: 'small', 'aria-pressed': String(value === wanted) }))),
            h('p', { class: 'note', role: 'status' },
                seen.next ? `The first ${count(seen.items.length)}.`
                    : plural(seen.items.length, 'group')),
            list(seen.items, wanted),
            seen.next && limit < 1000 && button('Show more', () => {
                limit += 300;
                context.reload();
            })),
    };
}

function list(items, wanted) {
    return table('Placement groups', [
        ['Group', (g) => String(g.id)],
        ['Pool', (g) => String(g.pool)],
        ['State', (g) => state(g.state)],
        ['Epoch', (g) => count(g.epoch), 'number'],
        ['Members, in order', (g) => h('ul', { class: 'members' }, g.members.map((m) =>
            h('li', {}, `${m.server || 'no server'} disk ${m.target}`, ' ', state(m.state),
                m.target === g.head && h('em', {}, ' head'))))],
    ], items, (g) => String(g.id), wanted === 'atRisk'
        ? 'No group is at risk: every copy of everything is in service.'
        : 'There are no such groups.');
}
