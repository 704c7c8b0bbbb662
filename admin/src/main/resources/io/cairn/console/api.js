// The REST API: one place for the token, for problems, for pages of lists and for the stream.

// Beside this page, wherever a reverse proxy has put it.
const BASE = new URL('api/v1', document.baseURI).pathname;
const TOKEN = 'cairn.token';
const LEADER_TRIES = 8;
const LIMIT_MS = 30_000;

/** An error the API told (RFC 9457), or that the master could not be reached (status 0). */
export class Problem extends Error {
    constructor(status, document) {
        super(document.detail || document.title || `The master answered ${status}.`);
        this.status = status;
        this.title = document.title || 'Error';
        this.field = document.field;
    }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls the API with the token of this browser tab; `listener` hears of what concerns all pages. */
export class Api {
    constructor(listener) {
        this.listener = listener;
    }

    get token() {
        return sessionStorage.getItem(TOKEN);
    }

    signIn(token) {
        sessionStorage.setItem(TOKEN, token);
    }

    signOut() {
        sessionStorage.removeItem(TOKEN);
    }

    get(path, query = {}) {
        return this.#call('GET', path, query);
    }

    /** What a change would do: {changes, warnings, etag}. */
    plan(order) {
        return this.#call(order.method, order.path, { ...order.query, plan: 'true' }, order.body);
    }

    /** Does a change, exactly as planned. */
    change(order, etag) {
        const headers = etag ? { 'If-Match': `"${etag}"` } : {};
        return this.#call(order.method, order.path, order.query || {}, order.body, headers);
    }

    /** All items of a list, up to `most`. */
    async all(path, query = {}, most = 5000) {
        const items = [];
        let after;
        do {
            const page = await this.get(path, { ...query, limit: 1000, ...(after && { after }) });
            items.push(...page.items);
            after = page.next;
        } while (after && items.length < most);
        return items;
    }

    async #call(method, path, query, body, more = {}) {
        for (let tries = 1; ; tries++) {
            try {
                return await this.#once(method, path, query, body, more);
            } catch (problem) {
                const isPassing = problem.status === 503 || problem.status === 0;
                if (!isPassing || method !== 'GET' || tries >= LEADER_TRIES) {
                    throw problem;
                }
                this.listener.waiting(problem);
                await sleep(1000);
            }
        }
    }

    async #once(method, path, query, body, more) {
        const headers = { Accept: 'application/json', ...more };
        if (body !== undefined) {
            headers['Content-Type'] = 'application/json';
        }
        const response = await this.#fetch(path, query, {
            method,
            headers,
            body: body === undefined ? undefined : JSON.stringify(body),
            signal: AbortSignal.timeout(LIMIT_MS),
        });
        this.listener.answered();
        const text = await response.text();
        return text ? JSON.parse(text) : {};
    }

    async #fetch(path, query, options) {
        const search = new URLSearchParams(query).toString();
        const token = this.token;
        options.headers.Authorization = `Bearer ${token}`;
        let response;
        try {
            response = await fetch(BASE + path + (search && `?${search}`), {
                ...options,
                cache: 'no-store',
                credentials: 'omit',
            });
        } catch {
            throw new Problem(0, {
                title: 'No answer',
                detail: 'This master does not answer. Is it running? The console tries again.',
            });
        }
        if (response.ok) {
            return response;
        }
        const problem = new Problem(response.status, await documentOf(response));
        if (problem.status === 401 && token === this.token) {
            this.listener.refused(problem);
        }
        throw problem;
    }

    /**
     * Reads the stream of events until `signal` ends it, and comes back when it breaks.
     * `heard` gets (name, data, id); name is '' for a comment, which says that no master leads.
     */
    async stream(signal, heard) {
        let last = null;
        while (!signal.aborted) {
            try {
                const response = await this.#fetch('/events/stream', last ? { after: last } : {}, {
                    headers: { Accept: 'text/event-stream' },
                    signal,
                });
                await frames(response, (name, data, id) => {
                    last = id || last;
                    heard(name, data, id);
                });
            } catch (problem) {
                if (signal.aborted || problem.status === 401) {
                    return;
                }
                if (problem instanceof Problem) {
                    this.listener.waiting(problem);
                }
            }
            if (!signal.aborted) {
                await sleep(1000);
            }
        }
    }
}

async function documentOf(response) {
    try {
        return JSON.parse(await response.text());
    } catch {
        return { title: `Error ${response.status}` };
    }
}

/** Splits server-sent events. */
async function frames(response, heard) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            return;
        }
        const parts = (rest + value).split('\n\n');
        rest = parts.pop();
        for (const part of parts) {
            frame(part, heard);
        }
    }
}

function frame(text, heard) {
    const fields = { event: '', data: '', id: '' };
    for (const line of text.split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) {
            fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
        }
    }
    if (fields.data) {
        heard(fields.event, JSON.parse(fields.data), fields.id);
    } else if (text.startsWith(':')) {
        heard('', null, '');
    }
}
