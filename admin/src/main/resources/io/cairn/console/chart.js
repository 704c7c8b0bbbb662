// Small drawings: lines over time, bars of parts. Sizes are attributes, no styles are needed.

import { h, svg } from './dom.js';

const WIDTH = 240;
const HEIGHT = 64;

/**
 * What a number was lately, as a line with gaps where it is not known; what it is now and was at
 * most, in words too. Samples are null where nothing is known.
 */
export function line(title, samples, now, text, span) {
    const most = Math.max(...samples.filter((n) => n !== null), now ?? 0, 0);
    const scale = most > 0 ? (HEIGHT - 6) / most : 0;
    const step = WIDTH / Math.max(samples.length - 1, 1);
    const x = (i) => (i * step).toFixed(1);
    const y = (n) => (HEIGHT - 2 - n * scale).toFixed(1);
    const told = now === null ? 'not known' : text(now);
    return h('figure', { class: 'chart' },
        h('figcaption', {}, title),
        h('p', { class: 'now' }, told),
        svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
            'aria-label': `${title}: now ${told}, at most ${text(most)} in the last ${span}` },
        stretches(samples).map(([first, last]) => {
            const points = [];
            for (let i = first; i <= last; i++) {
                points.push(`${x(i)},${y(samples[i])}`);
            }
            return [
                svg('polygon', { class: 'area',
                    points: `${x(first)},${HEIGHT} ${points.join(' ')} ${x(last)},${HEIGHT}` }),
                svg('polyline', { class: 'curve', points: points.join(' ') }),
            ];
        })),
        h('p', { class: 'note' }, `at most ${text(most)} in ${span}`));
}

/** The first and last index of each stretch of known samples. */
function stretches(samples) {
    const found = [];
    samples.forEach((n, i) => {
        if (n === null) {
            return;
        }
        if (i > 0 && samples[i - 1] !== null) {
            found[found.length - 1][1] = i;
        } else {
            found.push([i, i]);
        }
    });
    return found;
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
