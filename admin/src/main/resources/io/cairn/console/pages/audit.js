// Who changed what.

import { button, card, h, table } from '../dom.js';
import { time } from '../format.js';

export const title = 'Audit';

export function open(context) {
    let items = [];
    let next = null;
    const more = async (after) => {
        const page = await context.api.get('/audit', { limit: '100', ...(after && { after }) });
        items = after ? [...items, ...page.items] : page.items;
        next = page.next;
    };
    return {
        load: () => more(null),
        render: () => card('Changes, the youngest first',
            table('Audit log', [
                ['When', (e) => h('time', { datetime: e.at }, time(e.at))],
                ['Who', (e) => `${e.token} (${e.role})`],
                ['From', (e) => e.address],
                ['What', (e) => [h('code', {}, e.call), h('br'), e.what]],
                ['Result', (e) => e.result],
            ], items, (e) => e.id, 'Nobody has changed anything through the API yet.'),
            next && button('Show older ones', async () => {
                await more(next);
                context.update();
            })),
    };
}
