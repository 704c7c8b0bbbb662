// The shell: signing in, pages by the part of the address after '#', what is common to all pages.

import { Api, Problem, sleep } from './api.js';
import { h, morph, state } from './dom.js';
import { changeDialog } from './dialog.js';
import { finishSignIn, isReturned, signInPage } from './signin.js';
import * as overview from './pages/overview.js';
import * as servers from './pages/servers.js';
import * as groups from './pages/groups.js';
import * as jobs from './pages/jobs.js';
import * as sessions from './pages/sessions.js';
import * as files from './pages/files.js';
import * as usage from './pages/usage.js';
import * as quotas from './pages/quotas.js';
import * as trash from './pages/trash.js';
import * as snapshots from './pages/snapshots.js';
import * as events from './pages/events.js';
import * as settings from './pages/settings.js';
import * as audit from './pages/audit.js';

const PAGES = { overview, servers, groups, files, usage, quotas, trash, snapshots, jobs, sessions,
    events, settings, audit };
const KEPT_EVENTS = 200;

const at = (id) => document.getElementById(id);

/** What the stream has told: the last state and the last events. */
const live = { state: null, events: [] };

let page = null;
let stream = null;

const api = new Api({
    waiting(problem) {
        notice(`${problem.message} Trying again.`);
    },
    answered() {
        notice('');
    },
    refused(problem) {
        leave(problem.message);
    },
});

/** What pages get. */
const context = {
    api,
    live,
    say,
    update: () => page && draw(page),
    reload: () => page && load(page),
    change: (order) => changeDialog(context, order),
};

/** Tells something to everybody, also to those who cannot see it. */
function say(text) {
    const said = at('said');
    const line = h('p', {}, text);
    said.replaceChildren(line);
    sleep(8000).then(() => line.remove());
}

function notice(text) {
    const bar = at('notice');
    if (bar.textContent !== text) {
        bar.textContent = text;
        bar.hidden = !text;
    }
}

function leave(why) {
    api.signOut();
    stream?.abort();
    stream = null;
    page = null;
    document.querySelectorAll('dialog').forEach((dialog) => dialog.remove());
    notice('');
    signedIn(false);
    document.title = 'Sign in - Cairn';
    at('main').replaceChildren(signInPage(enter, why));
    document.querySelector('#token')?.focus();
}

function signedIn(is) {
    for (const id of ['nav', 'leave', 'menu']) {
        at(id).hidden = !is;
    }
    at('pill').hidden = true;
}

/** Tries a token; throws the problem when it is none. */
async function enter(token) {
    api.signIn(token);
    try {
        live.state = await api.get('/cluster');
    } catch (problem) {
        api.signOut();
        throw problem;
    }
    live.events = [];
    begin();
}

function begin() {
    signedIn(true);
    stream = new AbortController();
    api.stream(stream.signal, heard);
    show();
}

function heard(name, data) {
    if (name === 'state') {
        notice('');
        live.state = data;
        pill(data.health);
        if (page?.view.isLive) {
            draw(page);
        }
    } else if (name === 'event') {
        live.events.unshift(data);
        live.events.splice(KEPT_EVENTS);
        if (data.level !== 'info') {
            say(data.text);
        }
        page?.view.heard?.(data);
    } else {
        notice('No master leads at the moment. Numbers stand still until one does.');
    }
}

function pill(health) {
    const fresh = h('a', { class: 'pill', id: 'pill', href: '#/overview',
        'aria-label': `Health: ${health.level}` }, state(health.level));
    morph(at('pill'), fresh);
}

/** Shows the page that the address names. */
async function show() {
    const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/');
    const module = PAGES[name] || overview;
    const fresh = { view: module.open(context, rest.filter(Boolean)), title: module.title };
    page = fresh;
    menu(false);
    marks(PAGES[name] ? name : 'overview');
    document.title = `${fresh.title} - Cairn`;
    at('main').replaceChildren(heading(fresh),
        h('p', { class: 'empty', role: 'status' }, 'Asking the master.'));
    at('main').querySelector('h1').focus({ preventScroll: true });
    window.scrollTo(0, 0);
    await load(fresh);
    while (fresh === page && fresh.view.periodMs) {
        await sleep(fresh.view.periodMs);
        if (fresh === page && !document.hidden) {
            await load(fresh);
        }
    }
}

async function load(one) {
    try {
        await one.view.load?.();
        one.problem = null;
    } catch (problem) {
        if (!(problem instanceof Problem)) {
            throw problem;
        }
        one.problem = problem;
    }
    if (one === page && api.token) {
        draw(one);
    }
}

const heading = (one) => h('h1', { tabindex: '-1' }, one.view.title?.() || one.title);

function draw(one) {
    const contents = one.problem ? failure(one) : one.view.render();
    const main = at('main');
    const fresh = h('main', { id: 'main', tabindex: '-1' }, heading(one), contents);
    morph(main, fresh);
}

function failure(one) {
    return h('section', { class: 'card failure', role: 'alert' },
        h('h2', {}, one.problem.title),
        h('p', {}, one.problem.message),
        h('button', { type: 'button', onclick: () => load(one) }, 'Try again'));
}

function marks(current) {
    const list = Object.entries(PAGES).map(([name, module]) =>
        h('li', {}, h('a', { href: `#/${name}`,
            'aria-current': name === current ? 'page' : null }, module.title)));
    at('nav').replaceChildren(h('ul', {}, list));
}

function menu(open) {
    at('menu').setAttribute('aria-expanded', String(open));
    at('nav').classList.toggle('open', open);
}

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function theme() {
    at('theme').textContent = isDark() ? 'Light' : 'Dark';
    at('theme').setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
}

at('theme').onclick = () => {
    const chosen = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem('cairn.theme', chosen);
    theme();
};
at('leave').onclick = () => leave('');
at('menu').onclick = () => menu(at('menu').getAttribute('aria-expanded') !== 'true');
at('skip').onclick = (event) => {
    event.preventDefault();
    at('main').focus();
};
matchMedia('(prefers-color-scheme: dark)').onchange = theme;
window.onhashchange = () => api.token && show();
theme();
if (api.token) {
    // Also with the address of a sign-in: no link of others may sign anybody out.
    begin();
} else if (isReturned()) {
    at('main').replaceChildren(h('p', { class: 'empty', role: 'status' }, 'Signing in.'));
    finishSignIn().then(enter).catch((problem) => leave(problem.message));
} else {
    leave('');
}
