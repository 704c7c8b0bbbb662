// Directories, and where the contents of files lie. Paths here are percent-encoded bytes.

import { button, card, facts, h, state, table } from '../dom.js';
import { bytes, count, encoded, plural, shown, time } from '../format.js';
import { attributesOrder, jobOrder, policyOrder } from '../orders.js';

export const title = 'Files';

const PAGE = 200;

/** `#/files/a/b`: the directory or file /a/b. */
export function open(context, segments) {
    const path = `/${segments.join('/')}`;
    const seen = { file: null, entries: [], next: null, chunks: [], nextChunk: null };
    const entries = async (after) => {
        const page = await context.api.get(`/entries${path}`,
            { limit: String(PAGE), ...(after && { after }) });
        seen.entries = after ? [...seen.entries, ...page.items] : page.items;
        seen.next = page.next;
    };
    const chunks = async (after) => {
        const file = await context.api.get(`/files${path}`, after ? { chunksAfter: after } : {});
        seen.file = file;
        const page = file.chunks || { items: [], next: null };
        seen.chunks = after ? [...seen.chunks, ...page.items] : page.items;
        seen.nextChunk = page.next;
    };
    const more = (step) => async () => {
        await step();
        context.update();
    };
    return {
        title: () => (segments.length ? shown(segments[segments.length - 1]) : 'Files'),
        load: async () => {
            await chunks(null);
            if (seen.file.type === 'directory') {
                await entries(null);
            }
        },
        render: () => [
            crumbs(segments),
            actions(context, path, seen.file),
            seen.file.type === 'directory' && listing(path, seen, more(() => entries(seen.next))),
            about(seen.file),
            seen.file.layout && layout(seen, more(() => chunks(seen.nextChunk))),
        ],
    };
}

function crumbs(segments) {
    const links = segments.map((segment, i) =>
        h('li', {}, h('a', { href: `#/files/${segments.slice(0, i + 1).join('/')}`,
            'aria-current': i === segments.length - 1 ? 'location' : null }, shown(segment))));
    return h('nav', { class: 'crumbs', 'aria-label': 'Path' },
        h('ol', {}, h('li', {}, h('a', { href: '#/files',
            'aria-current': segments.length ? null : 'location' }, 'Root')), links));
}

function listing(path, seen, more) {
    const base = path === '/' ? '#/files' : `#/files${path}`;
    const isDirectory = (e) => e.type === 'directory';
    return card('In it',
        table('Entries', [
            ['Name', (e) => h('a', { class: 'path', href: `${base}/${encoded(e)}` },
                isDirectory(e) ? `${e.name}/` : e.name)],
            ['Type', (e) => e.type],
            ['Length', (e) => isDirectory(e) ? '' : bytes(e.sizeBytes), 'number'],
            ['One copy takes', (e) => isDirectory(e) ? '' : bytes(e.usedBytes), 'number'],
            ['Mode', (e) => h('code', {}, e.mode)],
            ['Owner', (e) => `${e.uid}:${e.gid}`],
            ['Changed', (e) => time(e.modifiedAt)],
        ], seen.entries, (e) => e.nameHex || e.name, 'This directory is empty.'),
        seen.next && h('button', { type: 'button', onclick: more }, 'Show more'));
}

function about(file) {
    const isDirectory = file.type === 'directory';
    return card('About it',
        facts([
            ['Path', h('span', { class: 'path' }, file.path)],
            ['Bytes of the path', file.pathHex && h('code', { class: 'path' }, file.pathHex)],
            ['Type', file.type],
            ['Leads to', file.target],
            ['Entries', file.entries == null ? null : count(file.entries)],
            ['Length', isDirectory ? null : bytes(file.sizeBytes)],
            ['One copy takes', isDirectory ? null : bytes(file.usedBytes)],
            ['Mode, owner', `${file.mode}, ${file.uid}:${file.gid}`],
            ['Inode, names', `${file.ino}, ${count(file.links)}`],
            ['Contents changed', time(file.modifiedAt)],
            ['Own policy', file.policy && policy(file.policy)],
            ['In effect', file.effectivePolicy && policy(file.effectivePolicy)],
        ]));
}

function actions(context, path, file) {
    const isDirectory = file.type === 'directory';
    return h('p', { class: 'actions' },
        file.policy && button('Change the policy', () =>
            context.change(policyOrder(path, isDirectory))),
        button('Permissions', () => context.change(attributesOrder(path, file))),
        isDirectory && button('Start a job here', () => context.change(jobOrder(path))));
}

function policy({
    replicas, chunkSizeBytes, stripe, compression, encryption, inlineLimitBytes, labels,
}) {
    return [
        replicas == null ? 'standard copies' : plural(replicas, 'copy', 'copies'),
        chunkSizeBytes == null ? 'standard chunks' : `chunks of ${bytes(chunkSizeBytes)}`,
        stripe == null ? 'standard stripe' : stripe === 0 ? 'all groups in turn'
            : `${plural(stripe, 'group')} in turn`,
        ...compression && compression !== 'none' ? [`packed with ${compression}`] : [],
        ...encryption ? [`encrypted with ${encryption}`] : [],
        ...inlineLimitBytes == null ? [] : [`up to ${bytes(inlineLimitBytes)} in the masters`],
        ...labels && labels !== 'any' ? [`on servers with ${labels}`] : [],
    ].join(', ');
}

function layout(seen, more) {
    const { layout: l } = seen.file;
    const where = l.inline ? 'The contents are small and live with the name, in the masters.'
        : `${plural(l.chunks, 'chunk')} of ${bytes(l.chunkSizeBytes)} in pool ${l.pool}, `
            + `${plural(l.replicas, 'copy', 'copies')} of each.`;
    return card('Where the contents lie',
        h('p', {}, where),
        !l.asPolicy && h('p', {}, state('warning', 'not as its policy says'), ' ',
            'New contents would be laid out differently; ', h('code', {}, 'cairn fs set'),
            ' moves them.'),
        !l.inline && table('Chunks', [
            ['Chunk', (c) => count(c.index), 'number'],
            ['From byte', (c) => count(c.offsetBytes), 'number'],
            ['Group', (c) => c.group == null ? 'none' : `${c.group} (epoch ${c.epoch})`],
            ['Replicas', (c) => h('ul', { class: 'members' }, c.replicas.map((r) =>
                h('li', {}, `${r.server || 'no server'} disk ${r.target}`, ' ', state(r.state))))],
            ['Object', (c) => h('code', {}, c.oid)],
        ], seen.chunks, (c) => String(c.index), 'It has no chunks.'),
        seen.nextChunk && h('button', { type: 'button', onclick: more }, 'Show more chunks'));
}
