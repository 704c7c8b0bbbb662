// States of directories that are kept.

import { button, card, h, table } from '../dom.js';
import { time } from '../format.js';

export const title = 'Snapshots';

export function open(context) {
    let items = [];
    let schedules = [];
    return {
        load: async () => {
            items = await context.api.all('/snapshots', {}, 1000);
            schedules = await context.api.all('/snapshot-schedules', {}, 1000);
        },
        render: () => [list(context, items), scheduleList(schedules)],
    };
}

function list(context, items) {
    return card('Snapshots',
        h('p', {}, 'Each is a directory that can only be read: ',
            h('code', {}, 'DIRECTORY/.snapshots/NAME'), '.'),
        h('p', {}, button('Take a snapshot', () => context.change(takeOrder()))),
        table('Snapshots', [
            ['Directory', (s) => h('span', { class: 'path' }, s.directory)],
            ['Name', (s) => h('span', { class: 'path' }, s.name)],
            ['Taken', (s) => time(s.createdAt)],
            ['State', (s) => s.state],
            ['Change', (s) => s.state !== 'dropped' && drop(context, s)],
        ], items, (s) => String(s.number), 'No snapshots.'));
}

function scheduleList(schedules) {
    return card('Schedules',
        h('p', {}, 'The masters take these by themselves: ',
            h('code', {}, 'cairn snapshot schedule set DIR hourly=24,daily=7'), '.'),
        table('Schedules', [
            ['Directory', (s) => h('span', { class: 'path' }, s.directory)],
            ['Kept', (s) => s.schedule],
            ['Class', (s) => s.class],
            ['There', (s) => String(s.snapshotCount)],
            ['Last', (s) => s.lastAt && time(s.lastAt)],
            ['Next', (s) => time(s.nextAt)],
            ['Error', (s) => s.error],
        ], schedules, (s) => s.directory, 'No schedules.'));
}

function takeOrder() {
    return {
        title: 'Take a snapshot',
        verb: 'Take the snapshot',
        said: 'The snapshot is taken.',
        fields: [
            { name: 'directory', label: 'Directory', value: '/', required: true },
            { name: 'name', label: 'Name', required: true },
        ],
        request: ({ directory, name }) => ({ method: 'POST', path: '/snapshots',
            body: { directory, name } }),
    };
}

function drop(context, snapshot) {
    const what = `${snapshot.name} of ${snapshot.directory}`;
    return button('Drop', () => context.change({
        title: `Drop the snapshot ${what}`,
        verb: 'Drop the snapshot',
        isDanger: true,
        request: { method: 'DELETE', path: `/snapshots/${snapshot.number}` },
    }), { class: 'small', 'aria-label': `Drop the snapshot ${what}` });
}
