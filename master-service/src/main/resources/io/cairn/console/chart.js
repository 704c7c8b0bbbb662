// Small drawings: lines over time, bars of parts. Sizes are attributes, no styles are needed.

import { h, svg } from './dom.js';

const WIDTH = 240;
const HEIGHT = 64;

/** A line of the last samples, with what it is now and was at most, in words too. */
export function line(title, samples, text, note) {
    const known = samples.filter((n) => n !== null && n !== undefined);
    const now = known.length ? known[known.length - 1] : 0;
    const most = Math.max(...known, 0);
    const scale = most > 0 ? (HEIGHT - 6) / most : 0;
    const step = WIDTH / Math.max(samples.length - 1, 1);
    const points = samples.map((n, i) =>
        `${(i * step).toFixed(1)},${(HEIGHT - 2 - (n ?? 0) * scale).toFixed(1)}`);
    const area = `0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`;
    const label = `${title}: now ${text(now)}, at most ${text(most)} in the last`
        + ` ${samples.length} seconds`;
    return h('figure', { class: 'chart' },
        h('figcaption', {}, title),
        h('p', { class: 'now' }, text(now)),
        svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
            'aria-label': label },
        svg('polygon', { class: 'area', points: area }),
        svg('polyline', { class: 'curve', points: points.join(' ') })),
        h('p', { class: 'note' }, note || `at most ${text(most)} in ${samples.length} s`));
}

/** A bar of parts: [class, value, name]; values share the width. */
export function bar(label, parts) {
    const whole = parts.reduce((sum, [, value]) => sum + value, 0);
    let x = 0;
    const pieces = parts.map(([name, value]) => {
        const width = whole > 0 ? (value / whole) * 100 : 0;
        const piece = svg('rect', { class: name, x: x.toFixed(3), y: 0, width: width.toFixed(3),
            height: 10 });
        x += width;
        return piece;
    });
    return svg('svg', { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none',
        role: 'img', 'aria-label': label }, pieces);
}

/** A disk as a picture: a box filled as far as it is used. */
export function disk(used, capacity) {
    const share = capacity > 0 ? Math.min(1, used / capacity) : 0;
    const height = 52 * share;
    return svg('svg', { class: 'disk', viewBox: '0 0 44 60', 'aria-hidden': 'true' },
        svg('rect', { class: 'body', x: 2, y: 2, width: 40, height: 56, rx: 5 }),
        svg('rect', { class: 'fill', x: 4, y: (56 - height).toFixed(2), width: 36,
            height: height.toFixed(2), rx: 3 }),
        svg('circle', { class: 'lamp', cx: 34, cy: 10, r: 3 }));
}
