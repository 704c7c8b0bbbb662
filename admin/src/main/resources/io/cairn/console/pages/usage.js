// What directories, users and groups hold, the largest first. Paths here are percent-encoded bytes.

import { button, card, facts, h, table } from '../dom.js';
import { bytes, bytesOf, count, encoded, percent, shown } from '../format.js';
import { quotaOrder } from '../orders.js';

export const title = 'Usage';

const MOST = '200';

/** `#/usage/a/b`: what lies below /a/b. */
export function open(context, segments) {
    const path = `/${segments.join('/')}`;
    const seen = { sums: null, children: [], users: [], groups: [] };
    const items = async (address, query = {}) =>
        (await context.api.get(address, { limit: MOST, ...query })).items;
    return {
        title: () => (segments.length ? shown(segments[segments.length - 1]) : 'Usage'),
        load: async () => {
            seen.sums = await context.api.get(`/usage${path}`);
            seen.children = await items(`/top${path}`);
            if (!segments.length) {
                seen.users = await items('/owners', { kind: 'users' });
                seen.groups = await items('/owners', { kind: 'groups' });
            }
        },
        render: () => [
            crumbs(segments),
            card('All of it', sums(seen.sums),
                button('Set a quota', () => context.change(quotaOrder({
                    path: new TextDecoder().decode(bytesOf(path)) })))),
            children(path, seen),
            !segments.length && owners('Users', 'uid', seen.users, seen.sums),
            !segments.length && owners('Groups', 'gid', seen.groups, seen.sums),
        ],
    };
}

function crumbs(segments) {
    const links = segments.map((segment, i) =>
        h('li', {}, h('a', { href: `#/usage/${segments.slice(0, i + 1).join('/')}`,
            'aria-current': i === segments.length - 1 ? 'location' : null }, shown(segment))));
    return h('nav', { class: 'crumbs', 'aria-label': 'Path' },
        h('ol', {}, h('li', {}, h('a', { href: '#/usage',
            'aria-current': segments.length ? null : 'location' }, 'Root')), links));
}

function sums(held) {
    return facts([
        ['Space of all copies', bytes(held.spaceBytes)],
        ['Length', bytes(held.lengthBytes)],
        ['Files, directories, others', count(held.inodes)],
    ]);
}

/** A share as a bar, a number of bytes and per cents. */
function share(part, whole, what) {
    return [h('progress', { max: Math.max(whole, 1), value: part,
        'aria-label': `Share of ${what}` }), ' ',
    h('span', { class: 'note' }, `${bytes(part)}, ${percent(part, whole)}`)];
}

function children(path, seen) {
    const base = path === '/' ? '#/usage' : `#/usage${path}`;
    const whole = seen.sums.spaceBytes;
    return card('What is in it, the largest first',
        table('Entries', [
            ['Name', (e) => (e.type === 'directory'
                ? h('a', { class: 'path', href: `${base}/${encoded(e)}` }, `${e.name}/`)
                : h('span', { class: 'path' }, e.name))],
            ['Space of all copies', (e) => share(e.spaceBytes, whole, e.name)],
            ['Length', (e) => bytes(e.lengthBytes), 'number'],
            ['Inodes', (e) => count(e.inodes), 'number'],
        ], seen.children, (e) => e.nameHex || e.name, 'This directory is empty.'));
}

function owners(what, id, list, whole) {
    return card(`${what}, the largest first`,
        table(what, [
            [id, (e) => String(e.id)],
            ['Space of all copies', (e) => share(e.spaceBytes, whole.spaceBytes, `${id} ${e.id}`)],
            ['Length', (e) => bytes(e.lengthBytes), 'number'],
            ['Inodes', (e) => count(e.inodes), 'number'],
        ], list, (e) => String(e.id), 'Nobody holds anything.'));
}
