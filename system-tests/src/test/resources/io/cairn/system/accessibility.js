// Looks over the page as it is now and returns what is wrong with it, a sentence each.
const found = [];
const isShown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && e.getClientRects().length > 0;
const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
const described = (e) => `<${e.tagName.toLowerCase()} class="${e.getAttribute('class') || ''}">`
    + ` '${(e.textContent || '').trim().slice(0, 40)}'`;

function nameOf(element) {
    const by = (element.getAttribute('aria-labelledby') || '').split(' ').filter(Boolean);
    const labels = element.labels ? [...element.labels] : [];
    return (element.getAttribute('aria-label')
        || [...by.map((id) => document.getElementById(id)), ...labels]
            .map((e) => e?.textContent || '').join(' ')
        || element.textContent || '').trim();
}

function landmarks() {
    const dialog = document.querySelector('dialog[open]');
    for (const [selector, wanted] of [['main', 1], ['body > header', 1], ['h1', 1]]) {
        const count = document.querySelectorAll(selector).length;
        if (count !== wanted) {
            found.push(`${count} of ${selector} instead of ${wanted}`);
        }
    }
    all('nav, [role=region], section[aria-label], dialog').filter((e) => !nameOf(e))
        .forEach((e) => found.push(`landmark without a name: ${described(e)}`));
    if (!document.documentElement.lang || !document.title) {
        found.push('no language or no title');
    }
    if (!document.querySelector('[aria-live=polite], [role=status]')) {
        found.push('no live region');
    }
    let level = 0;
    all(dialog ? 'dialog h2, dialog h3' : 'h1, h2, h3').forEach((heading) => {
        const now = Number(heading.tagName[1]);
        if (level > 0 && now > level + 1) {
            found.push(`heading skips a level: ${described(heading)}`);
        }
        level = now;
    });
}

function names() {
    all('a[href], button, input, select, textarea, progress, [role=img]')
        .filter((e) => !nameOf(e)).forEach((e) => found.push(`no name: ${described(e)}`));
    all('input, select, textarea').filter((e) => !e.labels?.length)
        .forEach((e) => found.push(`no label: ${described(e)}`));
    all('svg').filter((e) => e.getAttribute('role') !== 'img' && !e.closest('[aria-hidden=true]'))
        .forEach((e) => found.push(`drawing neither named nor hidden: ${described(e)}`));
    all('table').filter((e) => !e.caption || !e.querySelector('th[scope=col]'))
        .forEach((e) => found.push(`table without caption or headers: ${described(e)}`));
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.push(`two of #${id}`));
    for (const kind of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'for']) {
        document.querySelectorAll(`[${kind}]`).forEach((e) =>
            e.getAttribute(kind).split(' ').filter((id) => !ids.includes(id))
                .forEach((id) => found.push(`${kind} names #${id}, which is not there`)));
    }
    document.querySelectorAll('[style]').forEach((e) => found.push(`style in ${described(e)}`));
}

function colour(text) {
    const numbers = text.match(/[\d.]+/g).map(Number);
    const scale = text.startsWith('color(srgb') ? 255 : 1;
    const [r, g, b, a = 1] = numbers;
    return [r * scale, g * scale, b * scale, a];
}

function over([r, g, b, a], [x, y, z]) {
    return [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
}

function ground(element) {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
        layers.push(colour(getComputedStyle(e).backgroundColor));
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
}

function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

function ratio(a, b) {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

function contrast() {
    all('body *').filter((e) => !e.closest('svg, :disabled, .said, select') && [...e.childNodes]
        .some((n) => n.nodeType === Node.TEXT_NODE && n.nodeValue.trim())).forEach((e) => {
        const style = getComputedStyle(e);
        const below = ground(e);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const is = ratio(over(colour(style.color), below), below);
        if (is < (isLarge ? 3 : 4.5)) {
            found.push(`contrast ${is.toFixed(2)}: ${described(e)}`);
        }
    });
}

function width() {
    const wide = document.documentElement.scrollWidth;
    if (wide > window.innerWidth) {
        found.push(`the page is ${wide} pixels wide in a window of ${window.innerWidth}`);
    }
}

landmarks();
names();
contrast();
width();
return found;
