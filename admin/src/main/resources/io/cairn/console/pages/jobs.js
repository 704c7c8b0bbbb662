// Work on whole trees: how far it is, what to do about it, ordering more.

import { button, card, facts, h, state, table } from '../dom.js';
import { bytes, count, plural, short, time } from '../format.js';
import { jobOrder } from '../orders.js';

export const title = 'Jobs';

const FINISHED = ['done', 'failed', 'cancelled'];

/** `#/jobs`, `#/jobs/7`. */
export function open(context, [id]) {
    return id ? one(context, id) : list(context);
}

function list(context) {
    let items = [];
    return {
        periodMs: 1000,
        load: async () => {
            items = (await context.api.get('/jobs', { limit: '200' })).items;
        },
        render: () => card('Jobs, the last one first',
            h('p', {}, button('Start a job', () => context.change(jobOrder('/')))),
            table('Jobs', [
                ['Job', (job) => h('a', { href: `#/jobs/${job.id}` }, `${job.id} ${job.kind}`)],
                ['Tree', (job) => h('span', { class: 'path' }, job.path)],
                ['State', (job) => state(job.state)],
                ['Progress', progress],
                ['Change', (job) => buttons(context, job)],
            ], items, (job) => job.id,
            'No jobs. A job removes, counts or changes a whole tree in the background.')),
    };
}

/** How far a job is, as a bar where its end is known. */
function progress(job) {
    const { names, namesFound, namesTotal, namesPerSecond } = job.progress;
    const total = namesTotal ?? namesFound;
    const isFinished = FINISHED.includes(job.state);
    const text = `${plural(names, 'name')}${isFinished ? '' : ` of ${count(total)}`
        + `${namesTotal == null ? ' found' : ''}, ${short(namesPerSecond)} /s`}`;
    return [h('progress', { max: Math.max(total, 1), value: job.state === 'done'
        ? Math.max(total, 1) : names, 'aria-label': `Progress of job ${job.id}` }), ' ',
    h('span', { class: 'note' }, text)];
}

function buttons(context, job) {
    const path = `/jobs/${job.id}`;
    const to = (verb, wanted) => button(verb, () => context.change({
        title: `${verb} job ${job.id}`,
        verb,
        request: { method: 'PATCH', path, body: { state: wanted } },
    }), { class: 'small', 'aria-label': `${verb} job ${job.id}` });
    const isFinished = FINISHED.includes(job.state);
    const end = isFinished ? 'Forget' : 'Cancel';
    return h('span', { class: 'actions' },
        !isFinished && (job.state === 'paused' ? to('Resume', 'running') : to('Pause', 'paused')),
        button(end, () => context.change({
            title: `${end} job ${job.id}`,
            verb: `${end} job`,
            isDanger: !isFinished,
            request: { method: 'DELETE', path },
            done: () => { location.hash = '#/jobs'; },
        }), { class: 'small', 'aria-label': `${end} job ${job.id}` }));
}

function one(context, id) {
    let job = null;
    return {
        periodMs: 1000,
        title: () => `Job ${id}`,
        load: async () => {
            job = await context.api.get(`/jobs/${encodeURIComponent(id)}`);
        },
        render: () => [
            card(`${job.kind} ${job.path}`,
                h('p', {}, state(job.state), ' ', job.message),
                h('p', {}, progress(job)),
                buttons(context, job),
                pace(context, job),
                facts([
                    ['Ordered by', `${job.owner}, ${time(job.orderedAt)}`],
                    ['Started', job.startedAt && time(job.startedAt)],
                    ['Ended', job.finishedAt && time(job.finishedAt)],
                    ['Is at', job.progress.currentPath],
                    ...Object.entries(job.edit).map(([k, v]) => [k, v ?? 'standard']),
                ])),
            card('Counted', totals(job.totals)),
            card('What went wrong', table('The first 100 errors', [
                ['Where', (e) => h('span', { class: 'path' }, e.path)],
                ['Error', (e) => h('code', {}, e.errno)],
                ['What', (e) => e.message],
            ], job.errors || [], (e) => e.path, 'Nothing so far.')),
        ],
    };
}

function pace(context, job) {
    return h('p', {}, `At most ${count(job.maxPerSecond)} names a second. `,
        !FINISHED.includes(job.state) && button('Change the pace', () => context.change({
            title: `Pace of job ${job.id}`,
            verb: 'Change the pace',
            fields: [{ name: 'maxPerSecond', label: 'Names a second, at most', type: 'number',
                min: 1, value: job.maxPerSecond, required: true }],
            request: (values) => ({ method: 'PATCH', path: `/jobs/${job.id}`,
                body: { maxPerSecond: Number(values.maxPerSecond) } }),
        }), { class: 'small' }));
}

function totals(t) {
    return [facts([
        ['Files', count(t.files)],
        ['Directories', count(t.directories)],
        ['Others', count(t.others)],
        ['Changed', count(t.changed)],
        ['Errors', count(t.errors)],
        ['Length', bytes(t.sizeBytes)],
        ['One copy takes', bytes(t.allocatedBytes)],
        ['All copies take', bytes(t.storedBytes)],
        t.misplacedFiles > 0 && ['Contents that stay elsewhere',
            `${plural(t.misplacedFiles, 'file')}, ${bytes(t.misplacedBytes)}`],
    ]), t.byReplicas.length > 0 && table('By number of copies', [
        ['Copies', (s) => s.replicas === 0 ? 'in the masters' : count(s.replicas)],
        ['Files', (s) => count(s.files), 'number'],
        ['Length', (s) => bytes(s.sizeBytes), 'number'],
        ['All copies take', (s) => bytes(s.storedBytes), 'number'],
    ], t.byReplicas, (s) => String(s.replicas), '')];
}
