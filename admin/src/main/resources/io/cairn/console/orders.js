// Orders that more than one page gives: jobs on trees, policies.

import { pathField, shown } from './format.js';

const MIB = 1024 * 1024;

const CHUNK_SIZES = [['keep', 'Leave as it is'], ['', 'The standard'],
    ...[1, 2, 4, 8, 16, 32, 64].map((n) => [String(n * MIB), `${n} MiB`])];

/** The fields of a policy; `keep` stands for: not to be changed. */
function policyFields(when) {
    return [
        { name: 'replicas', label: 'Copies', when, value: 'keep',
            options: [['keep', 'Leave as it is'], ['', 'The standard'], ['1', '1'], ['2', '2'],
                ['3', '3'], ['4', '4'], ['5', '5']] },
        { name: 'chunkSizeBytes', label: 'Chunk size', when, value: 'keep',
            options: CHUNK_SIZES },
        { name: 'stripe', label: 'Placement groups in turn', when, value: '', type: 'number',
            min: 0, hint: 'Empty: leave as it is; 0: all groups of the pool.' },
    ];
}

function policyBody(values) {
    const body = {};
    for (const name of ['replicas', 'chunkSizeBytes']) {
        if (values[name] !== 'keep') {
            body[name] = values[name] === '' ? null : Number(values[name]);
        }
    }
    if (values.stripe !== '') {
        body.stripe = Number(values.stripe);
    }
    return body;
}

/** Changes the policy of one file or directory; `path` is percent-encoded. */
export function policyOrder(path, isDirectory) {
    return {
        title: `Policy of ${shown(path)}`,
        verb: 'Set the policy',
        said: 'The policy is set.',
        text: isDirectory ? 'For what will be made in this directory. A job changes all that is'
            + ' in it already.' : 'For contents written from now on.',
        fields: policyFields(),
        request: (values) => ({ method: 'PATCH', path: `/files${path}`,
            body: policyBody(values) }),
    };
}

/** Changes mode and owner of one file or directory. */
export function attributesOrder(path, file) {
    return {
        title: `Permissions of ${shown(path)}`,
        verb: 'Set the permissions',
        fields: [
            { name: 'mode', label: 'Mode', value: file.mode, hint: 'As chmod takes it: 0755, g-w.' },
            { name: 'uid', label: 'Owner (uid)', type: 'number', min: 0, value: file.uid },
            { name: 'gid', label: 'Group (gid)', type: 'number', min: 0, value: file.gid },
        ],
        request: ({ mode, uid, gid }) => ({ method: 'PATCH', path: `/files${path}`,
            body: { ...(mode !== '' && file.type !== 'symlink' && { mode }),
                uid: Number(uid), gid: Number(gid) } }),
    };
}

const KINDS = [
    ['usage', 'Count what it takes'], ['policy', 'Change the policy'], ['chmod', 'Change the mode'],
    ['chown', 'Change the owner'], ['remove', 'Remove it'],
];

/** Orders a job on a tree; `path` is percent-encoded. */
export function jobOrder(path, kind = 'usage') {
    const only = (...kinds) => (values) => kinds.includes(values.kind);
    const typed = pathField(path);
    return {
        title: 'Start a job',
        verb: 'Start the job',
        said: 'The job is ordered.',
        isAlways: true,
        text: 'A job goes through a whole tree in the background, whatever happens to masters.',
        fields: [
            { name: 'kind', label: 'What to do', options: KINDS, value: kind },
            typed.path !== undefined && { name: 'path', label: 'Tree', value: typed.path,
                required: true, hint: 'A path from the root of the filesystem: /a/b' },
            ...policyFields(only('policy')),
            { name: 'mode', label: 'Mode', when: only('chmod'), required: true,
                hint: 'As chmod takes it: u=rwX,go=rX' },
            { name: 'uid', label: 'Owner (uid)', when: only('chown'), type: 'number', min: 0 },
            { name: 'gid', label: 'Group (gid)', when: only('chown'), type: 'number', min: 0 },
            { name: 'maxPerSecond', label: 'Names a second, at most', type: 'number', min: 1,
                hint: 'Empty: 2000.' },
        ].filter(Boolean),
        request: (values) => ({ method: 'POST', path: '/jobs', body: jobBody(values, typed) }),
        done: (job) => { location.hash = `#/jobs/${job.id}`; },
    };
}

function jobBody(values, typed) {
    const body = { kind: values.kind,
        ...(typed.path === undefined ? typed : { path: values.path }) };
    if (values.kind === 'policy') {
        Object.assign(body, policyBody(values));
    } else if (values.kind === 'chmod') {
        body.mode = values.mode;
    } else if (values.kind === 'chown') {
        for (const name of ['uid', 'gid'].filter((each) => values[each] !== '')) {
            body[name] = Number(values[name]);
        }
    }
    if (values.maxPerSecond !== '') {
        body.maxPerSecond = Number(values.maxPerSecond);
    }
    return body;
}
