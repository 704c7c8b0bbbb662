// Numbers, times and names as people read them.

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

export const count = (n) => WHOLE.format(n ?? 0);

export const short = (n) => SHORT.format(n ?? 0);

/** Bytes in the largest unit that leaves a number of at least 1. */
export function bytes(n) {
    let unit = 0;
    let value = n ?? 0;
    while (Math.abs(value) >= 1023.5 && unit < UNITS.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${unit === 0 ? WHOLE.format(value) : SHORT.format(value)} ${UNITS[unit]}`;
}

/** Bytes per second; null is what nobody knows. */
export const rate = (n) => (n == null ? 'not known' : `${bytes(n)}/s`);

export const perSecond = (n) => (n == null ? 'not known' : `${short(n)} /s`);

export const ms = (n) => (n == null ? 'not known' : `${short(n)} ms`);

export function percent(part, whole) {
    return whole > 0 ? `${Math.round((part / whole) * 100)} %` : '0 %';
}

/** A time as the clock of this machine tells it: 2026-11-21 04:39:37. */
export function time(text) {
    if (!text) {
        return 'never';
    }
    const at = new Date(text);
    const two = (n) => String(n).padStart(2, '0');
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `
        + `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function duration(time) {
    return time < 1000 ? `${count(time)} ms`
        : time < 120_000 ? `${short(time / 1000)} s` : `${short(time / 60_000)} min`;
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** A name of a directory entry, as it stands in an address: its bytes, percent-encoded. */
export function encoded(entry) {
    return entry.nameHex
        ? entry.nameHex.replace(/../g, (pair) => `%${pair}`)
        : encodeURIComponent(entry.name);
}

/** The bytes of a percent-encoded name or path. */
export function bytesOf(text) {
    const ascii = text.replace(/[^\x00-\x7f]+/gu, encodeURIComponent);
    const found = ascii.match(/%[0-9a-f]{2}|[^]/gi) || [];
    return Uint8Array.from(found, (c) =>
        c.length === 3 ? parseInt(c.slice(1), 16) : c.charCodeAt(0));
}

export const shown = (text) => new TextDecoder().decode(bytesOf(text));

/** A percent-encoded path as a field of a body: in UTF-8, or else in hexadecimal digits. */
export function pathField(text) {
    const raw = bytesOf(text);
    try {
        return { path: new TextDecoder('utf-8', { fatal: true }).decode(raw) };
    } catch {
        return { pathHex: [...raw].map((b) => b.toString(16).padStart(2, '0')).join('') };
    }
}

/** The address of a path's page. */
export function pathLink(path) {
    return `#/files${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Any JSON value in one line. */
export function plain(value) {
    if (value === null || value === undefined) {
        return 'nothing';
    }
    if (Array.isArray(value)) {
        return value.length ? value.map(plain).join(', ') : 'none';
    }
    if (typeof value === 'object') {
        const parts = Object.entries(value)
            .map(([k, v]) => `${k} ${v === null ? 'standard' : plain(v)}`);
        return parts.join(', ') || 'none';
    }
    return typeof value === 'number' ? count(value) : String(value);
}
