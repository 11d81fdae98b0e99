// What bytes contain: images, text, property lists and archives. Every parser has limits and returns `null` for what it does not know.

const MOST_VALUES = 200_000;

/** Decodes base64 to bytes. */
export function fromBase64(text) {
  try {
    const binary = atob(text);
    const result = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) result[index] = binary.charCodeAt(index);
    return result;
  } catch {
    return new Uint8Array();
  }
}

const starts = (bytes, ...prefix) => prefix.every((one, index) => bytes[index] === one);
const ascii = (bytes, from, to) => String.fromCharCode(...bytes.subarray(from, to));

/** The type of an image by its first bytes, and its name. SVG is left out: it is text. */
export function imageType(bytes) {
  if (starts(bytes, 0x89, 0x50, 0x4e, 0x47)) return ['image/png', 'PNG image'];
  if (starts(bytes, 0xff, 0xd8, 0xff)) return ['image/jpeg', 'JPEG image'];
  if (ascii(bytes, 0, 4) === 'GIF8') return ['image/gif', 'GIF image'];
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return ['image/webp', 'WebP image'];
  if (ascii(bytes, 4, 12) === 'ftypavif') return ['image/avif', 'AVIF image'];
  if (starts(bytes, 0x42, 0x4d) && bytes.length > 26 && bytes[6] === 0 && bytes[8] === 0) return ['image/bmp', 'BMP image'];
  return null;
}

/** A name for bytes by how they begin. */
export function describe(bytes) {
  const image = imageType(bytes);
  if (image) return image[1];
  if (ascii(bytes, 0, 6) === 'bplist') return 'property list';
  if (starts(bytes, 0x1f, 0x8b)) return 'gzip';
  if (starts(bytes, 0x50, 0x4b, 3, 4)) return 'ZIP archive';
  if (ascii(bytes, 0, 4) === '%PDF') return 'PDF';
  if (ascii(bytes, 0, 15) === 'SQLite format 3') return 'SQLite database';
  const text = bytes.length ? utf8(bytes.subarray(0, 256), true) : null;
  if (text !== null) return /^\s*[[{]/.test(text) ? 'JSON' : 'UTF-8';
  return 'data';
}

/** Decodes bytes as UTF-8, or returns `null` if they are something else. `isCut` allows for an incomplete last character. */
export function utf8(bytes, isCut = false) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    // Text has few control characters; binary data that happens to be UTF-8 has many.
    const controls = (text.match(/[\u0000-\u0008\u000e-\u001f]/g) ?? []).length;
    return controls * 20 > text.length ? null : text;
  } catch {
    return null;
  }
}

/** Converts a parsed JSON value to the form of typed values, one level at a time: nested values become typed when they are displayed. */
export function typed(json) {
  if (json === null) return { type: 'null', value: null };
  if (Array.isArray(json)) return { type: 'array', value: json, isPlain: true };
  switch (typeof json) {
    case 'object': return { type: 'dictionary', value: json, isPlain: true };
    case 'boolean': return { type: 'bool', value: json };
    case 'bigint': return { type: 'int', value: json };
    case 'number': return { type: Number.isInteger(json) ? 'int' : 'double', value: json };
    default: return { type: 'string', value: String(json) };
  }
}

/** Parses a property list, binary or XML, to a typed value. An archive of `NSKeyedArchiver` becomes its objects with the names of classes. */
export function propertyList(bytes) {
  try {
    const value = ascii(bytes, 0, 8) === 'bplist00' ? binaryList(bytes) : xmlList(utf8(bytes) ?? '');
    return value && (unarchived(value) ?? value);
  } catch {
    return null;
  }
}

function binaryList(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const trailer = bytes.length - 32;
  const offsetSize = bytes[trailer + 6];
  const referenceSize = bytes[trailer + 7];
  const count = Number(view.getBigUint64(trailer + 8));
  const top = Number(view.getBigUint64(trailer + 16));
  const table = Number(view.getBigUint64(trailer + 24));
  if (count > MOST_VALUES || top >= count) return null;
  const unsigned = (at, size) => {
    let result = 0;
    for (let index = 0; index < size; index += 1) result = result * 256 + view.getUint8(at + index);
    return result;
  };
  const known = new Map();
  let left = MOST_VALUES;
  const object = (reference, depth) => {
    left -= 1;
    if (reference >= count || depth > 200 || left < 0) throw new RangeError('Not a property list that can be displayed.');
    if (known.has(reference)) return known.get(reference);
    let at = unsigned(table + reference * offsetSize, offsetSize);
    const marker = view.getUint8(at);
    const kind = marker >> 4;
    const low = marker & 15;
    at += 1;
    let length = low;
    if (low === 15 && [4, 5, 6, 10, 12, 13].includes(kind)) {
      const size = 1 << (view.getUint8(at) & 15);
      length = unsigned(at + 1, size);
      at += 1 + size;
    }
    let value;
    switch (kind) {
      case 0: value = low === 8 || low === 9 ? { type: 'bool', value: low === 9 } : { type: 'null', value: null }; break;
      case 1: {
        const size = 1 << low;
        const whole = size === 8 ? view.getBigInt64(at) : size === 16 ? view.getBigUint64(at + 8) : BigInt(unsigned(at, size));
        value = { type: 'int', value: Number.isSafeInteger(Number(whole)) ? Number(whole) : whole };
        break;
      }
      case 2: value = low === 2 ? { type: 'float', value: view.getFloat32(at) } : { type: 'double', value: view.getFloat64(at) }; break;
      case 3: value = { type: 'date', value: new Date(978307200000 + view.getFloat64(at) * 1000).toISOString() }; break;
      case 4: value = { type: 'data', bytes: slice(bytes, at, length) }; break;
      case 5: value = { type: 'string', value: new TextDecoder('latin1').decode(slice(bytes, at, length)) }; break;
      case 6: value = { type: 'string', value: new TextDecoder('utf-16be').decode(slice(bytes, at, length * 2)) }; break;
      case 8: value = { type: 'reference', value: unsigned(at, low + 1) }; break;
      case 10: case 12: {
        value = { type: 'array', value: [] };
        for (let index = 0; index < length; index += 1) value.value.push(object(unsigned(at + index * referenceSize, referenceSize), depth + 1));
        break;
      }
      case 13: {
        const entries = [];
        for (let index = 0; index < length; index += 1) {
          const key = object(unsigned(at + index * referenceSize, referenceSize), depth + 1);
          entries.push([String(key.value), object(unsigned(at + (length + index) * referenceSize, referenceSize), depth + 1)]);
        }
        value = { type: 'dictionary', value: Object.fromEntries(entries) };
        break;
      }
      default: throw new RangeError('Not a property list.');
    }
    known.set(reference, value);
    return value;
  };
  return object(top, 0);
}

function slice(bytes, from, length) {
  if (from + length > bytes.length) throw new RangeError('The property list is too short.');
  return bytes.subarray(from, from + length);
}

/** The tags of an XML document, each with the text that follows it. The time is linear in the length, also of hostile documents. */
function* xmlTags(text, from) {
  let tag = null;
  for (let at = from; at >= 0 && at < text.length;) {
    const isData = text.startsWith('<![CDATA[', at);
    const isComment = text.startsWith('<!--', at);
    const ending = isData ? ']]>' : isComment ? '-->' : '>';
    const end = text.indexOf(ending, at);
    if (end < 0) throw new RangeError('The document ends within a tag.');
    const next = text.indexOf('<', end);
    const after = text.slice(end + ending.length, next < 0 ? text.length : next);
    if (isData || isComment) {
      if (tag) tag.content.push(isData ? [text.slice(at + 9, end), false] : ['', false], [after, true]);
    } else {
      if (tag) yield tag;
      const [, closes, name] = /^(\/?)([a-z]+)/.exec(text.slice(at + 1, Math.min(end, at + 20))) ?? ['', '', ''];
      tag = { closes: Boolean(closes), name, isEmpty: text[end - 1] === '/', content: [[after, true]] };
    }
    at = next;
  }
  if (tag) yield tag;
}

/** A small parser of XML property lists; a document parser of the browser would also read what is not a property list. */
function xmlList(text) {
  if (!/^\ufeff?\s*<\?xml[^>]*\?>/.test(text) || !text.includes('<plist')) return null;
  const containers = [];
  let result = null;
  let left = MOST_VALUES;
  const unescape = string => string.replace(/&(lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);/g, (whole, name) => {
    const known = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }[name];
    return known ?? String.fromCodePoint(Number(name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1)));
  });
  const add = value => {
    const parent = containers.at(-1);
    if (!parent) result = value;
    else if (parent.value.type === 'array') parent.value.value.push(value);
    else parent.entries.push([parent.key ?? '', value]);
  };
  for (const { closes, name, isEmpty, content } of xmlTags(text, text.indexOf('<plist'))) {
    left -= 1;
    if (left < 0) return null;
    if (name === 'plist') continue;
    if (name === 'dict' || name === 'array') {
      if (closes) {
        const ended = containers.pop();
        if (!ended) return null;
        if (ended.entries) ended.value.value = Object.fromEntries(ended.entries);
        continue;
      }
      const value = { type: name === 'dict' ? 'dictionary' : 'array', value: name === 'dict' ? {} : [] };
      add(value);
      if (!isEmpty) containers.push({ value, entries: name === 'dict' ? [] : null });
      if (containers.length > 200) return null;
      continue;
    }
    if (closes) continue;
    const string = content.map(([part, isEscaped]) => (isEscaped ? unescape(part) : part)).join('');
    switch (name) {
      case 'key': if (containers.at(-1)) containers.at(-1).key = string; break;
      case 'string': add({ type: 'string', value: string }); break;
      case 'integer': add({ type: 'int', value: Number.isSafeInteger(Number(string)) ? Number(string) : BigInt(string.trim()) }); break;
      case 'real': add({ type: 'double', value: Number(string) }); break;
      case 'true': case 'false': add({ type: 'bool', value: name === 'true' }); break;
      case 'date': add({ type: 'date', value: string.trim() }); break;
      case 'data': add({ type: 'data', bytes: fromBase64(string.replace(/\s/g, '')) }); break;
      default: return null;
    }
  }
  return result;
}

/** Replaces the references of a keyed archive by the objects. Classes are only names; nothing is decoded as a class. */
function unarchived(list) {
  if (list.type !== 'dictionary' || list.value.$archiver?.value !== 'NSKeyedArchiver') return null;
  const objects = list.value.$objects?.value ?? [];
  let left = 20_000;
  const resolve = (value, path) => {
    left -= 1;
    if (left < 0) return { type: 'string', value: '\u2026' };
    if (value.type === 'reference') {
      const at = value.value;
      if (at === 0) return { type: 'null', value: null };
      if (path.includes(at)) return { type: 'string', value: `object ${at}, which contains this one` };
      return objects[at] ? resolve(objects[at], [...path, at]) : { type: 'null', value: null };
    }
    if (value.type === 'array') return { ...value, value: value.value.map(one => resolve(one, path)) };
    if (value.type !== 'dictionary') return value;
    const named = value.value.$class ? objects[value.value.$class.value]?.value?.$classname?.value : undefined;
    const entries = Object.entries(value.value).filter(([key]) => key !== '$class').map(([key, one]) => [key, resolve(one, path)]);
    return { type: 'dictionary', value: Object.fromEntries(entries), className: named };
  };
  const top = Object.entries(list.value.$top?.value ?? {}).map(([key, one]) => [key, resolve(one, [])]);
  if (top.length === 1) return { ...top[0][1], isArchive: true };
  return { type: 'dictionary', value: Object.fromEntries(top), isArchive: true };
}

/** Lines of a hex view: offset, bytes, and the printable characters. */
export function hexLines(bytes, from, to, width) {
  const lines = [];
  for (let offset = from; offset < to; offset += width) {
    const row = bytes.subarray(offset, Math.min(offset + width, to));
    const hex = Array.from(row, (one, index) => one.toString(16).padStart(2, '0') + (index % 8 === 7 ? ' ' : '')).join(' ');
    const text = Array.from(row, one => (one >= 0x20 && one < 0x7f ? String.fromCharCode(one) : '\u00b7')).join('');
    lines.push(`${offset.toString(16).padStart(8, '0')}  ${hex.padEnd(width * 3 + Math.floor(width / 8) - 1)}  ${text}`);
  }
  return lines.join('\n');
}
