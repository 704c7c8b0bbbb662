// Asks for a token, and says what is wrong with it.

import { h } from './dom.js';

/** The host of the OpenID provider whose users may sign in; null where there is none. */
async function provider() {
    try {
        const response = await fetch(new URL('oidc/info', document.baseURI), { cache: 'no-store' });
        return response.ok ? (await response.json()).provider : null;
    } catch {
        return null;
    }
}

/** Whether the provider has sent the browser back to here. */
export function isReturned() {
    const told = new URLSearchParams(location.search);
    return told.has('state') && (told.has('code') || told.has('error'));
}

/** The token for what the provider has told in the address, which forgets it. */
export async function finishSignIn() {
    const told = new URLSearchParams(location.search);
    history.replaceState(null, '', location.pathname + location.hash);
    if (!told.has('code')) {
        // Anybody can write such an address: only what is no sentence is shown of it.
        const code = /^[a-z_]{1,64}$/.exec(told.get('error'))?.[0] ?? 'no reason';
        throw new Error(`The OpenID provider did not sign you in: ${code}.`);
    }
    return (await post('oidc/finish', { state: told.get('state'), code: told.get('code') })).token;
}

async function post(path, body) {
    let response;
    try {
        response = await fetch(new URL(path, document.baseURI), {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
            cache: 'no-store',
            credentials: 'same-origin',
        });
    } catch {
        throw new Error('This master does not answer. Is it running? Sign in again.');
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) {
        throw new Error(answer.detail || answer.title || `The master answered ${response.status}.`);
    }
    return answer;
}

/** Adds the other way to sign in, where there is one. */
async function offerProvider(form, error) {
    const host = await provider();
    if (!host) {
        return;
    }
    const button = h('button', { type: 'button', id: 'oidc' }, `Sign in with ${host}`);
    button.onclick = async () => {
        error.textContent = '';
        button.disabled = true;
        try {
            location.assign((await post('oidc/begin', {})).location);
        } catch (problem) {
            error.textContent = problem.message;
            button.disabled = false;
        }
    };
    form.append(button);
}

/** The form; `enter` tries a token. */
export function signInPage(enter, why) {
    const error = h('p', { class: 'error', id: 'why', role: 'alert' }, why);
    const input = h('input', { id: 'token', name: 'token', type: 'password', required: true,
        autocomplete: 'current-password', spellcheck: 'false', 'aria-describedby': 'hint why' });
    const submit = h('button', { type: 'submit' }, 'Sign in');
    const form = h('form', { class: 'card signin' },
        h('h1', { tabindex: '-1' }, 'Sign in'),
        h('p', { id: 'hint' }, 'With a token of this cluster. The first one stands in the file ',
            h('code', {}, 'admin.token'),
            ' of the data directory of a master. It is kept until this tab closes.'),
        h('label', { for: 'token' }, 'Token'), input, error, submit);
    form.onsubmit = async (event) => {
        event.preventDefault();
        error.textContent = '';
        submit.disabled = true;
        try {
            await enter(input.value.trim());
        } catch (problem) {
            error.textContent = problem.message;
            input.setAttribute('aria-invalid', 'true');
            input.select();
            input.focus();
        } finally {
            submit.disabled = false;
        }
    };
    offerProvider(form, error);
    return form;
}
