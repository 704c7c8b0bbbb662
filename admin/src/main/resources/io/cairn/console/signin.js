// Asks for a token, and says what is wrong with it.

import { h } from './dom.js';

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
    return form;
}
