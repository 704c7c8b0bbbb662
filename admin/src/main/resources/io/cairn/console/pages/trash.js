// What was removed and can be had back.

import { button, card, facts, h, table } from '../dom.js';
import { bytes, count, time } from '../format.js';

export const title = 'Trash';

const PAGE = '200';

export function open(context) {
    const seen = { sums: null, items: [], next: null };
    const more = async (after) => {
        const page = await context.api.get('/trash', { limit: PAGE, ...(after && { after }) });
        seen.items = after ? [...seen.items, ...page.items] : page.items;
        seen.next = page.next;
    };
    return {
        load: async () => {
            seen.sums = await context.api.get('/trash/sums');
            await more(null);
        },
        render: () => [
            card('All of it', facts([
                ['Files', count(seen.sums.files)],
                ['Length', bytes(seen.sums.sizeBytes)],
                ['One copy takes', bytes(seen.sums.storedBytes)],
                ['Still to be deleted on disks', count(seen.sums.awaitingDeletion)],
            ]), h('p', { class: 'actions' },
                button('Keep what is removed', () => context.change(keepOrder())),
                button('Restore', () => context.change(pathOrder(context, 'Restore', ''))),
                button('Purge', () => context.change(pathOrder(context, 'Purge', ''))))),
            card('The first to go first',
                table('Removed files', [
                    ['Was at', (e) => h('span', { class: 'path' },
                        e.type === 'directory' ? `${e.path}/` : e.path)],
                    ['Length', (e) => (e.type === 'directory' ? '' : bytes(e.sizeBytes)), 'number'],
                    ['Owner', (e) => `${e.uid}:${e.gid}`],
                    ['Removed', (e) => time(e.deletedAt)],
                    ['Goes', (e) => time(e.expiresAt)],
                    ['Change', (e) => buttons(context, e)],
                ], seen.items, (e) => e.ino, 'The trash is empty.'),
                seen.next && button('Show more', async () => {
                    await more(seen.next);
                    context.update();
                })),
        ],
    };
}

function buttons(context, entry) {
    // An order names a path in UTF-8.
    return !entry.pathHex && h('span', { class: 'actions' }, ['Restore', 'Purge'].map((verb) =>
        button(verb, () => context.change(pathOrder(context, verb, entry.path)),
            { class: 'small', 'aria-label': `${verb} ${entry.path}` })));
}

function pathOrder(context, verb, path) {
    const address = `/trash/${verb.toLowerCase()}`;
    let asked = path;
    return {
        title: `${verb} what was removed`,
        verb: `${verb} it`,
        isDanger: verb === 'Purge',
        fields: [{ name: 'path', label: 'Where it was', value: path, required: true,
            hint: 'A directory stands for all that was below; / for all of the trash.' }],
        request: (values) => {
            asked = values.path;
            return { method: 'POST', path: address, body: { path: asked } };
        },
        // A large purge goes piece by piece; each answer says where the next one begins.
        done: async (answer) => {
            for (let after = answer.next; after;) {
                const piece = { method: 'POST', path: address, body: { path: asked, after } };
                after = (await context.api.change(piece)).next;
            }
        },
    };
}

function keepOrder() {
    return {
        title: 'How long removed files are kept',
        verb: 'Set the time',
        fields: [
            { name: 'path', label: 'Directory', value: '/', required: true,
                hint: 'All below inherits it.' },
            { name: 'days', label: 'Days', type: 'number', min: 0, max: 36_500, value: '',
                hint: '0 keeps nothing; empty: as the directory above says.' },
        ],
        request: ({ path, days }) => ({ method: 'PUT',
            path: `/retention${path.split('/').map(encodeURIComponent).join('/')}`,
            body: { seconds: days === '' ? null : Number(days) * 86_400 } }),
    };
}
