// How the cluster is: one sentence, then numbers.

import { bar, line } from '../chart.js';
import { card, facts, h, state } from '../dom.js';
import { bytes, count, percent, short } from '../format.js';

export const title = 'Overview';

export function open({ api, live }) {
    return {
        isLive: true,
        load: async () => {
            live.state ||= await api.get('/cluster');
        },
        render: () => [
            health(live.state.health),
            h('div', { class: 'columns' }, capacity(live.state.capacity), counts(live.state)),
            activity(live.history),
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
        ]));
}

function legend(kind, value, text) {
    return h('li', {}, h('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
        h('strong', {}, value), ' ', text);
}

function counts({ counts: c, leader, version, clusterId, mapEpoch }) {
    return card('In it',
        h('ul', { class: 'tiles' },
            tile('#/servers', `${count(c.serversUp)} / ${count(c.servers)}`, 'chunk servers up'),
            tile('#/servers', count(c.targets), 'disks'),
            tile('#/groups', `${count(c.groupsAtRisk)} / ${count(c.groups)}`, 'groups at risk'),
            tile('#/sessions', count(c.sessions), 'sessions'),
            tile('#/files', count(c.inodes), 'files and directories')),
        facts([
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

/** The charts of what the stream tells. */
const CHARTS = [
    ['operationsPerSecond', 'Requests of clients to the leader', (n) => `${short(n)} /s`],
    ['latencyMs', 'Time until their answer', (n) => `${short(n)} ms`],
    ['usedBytes', 'Used on the disks', bytes],
    ['sessions', 'Sessions', count],
];

function activity(history) {
    const told = CHARTS.filter(([name]) => history.some((sample) => sample[name] !== undefined));
    if (told.length === 0) {
        return card('Activity', h('p', { class: 'empty' },
            'The first numbers come within a few seconds.'));
    }
    return card('Activity', h('div', { class: 'charts' }, told.map(([name, text, format]) =>
        line(text, history.map((sample) => sample[name]), format))));
}
