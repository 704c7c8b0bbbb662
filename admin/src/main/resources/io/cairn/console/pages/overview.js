// How the cluster is: one sentence, then numbers.

import { bar, line } from '../chart.js';
import { card, facts, h, state } from '../dom.js';
import { bytes, count, duration, ms, percent, perSecond, plural, rate } from '../format.js';

export const title = 'Overview';

export function open({ api, live }) {
    let history = { items: [], everyMs: 5000 };
    return {
        isLive: true,
        periodMs: 5000,
        load: async () => {
            live.state ||= await api.get('/cluster');
            history = await api.get('/load', { limit: 1000 });
        },
        render: () => [
            health(live.state.health),
            h('div', { class: 'columns' }, capacity(live.state.capacity), counts(live.state)),
            activity(live.state, history),
        ],
    };
}

function health({ level, sentence, reasons }) {
    return h('section', { class: `card health ${level}`, 'aria-label': 'Health' },
        h('p', { class: 'sentence' }, state(level), ' ', h('span', { id: 'sentence' }, sentence)),
        reasons.length > 0 && h('ul', { class: 'reasons' }, reasons.map((reason) =>
            h('li', {}, state(reason.level), ' ', h('strong', {}, reason.what), ' ',
                reason.remedy))));
}

function capacity(c) {
    const copies = Math.max(0, c.freeBytes - c.availableBytes);
    return card('Space',
        bar(`${percent(c.usedBytes, c.totalBytes)} of all disks used`,
            [['used', c.usedBytes], ['free', c.availableBytes], ['copies', copies]]),
        h('ul', { class: 'legend' },
            legend('used', bytes(c.usedBytes), 'used on the disks, by whatever, or out of reach'),
            legend('free', bytes(c.availableBytes), 'left for files, as a user counts them'),
            legend('copies', bytes(copies), 'left for the further copies of those files')),
        facts([
            ['All disks', bytes(c.totalBytes)],
            ['Free on disks that answer', bytes(c.freeBytes)],
            ['Standard copies', count(c.standardReplicas)],
            ['In the trash, makes room when needed', bytes(c.trashBytes)],
            ['Held by snapshots only', c.snapshotBytes == null ? '?' : bytes(c.snapshotBytes)],
            ['Saved by compression', bytes(c.compressionSavedBytes)],
        ]));
}

function legend(kind, value, text) {
    return h('li', {}, h('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
        h('strong', {}, value), ' ', text);
}

/** What is copied from disk to disk: how much is left, and for how long. */
function copies({ repairing, moving, bytesLeft, secondsLeft }) {
    if (repairing + moving === 0) {
        return 'nothing is to be copied';
    }
    const left = secondsLeft == null ? '' : `, for ${duration(secondsLeft * 1000)}`;
    return `${plural(repairing, 'group')} short of a copy, ${count(moving)} to move: `
        + `about ${bytes(bytesLeft)} left${left}`;
}

function counts({ counts: c, leader, version, clusterId, mapEpoch, moves }) {
    return card('In it',
        h('ul', { class: 'tiles' },
            tile('#/servers', `${count(c.serversUp)} / ${count(c.servers)}`, 'chunk servers up'),
            tile('#/servers', count(c.targets), 'disks'),
            tile('#/groups', `${count(c.groupsAtRisk)} / ${count(c.groups)}`, 'groups at risk'),
            tile('#/sessions', count(c.sessions), 'sessions'),
            tile('#/files', count(c.inodes), 'files and directories')),
        facts([
            ['Copies', copies(moves)],
            ['Leader', leader],
            ['Version', version],
            ['Cluster', h('code', {}, clusterId)],
            ['Epoch of the map', count(mapEpoch)],
        ]));
}

function tile(href, number, text) {
    return h('li', {}, h('a', { href }, h('span', { class: 'number' }, number), ' ',
        h('span', {}, text)));
}

/** The charts: [name in the samples, title, text of a number, the number now]. */
const CHARTS = [
    ['writtenBytesPerSecond', 'Clients write', rate],
    ['readBytesPerSecond', 'Clients read', rate],
    ['operationsPerSecond', 'Requests of clients to the leader', perSecond],
    ['latencyMs', 'Time until their answer', ms],
    ['usedBytes', 'Used on the disks', bytes, (state) => state.capacity.usedBytes],
    ['sessions', 'Sessions', count, (state) => state.counts.sessions],
];

function activity(state, { items, everyMs }) {
    const span = duration(Math.max(items.length, 1) * everyMs);
    return card('Activity',
        h('div', { class: 'charts' }, CHARTS.map(([name, title, text, now]) =>
            line(title, items.map((sample) => sample[name] ?? null),
                now ? now(state) : state.rates[name] ?? null, text, span))),
        disks(state.rates));
}

/** What the disks do for that, all copies. */
function disks(rates) {
    const took = (one) => (one == null ? '' : `, ${ms(one)} each`);
    return facts([
        ['Written to the disks', `${rate(rates.diskWrittenBytesPerSecond)} in all copies, `
            + perSecond(rates.writesPerSecond) + took(rates.writeMs)],
        ['Read from the disks', `${rate(rates.diskReadBytesPerSecond)}, `
            + perSecond(rates.readsPerSecond) + took(rates.readMs)],
        ['Made durable', perSecond(rates.syncsPerSecond) + took(rates.syncMs)],
    ]);
}
