// Orders that more than one page gives: jobs on trees, policies.

import { pathField, shown } from './format.js';

const MIB = 1024 * 1024;

const CHUNK_SIZES = [['keep', 'Leave as it is'], ['', 'The standard'],
    ...[1, 2, 4, 8, 16, 32, 64].map((n) => [String(n * MIB), `${n} MiB`])];

const INLINE_LIMITS = [['keep', 'Leave as it is'], ['', 'The standard'], ['0', 'None'],
    ['512', '512 bytes'], ...[1, 2, 4, 8, 16].map((n) => [String(n * 1024), `${n} KiB`])];

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
        { name: 'compression', label: 'Compression', when, value: 'keep',
            options: [['keep', 'Leave as it is'], ['', 'The standard'], ['none', 'None'],
                ['lz4', 'LZ4, fast'], ['zstd', 'Zstandard, smaller']] },
        { name: 'inlineLimitBytes', label: 'Contents in the masters, up to', when, value: 'keep',
            options: INLINE_LIMITS },
    ];
}

function policyBody(values) {
    const body = {};
    for (const name of ['replicas', 'chunkSizeBytes', 'inlineLimitBytes']) {
        if (values[name] !== 'keep') {
            body[name] = values[name] === '' ? null : Number(values[name]);
        }
    }
    if (values.compression !== 'keep') {
        body.compression = values.compression || null;
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

const LIMITS = [
    ['inodes', 'Inodes', 1],
    ['lengthBytes', 'Length in MiB', MIB],
    ['spaceBytes', 'Space of all copies in MiB', MIB],
];

const DAY_MS = 86_400_000;

/** Sets the quota of a directory, a user or a group: of one that is known, or one to be named. */
export function quotaOrder(known) {
    const kind = known.kind || 'directory';
    const id = known.path ?? known.id?.replace(/^.*-/, '') ?? '';
    // A limit that is no whole number of units stays as it is unless another one is given.
    const shownLimit = (level, [name, , unit]) =>
        (known[level]?.[name] % unit === 0 ? known[level][name] / unit : '');
    const fields = (level, word) => LIMITS.map((limit) => ({
        name: `${level}-${limit[0]}`, label: `${limit[1]}, ${word}`, type: 'number', min: 0,
        value: shownLimit(level, limit) }));
    return {
        title: 'Set a quota',
        verb: 'Set the quota',
        said: 'The quota is set.',
        text: 'Beyond a soft limit writing goes on for the grace; beyond a hard one it is refused.'
            + ' Empty: as it is; 0: no limit.',
        fields: [
            { name: 'kind', label: 'Of', value: kind, options: [['directory', 'A directory'],
                ['user', 'A user'], ['group', 'A group']] },
            { name: 'id', label: 'Path, uid or gid', value: id, required: true },
            ...fields('soft', 'soft'),
            ...fields('hard', 'at most'),
            { name: 'graceDays', label: 'Days above a soft limit', type: 'number', min: 0,
                hint: 'Empty: as it is, a week at first.' },
        ],
        request: (values) => ({ method: 'POST', path: '/quotas', body: quotaBody(values) }),
    };
}

function quotaBody(values) {
    const body = values.kind === 'directory' ? { path: values.id }
        : { [values.kind]: Number(values.id) };
    for (const level of ['soft', 'hard']) {
        for (const [name, , unit] of LIMITS) {
            const value = values[`${level}-${name}`];
            if (value !== '') {
                body[level + name[0].toUpperCase() + name.slice(1)] = Number(value) * unit;
            }
        }
    }
    if (values.graceDays !== '') {
        body.graceMs = Number(values.graceDays) * DAY_MS;
    }
    return body;
}
