// Strings from stores, shown so that no character hides, reorders or breaks what surrounds it. And numbers, sizes and times.
import { h } from './elements.js';

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u2000-\u200a\u202f\u205f\u3000\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u;
const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu');
const NAMES = {
  0x00a0: 'NBSP', 0x00ad: 'SHY', 0x061c: 'ALM', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x200e: 'LRM', 0x200f: 'RLM', 0x2028: 'LSEP',
  0x2029: 'PSEP', 0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2060: 'WJ', 0x2066: 'LRI', 0x2067: 'RLI',
  0x2068: 'FSI', 0x2069: 'PDI', 0xfeff: 'BOM',
};

const CONTROLS = 'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

/** The symbol of a character that is invisible or changes the direction of text. Few fonts have Unicode's symbols, so these are names. */
function symbol(code) {
  if (code < 0x20) return CONTROLS[code];
  if (code === 0x7f) return 'DEL';
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether a zero-width joiner is part of an emoji, such as a family, and not something that hides. */
function joinsEmoji(text, index) {
  return /[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f]$/u.test(text.slice(Math.max(0, index - 4), index))
    && /^\p{Extended_Pictographic}/u.test(text.slice(index + 1, index + 3));
}

/** Splits a string into plain parts and `{ code, raw }` for characters that need a symbol. */
function parts(text, keepsLines) {
  const result = [];
  let start = 0;
  EVERY_HIDDEN.lastIndex = 0;
  for (let match; (match = EVERY_HIDDEN.exec(text));) {
    const code = match[0].codePointAt(0);
    if (keepsLines && (code === 10 || code === 9)) continue;
    if (code === 0x200d && joinsEmoji(text, match.index)) continue;
    if (match.index > start) result.push(text.slice(start, match.index));
    result.push({ code });
    start = match.index + match[0].length;
  }
  if (start < text.length) result.push(text.slice(start));
  return result;
}

/** Creates a `bdi` element with a string whose hidden characters are symbols. `limit` cuts it, with an ellipsis. */
export function visible(text, { limit = 1000, keepsLines = false, class: name } = {}) {
  const string = String(text);
  const shown = string.length > limit ? string.slice(0, limit).replace(/[\ud800-\udbff]$/, '') : string;
  const element = h('bdi', { class: name ? `text ${name}` : 'text' });
  if (shown === '') element.append(h('span', { class: 'empty' }, 'empty'));
  else if (!HIDDEN.test(shown)) element.append(spaced(shown));
  else {
    for (const part of parts(shown, keepsLines)) {
      if (typeof part === 'string') element.append(part);
      else {
        const code = `U+${part.code.toString(16).toUpperCase().padStart(4, '0')}`;
        element.append(h('span', { class: 'mark', title: code }, symbol(part.code)));
      }
    }
  }
  if (shown.length < string.length) element.append('\u2026');
  return element;
}

/** Spaces at both ends are easily overlooked, so they become open boxes. */
function spaced(text) {
  if (!text.startsWith(' ') && !text.endsWith(' ')) return text;
  const fragment = document.createDocumentFragment();
  let [start, end] = [0, text.length];
  while (text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  const boxes = length => (length ? h('span', { class: 'mark', title: 'spaces' }, '\u2423'.repeat(length)) : '');
  fragment.append(boxes(start), text.slice(start, end), boxes(text.length - end));
  return fragment;
}

/** The same for places that take only strings, such as titles and labels. */
export function visibleString(text, limit = 200) {
  const string = String(text);
  const shown = parts(string.slice(0, limit), false).map(part => typeof part === 'string' ? part : symbol(part.code)).join('');
  return string.length > limit ? `${shown}\u2026` : shown;
}

const integers = new Intl.NumberFormat('en');
const fewDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function number(value) {
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? integers.format(Math.round(value)) : fewDigits.format(value);
}

/** "1 key", "2 keys". */
export function counted(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function bytes(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) < 1000) return `${number(Math.round(value))} ${Math.round(value) === 1 ? 'byte' : 'bytes'}`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  let amount = value / 1000;
  let unit = 0;
  while (Math.abs(amount) >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${fewDigits.format(amount)} ${units[unit]}`;
}

/** The value of a fact: sizes and large numbers are written as people read them. */
export function factText({ name, value }) {
  if (!/^\d{1,15}$/.test(value) || /process|fingerprint|format/.test(name)) return value;
  return /bytes/.test(name) ? bytes(Number(value)) : number(Number(value));
}

/** A short duration such as "1.2 ms", for latencies. */
export function seconds(value) {
  const amount = Math.abs(value);
  if (amount === 0) return '0 s';
  if (amount < 1e-3) return `${fewDigits.format(value * 1e6)} \u00b5s`;
  if (amount < 1) return `${fewDigits.format(value * 1e3)} ms`;
  if (amount < 120) return `${fewDigits.format(value)} s`;
  return span(value);
}

/** A long duration such as "3 d 4 h" or "12 s", for ages and expiry. */
export function span(value) {
  const total = Math.max(0, Math.round(value));
  const units = [['y', 31557600], ['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const at = units.findIndex(([, size]) => total >= size);
  if (at < 0) return '0 s';
  const [unit, size] = units[at];
  const amount = Math.floor(total / size);
  const next = units[at + 1];
  const rest = next ? Math.floor((total - amount * size) / next[1]) : 0;
  return rest ? `${number(amount)} ${unit} ${rest} ${next[0]}` : `${number(amount)} ${unit}`;
}

export function byUnit(value, unit) {
  if (unit === 'bytes') return bytes(value);
  if (unit === 'seconds') return seconds(value);
  return number(value);
}

/** "14:03:22" of a time in milliseconds or a string. */
export function clock(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleTimeString('en-GB');
}

/** "in 3 d" or "5 min ago". */
export function relative(date) {
  const difference = (date.getTime() - Date.now()) / 1000;
  if (Math.abs(difference) < 1) return 'now';
  return difference > 0 ? `in ${span(difference)}` : `${span(-difference)} ago`;
}

/** The last part of a path, and what is before it. */
export function pathParts(name) {
  const at = name.replace(/\/+$/, '').lastIndexOf('/');
  return at < 0 ? ['', name] : [name.slice(0, at + 1), name.slice(at + 1)];
}
