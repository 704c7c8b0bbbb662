// Elements out of data. Text only ever becomes text: nothing here parses HTML.

const SVG = 'http://www.w3.org/2000/svg';
const HANDLERS = ['onclick', 'onsubmit', 'onchange', 'oninput', 'onkeydown'];

/** Controls, invisible and direction characters, as the command writes them. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escaped(character) {
    const number = character.codePointAt(0);
    const digits = number.toString(16);
    return number < 256 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits.padStart(4, '0')}}`;
}

/** Text of others, such as names of files, for people to read. */
export function printable(text) {
    return text.replace(HIDDEN, escaped);
}

function make(element, properties, children) {
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === undefined || value === null || value === false) {
            continue;
        }
        if (HANDLERS.includes(name)) {
            element[name] = value;
        } else {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
    for (const child of children.flat(Infinity)) {
        if (child !== undefined && child !== null && child !== false) {
            element.append(typeof child === 'string' && element.localName !== 'textarea'
                ? printable(child) : child);
        }
    }
    return element;
}

/** An element: h('a', {href: '#/x', class: 'y', onclick: f}, 'text', child, ...). */
export function h(tag, properties, ...children) {
    return make(document.createElement(tag), properties, children);
}

/** An element of a drawing. */
export function svg(tag, properties, ...children) {
    return make(document.createElementNS(SVG, tag), properties, children);
}

/**
 * Makes `old` look like `fresh` and keeps what is the same, so that focus, what is selected and
 * what was typed outlive a new look at the cluster.
 */
export function morph(old, fresh) {
    if (old.nodeName !== fresh.nodeName || keyOf(old) !== keyOf(fresh)) {
        old.replaceWith(fresh);
        return fresh;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
        if (old.nodeValue !== fresh.nodeValue) {
            old.nodeValue = fresh.nodeValue;
        }
        return old;
    }
    attributes(old, fresh);
    children(old, [...fresh.childNodes]);
    return old;
}

function keyOf(node) {
    return node.dataset?.key;
}

function attributes(old, fresh) {
    for (const { name } of [...old.attributes]) {
        if (!fresh.hasAttribute(name) && name !== 'open') {
            old.removeAttribute(name);
        }
    }
    for (const { name, value } of fresh.attributes) {
        if (old.getAttribute(name) !== value) {
            old.setAttribute(name, value);
        }
    }
    for (const handler of HANDLERS) {
        old[handler] = fresh[handler];
    }
}

function children(old, wanted) {
    const keyed = new Map();
    for (const node of old.childNodes) {
        if (keyOf(node) !== undefined) {
            keyed.set(keyOf(node), node);
        }
    }
    wanted.forEach((fresh, i) => {
        const here = old.childNodes[i];
        const known = keyed.get(keyOf(fresh));
        if (known && known !== here) {
            old.insertBefore(known, here || null);
        }
        const at = old.childNodes[i];
        if (at) {
            const isWantedLater = keyOf(at) !== keyOf(fresh) && keyed.has(keyOf(at));
            if (isWantedLater) {
                old.insertBefore(fresh, at);
            } else {
                morph(at, fresh);
            }
        } else {
            old.append(fresh);
        }
    });
    while (old.childNodes.length > wanted.length) {
        old.lastChild.remove();
    }
}

/** A list in rows; columns are [title, item => content, 'number'?]. */
export function table(caption, columns, items, key, none) {
    if (items.length === 0) {
        return h('p', { class: 'empty' }, none);
    }
    const head = columns.map(([title, , kind]) =>
        h('th', { scope: 'col', role: 'columnheader', class: kind }, title));
    const row = (item) =>
        h('tr', { role: 'row', 'data-key': key(item) },
            columns.map(([title, content, kind]) =>
                h('td', { role: 'cell', class: kind, 'data-label': title },
                    h('span', { class: 'cell' }, content(item)))));
    return h('table', { role: 'table' },
        h('caption', {}, caption),
        h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
        h('tbody', { role: 'rowgroup' }, items.map(row)));
}

/** Terms with what they are. */
export function facts(pairs) {
    return h('dl', { class: 'facts' },
        pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null)
            .map(([term, what]) => h('div', {}, h('dt', {}, term), h('dd', {}, what))));
}

export function button(text, onclick, more = {}) {
    return h('button', { type: 'button', onclick, ...more }, text);
}

export function card(title, ...content) {
    return h('section', { class: 'card' }, h('h2', {}, title), content);
}

const MARKS = { good: '●', warning: '▲', bad: '■', idle: '○' };
const TONES = {
    ok: 'good', up: 'good', serving: 'good', complete: 'good', done: 'good', leader: 'good',
    warning: 'warning', syncing: 'warning', adopted: 'warning', degraded: 'warning', paused: 'warning',
    waiting: 'warning', absent: 'warning', unknown: 'warning',
    critical: 'bad', down: 'bad', failed: 'bad', unavailable: 'bad', offline: 'bad',
    lastServing: 'bad', 'last-serving': 'bad',
};

/** A state as a mark and a word: never as a colour alone. */
export function state(word, text = word) {
    const tone = TONES[word] || 'idle';
    return h('span', { class: `state ${tone}` },
        h('span', { 'aria-hidden': 'true' }, MARKS[tone]), ' ', text);
}
