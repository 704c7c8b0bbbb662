// What administrators do with chunk servers and their disks: drain, remove, maintain.

import { button, h } from './dom.js';

const FORCE = { name: 'force', label: 'Reason to begin nevertheless',
    hint: 'Only when not everything finds another place. It goes to the audit log.' };

/** Buttons of a disk. */
export function diskOrders(context, target) {
    return orders(context, `Disk ${target.id}`, `/targets/${target.id}`, target.draining);
}

/** Buttons of a server with its disks. */
export function serverOrders(context, server, disks) {
    const path = `/servers/${encodeURIComponent(server.name)}`;
    const draining = disks.length > 0 && disks.every((disk) => disk.draining);
    return [orders(context, server.name, path, draining), maintenance(context, server, path)];
}

function orders(context, name, path, draining) {
    return h('p', { class: 'labels' },
        draining ? order(context, name, 'Use again', { method: 'POST', path: `${path}/undrain` })
            : button('Drain', () => context.change({
                title: `Drain ${name}`,
                verb: 'Drain',
                fields: [FORCE],
                request: ({ force }) => ({ method: 'POST', path: `${path}/drain`,
                    body: force ? { force } : {} }),
            }), { class: 'small', 'aria-label': `Drain ${name}` }), ' ',
        draining && order(context, name, 'Remove', { method: 'DELETE', path }));
}

function order(context, name, verb, request) {
    return button(verb, () => context.change({ title: `${verb}: ${name}`, verb, request }),
        { class: 'small', 'aria-label': `${verb} ${name}` });
}

function maintenance(context, server, path) {
    const request = { method: 'DELETE', path: `${path}/maintenance` };
    return h('p', { class: 'labels' }, server.maintenanceUntil
        ? order(context, server.name, 'End maintenance', request)
        : button('Maintenance', () => context.change({
            title: `Maintenance of ${server.name}`,
            verb: 'Begin maintenance',
            fields: [{ name: 'minutes', label: 'Minutes that it lasts', type: 'number', min: 1,
                value: '30', required: true }],
            request: ({ minutes }) => ({ method: 'POST', path: `${path}/maintenance`,
                body: { forSeconds: Number(minutes) * 60 } }),
        }), { class: 'small', 'aria-label': `Maintenance of ${server.name}` }));
}
