// Masters, chunk servers and their disks, as a picture; what each of them is, on demand.

import { disk } from '../chart.js';
import { button, card, facts, h, state, table } from '../dom.js';
import { bytes, count, ms, percent, perSecond, plural, rate, time } from '../format.js';
import { diskOrders, serverOrders } from '../storage.js';

export const title = 'Servers';

export function open(context) {
    const { api } = context;
    const seen = { masters: [], servers: [], targets: [], pools: [] };
    let chosen = null;
    const choose = (id) => {
        chosen = chosen === id ? null : id;
        context.update();
    };
    return {
        periodMs: 2000,
        load: async () => {
            const kinds = Object.keys(seen);
            const lists = await Promise.all(kinds.map((kind) => api.all(`/${kind}`)));
            kinds.forEach((kind, i) => { seen[kind] = lists[i]; });
        },
        render: () => [
            card('Chunk servers', servers(context, seen, chosen, choose)),
            card('Masters', masters(context, seen.masters)),
            card('Pools', pools(seen.pools)),
        ],
    };
}

function servers(context, seen, chosen, choose) {
    if (seen.servers.length === 0) {
        return h('p', { class: 'empty' }, 'No chunk servers have come yet: start some with ',
            h('code', {}, 'cairn chunk'), '.');
    }
    return h('ul', { class: 'servers' }, seen.servers.map((server) => {
        const disks = seen.targets.filter((target) => target.server === server.name);
        const open = disks.find((target) => target.id === chosen);
        return h('li', { class: `server ${server.state}`, 'data-key': server.name },
            h('h3', {}, server.name, ' ', state(server.state), server.maintenanceUntil
                && [' ', state('warning', `maintenance until ${time(server.maintenanceUntil)}`)]),
            h('p', { class: 'note' }, server.address, ' - ',
                `${bytes(server.freeBytes)} free of ${bytes(server.capacityBytes)}`),
            h('p', { class: 'note' }, load(server.load)),
            h('div', { class: 'disks' }, disks.map((target) => diskButton(target, chosen, choose))),
            open && details(context, open),
            labels(context, server),
            serverOrders(context, server, disks));
    }));
}

/** What a server does for clients, and whether its disks fail. */
function load(told) {
    return [told?.readBytesPerSecond == null ? 'What clients read and write is not known'
        : `Clients read ${rate(told.readBytesPerSecond)}, `
            + `write ${rate(told.writtenBytesPerSecond)}`,
    told?.errors > 0 && [' ', state('warning', plural(told.errors, 'disk error'))]];
}

function diskButton(target, chosen, choose) {
    const share = percent(target.usedBytes, target.capacityBytes);
    const errors = target.load?.errors;
    return h('button', { type: 'button', class: `target ${target.state}`, 'data-key': target.id,
        'aria-expanded': String(target.id === chosen), onclick: () => choose(target.id),
        'aria-label': `Disk ${target.id}, ${target.state}, ${share} used`
            + (errors > 0 ? `, ${plural(errors, 'error')}` : '') },
    disk(target.usedBytes, target.capacityBytes),
    h('span', {}, `${target.id}`), h('span', { class: 'note' }, share),
    errors > 0 && state('warning', plural(errors, 'error')));
}

function details(context, target) {
    return h('div', { class: 'details', role: 'region', 'aria-label': `Disk ${target.id}` },
        facts([
            ['Disk', `${target.id}`],
            ['Directory', target.directory && h('code', {}, target.directory)],
            ['State', target.draining ? [state(target.state), ' ', state('warning', 'draining')]
                : state(target.state)],
            ['Identity', h('code', {}, target.identity)],
            ['Used, by whatever', `${bytes(target.usedBytes)} of ${bytes(target.capacityBytes)}`],
            ['Saved by compression', bytes(target.compressionSavedBytes)],
            ['Chunks', count(target.chunks)],
            ['Groups', h('a', { href: `#/groups/target/${target.id}` },
                `${plural(target.groups, 'group')}, head of ${count(target.groupsHeaded)}`)],
            ...(target.load ? activity(target.load) : []),
        ]),
        diskOrders(context, target));
}

function activity(told) {
    return [
        ['Clients read', rate(told.readBytesPerSecond)],
        ['Clients write', rate(told.writtenBytesPerSecond)],
        ['Disk reads', rate(told.diskReadBytesPerSecond) + took(told.readMs)],
        ['Disk writes', rate(told.diskWrittenBytesPerSecond) + took(told.writeMs)],
        ['Made durable', perSecond(told.syncsPerSecond) + took(told.syncMs)],
        ['Errors', `${told.errors === 0 ? 'none' : count(told.errors)} since ${time(told.since)}`],
        ['Last error', told.lastErrorAt && time(told.lastErrorAt)],
    ];
}

const took = (one) => (one == null ? '' : `, ${ms(one)} each`);

function labels(context, server) {
    const known = Object.entries(server.labels || {});
    const text = known.map(([name, value]) => `${name}=${value}`);
    return h('p', { class: 'labels' },
        text.length ? text.map((each) => h('code', { class: 'label' }, each)) : 'No labels.', ' ',
        button('Edit labels', () => context.change({
            title: `Labels of ${server.name}`,
            verb: 'Set labels',
            fields: [{ name: 'labels', label: 'Labels', lines: 4, value: text.join('\n'),
                hint: 'One in a line: rack=r7' }],
            request: ({ labels: lines }) => ({ method: 'PATCH',
                path: `/servers/${encodeURIComponent(server.name)}`,
                body: { labels: parsed(lines) } }),
        }), { class: 'small', 'aria-label': `Edit labels of ${server.name}` }));
}

function parsed(lines) {
    const found = {};
    for (const line of lines.split('\n').map((each) => each.trim()).filter(Boolean)) {
        const [name, ...value] = line.split('=');
        found[name.trim()] = value.join('=').trim();
    }
    return found;
}

function masters(context, items) {
    return table('All masters', [
        ['Name', (m) => m.id],
        ['Role', (m) => state(m.role === 'leader' ? 'leader' : 'follower', m.role)],
        ['State', (m) => m.silentSince == null ? state(m.state)
            : state(m.state, `down since ${time(m.silentSince)}`)],
        ['Address', (m) => m.address || 'not known before it was heard'],
        ['Term', (m) => count(m.term), 'number'],
        ['Behind by', (m) => m.lagEntries == null ? 'not known'
            : plural(m.lagEntries, 'entry', 'entries'), 'number'],
        ['Change', (m) => m.role === 'leader' ? 'leads' : button('Make leader', () =>
            context.change({
                title: `Make ${m.id} the leader`,
                verb: 'Make leader',
                request: { method: 'POST', path: `/masters/${encodeURIComponent(m.id)}/lead` },
                said: `${m.id} leads now.`,
            }), { class: 'small', 'aria-label': `Make ${m.id} the leader` })],
    ], items, (m) => m.id, 'No masters are known.');
}

function pools(items) {
    return table('All pools', [
        ['Pool', (p) => String(p.id)],
        ['Copies', (p) => count(p.replicas), 'number'],
        ['Compression', (p) => p.compression],
        ['Labels', (p) => p.labels],
        ['Key', (p) => (p.key == null ? 'none' : String(p.key))],
        ['Groups', (p) => count(p.groups), 'number'],
        ['At risk', (p) => count(p.groupsAtRisk), 'number'],
        ['Unavailable', (p) => count(p.groupsUnavailable), 'number'],
        ['New files', (p) => p.takesNewFiles ? 'takes them' : 'older: no more'],
    ], items, (p) => String(p.id), 'No pools yet: they are made when chunk servers have come.');
}
