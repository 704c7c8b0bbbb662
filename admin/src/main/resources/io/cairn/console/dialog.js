// Changes: first a form if one is needed, then the plan of the API, then the change itself.

import { h } from './dom.js';
import { plain } from './format.js';

/** Opens a dialog; returns {show(...nodes), close()}. The browser keeps the focus inside. */
export function openDialog(title) {
    const body = h('div', { class: 'body' });
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' },
        h('h2', { id: 'dialog-title' }, title), body);
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
    return {
        show: (...nodes) => body.replaceChildren(...nodes.filter(Boolean)),
        close: () => dialog.close(),
    };
}

/**
 * Asks, plans, confirms, does.
 *
 * order: {title, verb, isDanger, fields?, request, done}; `request` is {method, path, query, body},
 * or makes one of the values of the form; `done` gets the answer.
 */
export function changeDialog(context, order) {
    const dialog = openDialog(order.title);
    const values = {};
    for (const field of order.fields || []) {
        values[field.name] = field.value ?? '';
    }
    const steps = { context, order, dialog, values };
    if (order.fields) {
        ask(steps);
    } else {
        plan(steps);
    }
}

function ask(steps, problem) {
    const { order, dialog, values } = steps;
    const form = h('form', { class: 'fields' });
    const draw = () => form.replaceChildren(
        ...order.fields.filter((f) => !f.when || f.when(values))
            .flatMap((f) => control(f, values, problem, draw)),
        h('p', { class: 'error', role: 'alert' }, problem?.message),
        actions(dialog, h('button', { type: 'submit' }, 'See what would change')));
    form.onsubmit = (event) => {
        event.preventDefault();
        plan(steps);
    };
    draw();
    dialog.show(order.text && h('p', {}, order.text), form);
    (form.querySelector('[aria-invalid]') || form.querySelector('input, select, textarea')).focus();
}

function control(field, values, problem, draw) {
    const id = `field-${field.name}`;
    const isWrong = problem?.field?.split('.')[0] === field.name;
    const common = { id, name: field.name, 'aria-describedby': field.hint && `${id}-hint`,
        'aria-invalid': isWrong ? 'true' : null, required: field.required,
        oninput: (event) => { values[field.name] = event.target.value; } };
    let input;
    if (field.options) {
        input = h('select', { ...common, onchange: (event) => {
            values[field.name] = event.target.value;
            draw();
            document.getElementById(id)?.focus();
        } }, field.options.map(([value, text]) => h('option', { value }, text)));
    } else if (field.lines) {
        input = h('textarea', { ...common, rows: field.lines, spellcheck: 'false' });
    } else {
        input = h('input', { ...common, type: field.type || 'text', autocomplete: 'off',
            spellcheck: 'false', min: field.min, max: field.max });
    }
    input.value = values[field.name];
    return [h('label', { for: id }, field.label), input,
        field.hint && h('p', { class: 'hint', id: `${id}-hint` }, field.hint)].filter(Boolean);
}

function actions(dialog, ...buttons) {
    return h('div', { class: 'actions' }, buttons,
        h('button', { type: 'button', class: 'quiet', onclick: dialog.close }, 'Cancel'));
}

async function plan(steps, note) {
    const { context, order, dialog, values } = steps;
    dialog.show(h('p', { role: 'status' }, 'Asking what would change.'));
    try {
        const request = typeof order.request === 'function' ? order.request(values) : order.request;
        confirm(steps, request, await context.api.plan(request), note);
    } catch (problem) {
        trouble(steps, problem);
    }
}

function trouble(steps, problem) {
    const { order, dialog } = steps;
    if (order.fields) {
        ask(steps, problem);
        return;
    }
    dialog.show(h('p', { class: 'error', role: 'alert' }, problem.message),
        h('div', { class: 'actions' },
            h('button', { type: 'button', onclick: dialog.close }, 'Close')));
}

function confirm(steps, request, document, note) {
    const { order, dialog } = steps;
    const changes = document.changes.map((change) =>
        h('li', {}, h('strong', {}, change.what), ': ',
            h('span', { class: 'from' }, plain(change.from)),
            h('span', { class: 'said-only' }, ' becomes '),
            h('span', { 'aria-hidden': 'true' }, ' → '),
            h('span', { class: 'to' }, plain(change.to))));
    const warnings = document.warnings.map((text) => h('li', { class: 'warn' }, text));
    const isNothing = changes.length === 0 && !order.isAlways;
    const verb = h('button', { type: 'button', class: order.isDanger ? 'danger' : null },
        order.verb);
    verb.onclick = () => carryOut(steps, request, document.etag, verb);
    dialog.show(
        note && h('p', { class: 'error', role: 'alert' }, note),
        h('h3', {}, 'This would change'),
        changes.length ? h('ul', { class: 'plan' }, changes)
            : h('p', {}, isNothing ? 'Nothing: it is like this already.' : 'Nothing in the files.'),
        warnings.length && h('h3', {}, 'Know before'),
        warnings.length && h('ul', { class: 'plan' }, warnings),
        actions(dialog, isNothing ? null : verb,
            order.fields && h('button', { type: 'button', class: 'quiet',
                onclick: () => ask(steps) }, 'Back')));
    (isNothing ? null : verb)?.focus();
}

async function carryOut(steps, request, etag, verb) {
    const { context, order, dialog } = steps;
    verb.disabled = true;
    try {
        const answer = await context.api.change(request, etag);
        dialog.close();
        context.say(order.said || 'Done.');
        await order.done?.(answer);
        context.reload();
    } catch (problem) {
        if (problem.status === 412) {
            plan(steps, 'It has changed meanwhile. This is the plan as of now.');
        } else {
            trouble(steps, problem);
        }
    }
}
