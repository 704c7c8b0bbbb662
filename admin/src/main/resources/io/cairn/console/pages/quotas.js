// How much directories, users and groups may hold, and what they hold.

import { button, card, h, state, table } from '../dom.js';
import { bytes, count, duration, time } from '../format.js';
import { quotaOrder } from '../orders.js';

export const title = 'Quotas';

const WORDS = { ok: 'within its limits', soft: 'above a soft limit', graceOver: 'grace is over',
    full: 'full' };
const TONES = { ok: 'ok', soft: 'warning', graceOver: 'critical', full: 'critical' };

export function open(context) {
    let items = [];
    return {
        periodMs: 5000,
        load: async () => {
            items = await context.api.all('/quotas', {}, 1000);
        },
        render: () => card('Quotas',
            h('p', {}, button('Set a quota', () => context.change(quotaOrder({})))),
            table('Quotas', [
                ['Of', (q) => h('span', { class: 'path' }, subject(q))],
                ['State', (q) => [state(TONES[q.state], WORDS[q.state]),
                    q.since && h('div', { class: 'note' }, `since ${time(q.since)}`)]],
                ['Space of all copies', (q) => limit(q, 'spaceBytes', bytes)],
                ['Length', (q) => limit(q, 'lengthBytes', bytes)],
                ['Inodes', (q) => limit(q, 'inodes', count)],
                ['Grace', (q) => days(q.graceMs)],
                ['Change', (q) => buttons(context, q)],
            ], items, (q) => q.id, 'No quotas: everybody may fill the disks.')),
    };
}

function subject(quota) {
    return quota.kind === 'directory' ? quota.path : quota.id.replace('-', ' ');
}

function days(ms) {
    const whole = ms / 86_400_000;
    return Number.isInteger(whole) ? `${count(whole)} d` : duration(ms);
}

/** What is used, and of how much, as a bar where there is a limit. */
function limit(quota, field, told) {
    const used = quota.used[field];
    const hard = quota.hard[field];
    const soft = quota.soft[field];
    const most = hard || soft;
    const limits = [soft && `soft ${told(soft)}`, hard && `hard ${told(hard)}`].filter(Boolean);
    return [
        most > 0 && h('progress', { max: most, value: Math.min(used, most),
            'aria-label': `${subject(quota)}: ${field} used` }),
        h('div', { class: 'note' },
            `${told(used)}${limits.length ? ` of ${limits.join(', ')}` : ', no limit'}`),
    ];
}

function buttons(context, quota) {
    const name = subject(quota);
    return h('span', { class: 'actions' },
        button('Change', () => context.change(quotaOrder(quota)),
            { class: 'small', 'aria-label': `Change the quota of ${name}` }),
        button('Remove', () => context.change({
            title: `Remove the quota of ${name}`,
            verb: 'Remove the quota',
            isDanger: true,
            request: { method: 'DELETE', path: `/quotas/${encodeURIComponent(quota.id)}` },
        }), { class: 'small', 'aria-label': `Remove the quota of ${name}` }));
}
