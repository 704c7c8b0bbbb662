// Mounts, gateways and tools: what they hold, and ending one.

import { button, card, facts, h, state, table } from '../dom.js';
import { count, duration, pathLink, time } from '../format.js';

export const title = 'Sessions';

/** `#/sessions`, `#/sessions/00000000000000a1`. */
export function open(context, [id]) {
    return id ? one(context, id) : list(context);
}

function list(context) {
    let items = [];
    return {
        periodMs: 2000,
        load: async () => {
            items = await context.api.all('/sessions');
        },
        render: () => card('Who uses the filesystem', table('Sessions', [
            ['Client', (s) => h('a', { href: `#/sessions/${s.id}` }, s.client || s.id)],
            ['Address', (s) => s.address || 'not connected'],
            ['Since', (s) => time(s.since)],
            ['Lease', (s) => lease(s.lease)],
            ['Open files', (s) => count(s.openFiles), 'number'],
            ['Change', (s) => evict(context, s)],
        ], items, (s) => s.id, 'Nobody has mounted the filesystem.')),
    };
}

const lease = ({ durationMs, leftMs }) => `${duration(leftMs)} of ${duration(durationMs)}`;

function evict(context, session) {
    return button('Evict', () => context.change({
        title: `Evict ${session.client || session.id}`,
        verb: 'Evict the session',
        isDanger: true,
        said: 'The session has ended.',
        request: { method: 'DELETE', path: `/sessions/${session.id}` },
        done: () => { location.hash = '#/sessions'; },
    }), { class: 'small', 'aria-label': `Evict ${session.client || session.id}` });
}

function one(context, id) {
    let session = null;
    return {
        periodMs: 2000,
        title: () => `Session ${id}`,
        load: async () => {
            session = await context.api.get(`/sessions/${encodeURIComponent(id)}`);
        },
        render: () => [
            card(session.client || id, facts([
                ['Address', session.address || 'not connected'],
                ['Since', time(session.since)],
                ['Lease left', lease(session.lease)],
                ['Open files', count(session.openFiles)],
            ]), evict(context, session)),
            card('Open', table('Open files', [
                ['File', path],
                ['Inode', (o) => o.ino, 'number'],
                ['Times', (o) => count(o.count), 'number'],
            ], session.open, (o) => o.ino, 'It has nothing open.')),
            card('Locks', table('Locks', [
                ['File', path],
                ['Kind', (l) => `${l.kind}, ${l.mode}`],
                ['Bytes', (l) => `${count(l.startByte)} to ${l.endByte == null ? 'the end'
                    : count(l.endByte)}`],
                ['Process', (l) => String(l.pid), 'number'],
                ['State', (l) => l.waiting ? state('waiting') : 'held'],
            ], session.locks, (l) => `${l.ino} ${l.kind} ${l.pid} ${l.startByte} ${l.waiting}`,
            'It holds no locks and waits for none.')),
        ],
    };
}

function path(item) {
    if (item.path == null) {
        return 'has no name any more';
    }
    return item.path.includes('\ufffd') ? item.path
        : h('a', { class: 'path', href: pathLink(item.path) }, item.path);
}
