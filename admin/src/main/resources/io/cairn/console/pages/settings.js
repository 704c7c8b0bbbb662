// What can be set while all runs: the standard, log levels, exports, tokens.

import { Problem } from '../api.js';
import { button, card, facts, h, state, table } from '../dom.js';
import { openDialog } from '../dialog.js';
import { bytes, count, duration, time } from '../format.js';

export const title = 'Settings';

export function open(context) {
    const { api } = context;
    const seen = { configuration: null, exports: null, tokens: null, refused: '' };
    return {
        load: async () => {
            [seen.configuration, seen.exports] = await Promise.all([
                api.get('/configuration'), api.get('/exports')]);
            try {
                seen.tokens = await api.all('/tokens');
            } catch (problem) {
                if (!(problem instanceof Problem) || problem.status !== 403) {
                    throw problem;
                }
                seen.tokens = null;
                seen.refused = problem.message;
            }
        },
        render: () => [
            card('Cluster', configuration(context, seen.configuration)),
            card('NFS exports', exportList(context, seen.exports)),
            card('Tokens', seen.tokens ? tokens(context, seen.tokens)
                : h('p', { class: 'empty' }, seen.refused)),
        ],
    };
}

function configuration(context, c) {
    const levels = Object.entries(c.logLevels).map(([logger, level]) => `${logger}=${level}`);
    return [
        facts([
            ['Copies of new files', count(c.standardReplicas)],
            ['Log levels', levels.length ? levels.join(', ') : 'as the files of the masters say'],
            ['Contents kept with the name, up to', bytes(c.inlineLimitBytes)],
            ['Lease of clients', duration(c.sessionLeaseMs)],
            ['Lease of chunk servers', duration(c.serverLeaseMs)],
            ['Wait before new pools', duration(c.settleMs)],
        ]),
        h('p', { class: 'actions' },
            button('Change the copies', () => context.change({
                title: 'Copies of new files',
                verb: 'Set the standard',
                fields: [{ name: 'standardReplicas', label: 'Copies', type: 'number', min: 1,
                    value: c.standardReplicas, required: true,
                    hint: 'Where no policy of a file or directory says otherwise.' }],
                request: (values) => patch({ standardReplicas: Number(values.standardReplicas) }),
            })),
            button('Change log levels', () => context.change({
                title: 'Log levels of all masters',
                verb: 'Set the levels',
                fields: [{ name: 'logLevels', label: 'Levels', lines: 5, value: levels.join('\n'),
                    hint: 'One in a line: io.cairn.master=debug. Levels: trace, debug, info, warn,'
                        + ' error, off. None: as the files of the masters say.' }],
                request: (values) => patch({ logLevels: parsed(values.logLevels) }),
            }))),
    ];
}

const patch = (body) => ({ method: 'PATCH', path: '/configuration', body });

function linesOf(text) {
    return text.split('\n').map((line) => line.trim()).filter(Boolean);
}

function parsed(text) {
    return Object.fromEntries(linesOf(text).map((line) => {
        const [name, ...value] = line.split('=');
        return [name.trim(), value.join('=').trim()];
    }));
}

function exportList(context, { set, items }) {
    return [
        set ? table('Exports', [
            ['Path', (e) => h('span', { class: 'path' }, e.path)],
            ['Line', (e) => h('code', {}, e.line)],
            ['Change', (e) => button('Remove', () => context.change({
                title: `No longer export ${e.path}`,
                verb: 'Remove the export',
                isDanger: true,
                request: { method: 'DELETE', path: '/exports', query: { path: e.path } },
            }), { class: 'small', 'aria-label': `Remove the export of ${e.path}` })],
        ], items, (e) => e.path, 'The list is empty: nothing is exported.')
            : h('p', { class: 'empty' },
                'There is no list: a gateway exports / to its own machine only.'),
        h('p', {}, button('Add an export', () => context.change({
            title: 'Add an export, or replace its line',
            verb: 'Export it',
            fields: [{ name: 'line', label: 'Line', required: true,
                hint: 'As in exports(5): /projects 10.0.0.0/8(rw,root_squash)' }],
            request: (values) => ({ method: 'POST', path: '/exports',
                body: { line: values.line } }),
        }))),
    ];
}

function tokens(context, items) {
    return [
        table('Tokens', [
            ['Name', (t) => t.name],
            ['Role', (t) => t.role],
            ['Made', (t) => time(t.createdAt)],
            ['Expires', (t) => t.expired ? state('bad', 'expired') : time(t.expiresAt)],
            ['Change', (t) => button('Remove', () => context.change({
                title: `Remove token ${t.name}`,
                verb: 'Remove the token',
                isDanger: true,
                request: { method: 'DELETE', path: `/tokens/${encodeURIComponent(t.name)}` },
            }), { class: 'small', 'aria-label': `Remove token ${t.name}` })],
        ], items, (t) => t.name, 'There are no tokens.'),
        h('p', {}, button('Make a token', () => context.change(tokenOrder()))),
    ];
}

function tokenOrder() {
    return {
        title: 'Make a token',
        verb: 'Make the token',
        said: 'The token is made.',
        fields: [
            { name: 'name', label: 'Name', required: true,
                hint: 'Letters, digits, dots, dashes: whose it is.' },
            { name: 'role', label: 'Role', value: 'read', options: [
                ['read', 'read: sees all'], ['operate', 'operate: evicts, pauses, moves the lead'],
                ['admin', 'admin: everything']] },
            { name: 'days', label: 'Days that it lasts', type: 'number', min: 1,
                hint: 'Empty: until it is removed.' },
        ],
        request: ({ name, role, days }) => ({ method: 'POST', path: '/tokens',
            body: { name, role, ...(days !== '' && { expiresAt: inDays(Number(days)) }) } }),
        done: secret,
    };
}

/** To the second and from midnight, so that plan and change ask for the same. */
function inDays(days) {
    const at = new Date();
    at.setUTCHours(0, 0, 0, 0);
    return new Date(at.getTime() + (days + 1) * 86_400_000).toISOString().replace('.000', '');
}

function secret(token) {
    const dialog = openDialog(`Token ${token.name}`);
    dialog.show(
        h('p', {}, 'This is shown once. Keep it where passwords are kept.'),
        h('p', {}, h('code', { class: 'secret', id: 'secret' }, token.secret)),
        h('div', { class: 'actions' },
            button('Copy', () => navigator.clipboard?.writeText(token.secret)),
            button('Close', dialog.close, { class: 'quiet' })));
}
