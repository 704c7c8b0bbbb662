// What happened lately, the youngest first, with what happens while one looks.

import { button, card, h, state, table } from '../dom.js';
import { time } from '../format.js';

export const title = 'Events';

const LEVELS = [['', 'All'], ['warning', 'Warnings and worse'], ['critical', 'Critical']];
const RANK = { info: 0, warning: 1, critical: 2 };
const SHOWN = 300;

export function open(context) {
    let items = [];
    let least = '';
    return {
        load: async () => {
            items = (await context.api.all('/events')).reverse();
        },
        heard: (event) => {
            if (!items.some((known) => known.id === event.id)) {
                items.unshift(event);
            }
            context.update();
        },
        render: () => {
            const wanted = items.filter((e) => RANK[e.level] >= (RANK[least] || 0));
            return card('Lately',
                h('p', { class: 'choices', role: 'group', 'aria-label': 'Which events' },
                    LEVELS.map(([value, text]) => button(text, () => {
                        least = value;
                        context.update();
                    }, { class: 'small', 'aria-pressed': String(value === least) }))),
                list(wanted.slice(0, SHOWN)));
        },
    };
}

function list(items) {
    return table('Events, the youngest first', [
        ['When', (e) => h('time', { datetime: e.at }, time(e.at))],
        ['Level', (e) => state(e.level)],
        ['What', (e) => e.text],
        ['Kind', (e) => h('code', {}, e.kind)],
    ], items, (e) => e.id, 'Nothing has happened since the leader came into office.');
}
