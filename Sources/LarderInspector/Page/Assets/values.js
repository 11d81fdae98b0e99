// Values by their type: short in tables, whole in the view of a record.
import { button, copy, h } from './elements.js';
import { hasMasked, numberText, plainText } from './exact.js';
import { describe, fromBase64, hexLines, imageType, propertyList, typed, utf8 } from './formats.js';
import { bytes as size, counted, number, relative, visible, visibleString } from './text.js';
import { tree } from './tree.js';
import { parseExactly } from './client.js';

/** Bytes of a value of the type data: of the API in base64, of a property list as they are. */
const content = value => value.bytes ?? fromBase64(value.value ?? '');

/** The name of a type for display. */
export const typeName = value => (value ? (value.isMasked ? `${value.type}, masked` : value.type) : 'absent');

/** Text of a date for tables: "2026-11-21 09:30:00 UTC". */
function dateText(text) {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/.exec(text);
  return match ? `${match[1]} ${match[2]}${(match[3] ?? '').slice(0, 4)} UTC` : text;
}

function parsedDate(text) {
  const date = /^-?[\d.]+$/.test(text) ? new Date(978307200000 + Number(text) * 1000) : new Date(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(date.getTime()) ? null : date;
}

const numeric = new Set(['int', 'unsigned', 'float', 'double']);
export const isNumeric = value => Boolean(value) && numeric.has(value.type) && !value.isMasked;

/** A value in one line. */
export function compact(value, { limit = 200 } = {}) {
  if (!value || value.type === 'null') return h('span', { class: 'value null' }, value ? 'null' : 'absent');
  if (value.isMasked) return h('span', { class: 'value masked' }, '\u2022\u2022\u2022\u2022\u2022\u2022 ', h('span', { class: 'muted' }, `masked, ${size(value.size ?? 0)}`));
  const name = `value ${value.type}`;
  switch (value.type) {
    case 'bool': return h('span', { class: name }, String(value.value));
    case 'int': case 'unsigned': case 'float': case 'double': return h('span', { class: name }, numberText(value));
    case 'string': case 'url': return h('span', { class: name }, visible(value.value, { limit }), cutNote(value, limit));
    case 'date': return h('span', { class: name, title: visibleString(value.value) }, dateText(String(value.value)));
    case 'data': return compactData(value);
    case 'array': return h('span', { class: name }, preview(value), ' ', h('span', { class: 'muted' }, counted(value.value.length, 'element')));
    case 'dictionary': return h('span', { class: name }, preview(value), ' ', h('span', { class: 'muted' }, counted(Object.keys(value.value).length, 'key')));
    default: return h('span', { class: 'value' }, visible(JSON.stringify(value.value) ?? ''));
  }
}

const cutNote = (value, limit) => value.isCut && String(value.value).length <= limit
  ? h('span', { class: 'muted' }, `\u2026 ${size(value.size ?? 0)}`) : null;

function compactData(value) {
  const all = content(value);
  const total = value.isCut ? value.size : all.length;
  const image = imageType(all);
  return h('span', { class: 'value data' },
    image && !value.isCut ? picture(all, image[0], 'thumb', '') : null,
    h('span', { class: 'chip' }, describe(all)), ' ', h('span', { class: 'muted' }, size(total)), ' ',
    image ? null : h('span', { class: 'hex-start' }, Array.from(all.subarray(0, 12), one => one.toString(16).padStart(2, '0')).join(' '), all.length > 12 ? '\u2026' : ''));
}

/** An image from bytes. Its address is released when it has loaded. */
function picture(all, type, name, text) {
  const url = URL.createObjectURL(new Blob([all], { type }));
  const release = () => URL.revokeObjectURL(url);
  return h('img', { class: name, src: url, alt: text, onload: release, onerror: release });
}

function preview(value) {
  const parts = [];
  let length = 0;
  const entries = value.type === 'array' ? value.value.map(one => ['', one]) : Object.entries(value.value);
  for (const [key, raw] of entries) {
    const one = value.isPlain ? typed(raw) : raw;
    const text = (key ? `${key}: ` : '') + brief(one);
    parts.push(text);
    length += text.length;
    if (length > 60) {
      if (parts.length < entries.length) parts.push('\u2026');
      break;
    }
  }
  const [open, close] = value.type === 'array' ? '[]' : '{}';
  return visible(`${open}${parts.join(', ')}${close}`, { limit: 120 });
}

function brief(value) {
  if (value.isMasked) return '\u2022\u2022\u2022';
  switch (value.type) {
    case 'array': return `[${value.value.length}]`;
    case 'dictionary': return '{\u2026}';
    case 'data': return 'data';
    case 'string': return JSON.stringify(String(value.value).slice(0, 30));
    case 'null': return 'null';
    default: return String(value.value);
  }
}

/** Whether a value is short enough to be shown whole in one line. */
export function isBrief(value) {
  if (!value || value.isMasked) return !value;
  switch (value.type) {
    case 'string': case 'url': return !value.isCut && value.value.length <= 100 && !/[\n\r]|^\s*[[{]/.test(value.value);
    case 'data': case 'array': case 'dictionary': return false;
    default: return true;
  }
}

/** A value in one line, and for a date how long ago it is. */
export function line(value) {
  const date = value?.type === 'date' ? parsedDate(String(value.value)) : null;
  return [compact(value, { limit: 200 }), date ? h('span', { class: 'muted' }, ` ${relative(date)}`) : null];
}

/** The whole value, with a choice of views. `ondownload` saves it as a file, `onreveal` shows masked parts, `tools` receives the buttons. */
export function whole(value, { ondownload, onreveal, tools } = {}) {
  const element = h('div', { class: 'whole' });
  if (!value || value.type === 'null') return append(element, compact(value));
  if (value.isMasked) {
    element.append(h('p', { class: 'row' }, compact(value), onreveal && button('Reveal', onreveal, { picture: 'eye' })));
    // Of a property list, the values that are no secrets are shown. The bytes contain all, so the inspector withholds them.
    const rest = value.preview?.value;
    if (rest) element.append(h('p', { class: 'muted' }, 'The property list without the values that may be secrets:'), rest.type === 'array' || rest.type === 'dictionary' ? tree(rest) : compact(rest));
    return element;
  }
  const isPartlyMasked = hasMasked(value);
  if (isPartlyMasked) {
    element.append(h('p', { class: 'row tight' }, h('span', { class: 'muted' }, 'Values that may be secrets are masked.'),
      onreveal && button('Reveal', onreveal, { picture: 'eye', class: 'small' })));
  }
  const views = viewsOf(value);
  const body = h('div', { class: 'whole-body' });
  const choose = index => {
    body.replaceChildren(views[index][1]());
    choices.forEach((one, position) => one.setAttribute('aria-pressed', String(position === index)));
  };
  const choices = views.map(([label], index) => h('button', { type: 'button', class: 'choice', 'aria-pressed': 'false', onclick: () => choose(index) }, label));
  if (views.length > 1 || value.isCut) {
    element.append(h('div', { class: 'row tight' },
      views.length > 1 ? h('div', { class: 'choices', role: 'group', 'aria-label': 'View' }, choices) : null,
      value.isCut ? [h('span', { class: 'muted' }, `First part of ${size(value.size ?? 0)}`), ondownload && button('Download all', ondownload, { picture: 'download', class: 'small' })] : null));
  }
  element.append(body);
  tools?.append(...[
    value.isCut || value.type === 'data' ? null : button('Copy value', () => copy(plainText(value), isPartlyMasked ? 'Copied without the masked values' : 'Value copied'), { picture: 'copy', isBare: true }),
    ondownload && !value.isCut ? button('Download value', ondownload, { picture: 'download', isBare: true }) : null,
  ].filter(Boolean));
  choose(0);
  return element;
}

const append = (parent, child) => {
  parent.append(child);
  return parent;
};

function viewsOf(value) {
  switch (value.type) {
    case 'string': {
      const views = [['Text', () => textView(value.value)]];
      const json = value.isCut ? undefined : asJSON(value.value);
      if (json !== undefined) views.unshift(['JSON', () => tree(typed(json))]);
      views.push(['Hex', () => hexView(new TextEncoder().encode(value.value))]);
      return views;
    }
    case 'data': return viewsOfData(value);
    case 'array': case 'dictionary':
      return [['Tree', () => tree(value)], ['JSON', () => textView(plainText(value))]];
    case 'date': return [['Date', () => dateView(value)]];
    case 'int': case 'unsigned': case 'float': case 'double': return [['Number', () => numberView(value)]];
    default: return [['Value', () => compact(value, { limit: 20_000 })]];
  }
}

function asJSON(text) {
  if (!/^\s*[[{]/.test(text) || text.length > 2_000_000) return undefined;
  try { return parseExactly(text); } catch { return undefined; }
}

function viewsOfData(value) {
  const all = content(value);
  const views = [];
  const image = imageType(all);
  if (image && !value.isCut) {
    views.push(['Image', () => h('figure', { class: 'figure' }, picture(all, image[0], 'image', image[1]),
      h('figcaption', { class: 'muted' }, `${image[1]}, ${size(all.length)}`))]);
  }
  // The inspector masks what may be secret in its preview, so that is shown until it is revealed.
  const list = value.isCut || hasMasked(value) ? null : propertyList(all);
  if (list) {
    views.push([list.isArchive ? 'Archive' : 'Property list', () => h('div', null,
      list.isArchive ? h('p', { class: 'muted' }, 'Keyed archive', list.className ? [' of ', visible(list.className)] : null) : null,
      list.type === 'array' || list.type === 'dictionary' ? tree(list) : compact(list))]);
  }
  else if (value.preview?.value) {
    const nested = value.preview.value;
    views.push([value.preview.format === 'archive' ? 'Archive' : 'Content', () => (nested.type === 'array' || nested.type === 'dictionary' ? tree(nested) : compact(nested))]);
  }
  const text = utf8(all, value.isCut);
  if (text !== null && all.length) {
    const json = asJSON(text);
    if (json !== undefined) views.push(['JSON', () => tree(typed(json))]);
    views.push(['Text', () => textView(text)]);
  }
  views.push(['Hex', () => hexView(all)]);
  return views;
}

const CHUNK = 20_000;

/** Text in chunks, so that 10 MB do not stop the page. */
function textView(text) {
  const string = String(text);
  const element = h('div', null);
  const body = h('div', { class: 'block', tabindex: 0, role: 'region', 'aria-label': 'Text' });
  let shown = 0;
  const more = h('button', { type: 'button', class: 'button small', onclick: () => next() });
  const next = () => {
    let end = Math.min(string.length, shown + CHUNK);
    if (end < string.length && /[\ud800-\udbff]/.test(string[end - 1])) end += 1;
    body.append(visible(string.slice(shown, end), { limit: Infinity, keepsLines: true }));
    shown = end;
    more.hidden = shown >= string.length;
    more.textContent = `Show ${number(Math.min(CHUNK, string.length - shown))} more of ${counted(string.length, 'character')}`;
  };
  next();
  element.append(body, more);
  return element;
}

function hexView(all) {
  const element = h('div', null);
  const width = matchMedia('(max-width: 600px)').matches ? 8 : 16;
  const body = h('pre', { class: 'block hex', tabindex: 0, role: 'region', 'aria-label': 'Bytes' });
  let shown = 0;
  const more = h('button', { type: 'button', class: 'button small', onclick: () => next() });
  const next = () => {
    const end = Math.min(all.length, shown + 4096);
    body.append((shown ? '\n' : '') + hexLines(all, shown, end, width));
    shown = end;
    more.hidden = shown >= all.length;
    more.textContent = `Show more of ${counted(all.length, 'byte')}`;
  };
  next();
  if (!all.length) body.append('no bytes');
  element.append(body, more);
  return element;
}

function dateView(value) {
  const text = String(value.value);
  const date = parsedDate(text);
  const rows = [['exact', visible(text)]];
  if (date) {
    rows.push(['here', date.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'medium' })]);
    rows.push(['relative', relative(date)]);
    rows.push(['seconds since 1970', String(date.getTime() / 1000)]);
  }
  return pairs(rows);
}

function numberView(value) {
  const rows = [['value', h('span', { class: `value ${value.type}` }, numberText(value))]];
  const isWhole = typeof value.value === 'bigint' || Number.isSafeInteger(value.value);
  if (isWhole) {
    const amount = BigInt(value.text ?? value.value);
    if (amount >= 1000n || amount <= -1000n) rows.push(['grouped', amount.toLocaleString('en')]);
    if (amount >= 10n) rows.push(['hexadecimal', `0x${amount.toString(16)}`]);
    // Integers of this size are often times.
    for (const [unit, factor] of [['seconds', 1000], ['milliseconds', 1]]) {
      const time = Number(amount) * factor;
      if (time > 9.4e11 && time < 2.6e12) rows.push([`as ${unit} since 1970`, new Date(time).toISOString()]);
    }
  }
  return pairs(rows);
}

/** Names and values, one pair a line. */
export function pairs(rows) {
  return h('dl', { class: 'pairs' }, rows.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
}
