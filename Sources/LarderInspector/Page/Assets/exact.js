// The exact text of values, for the clipboard and the view as JSON, and which of them are masked.
import { typed } from './formats.js';

const MASKED = '(masked)';

/** Whether a value, or one inside it, is masked. */
export function hasMasked(value) {
  if (!value || value.isPlain) return false;
  // The inspector tells it of strings and data that contain JSON.
  if (value.isMasked || value.hasMasked || value.preview && hasMasked(value.preview.value)) return true;
  if (value.type === 'array') return value.value.some(hasMasked);
  return value.type === 'dictionary' && Object.values(value.value).some(hasMasked);
}

/** The digits of a number. `text` has those that a number of JavaScript would lose. */
export function numberText({ value, text }) {
  if (text) return text;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A value as text for the clipboard: a string as it is, and arrays and dictionaries as JSON. */
export function plainText(value) {
  if (!value || value.isMasked) return '';
  switch (value.type) {
    case 'array': case 'dictionary': return jsonText(value);
    case 'null': return 'null';
    case 'int': case 'unsigned': case 'float': case 'double': return numberText(value);
    default: return String(value.value);
  }
}

/** JSON of an answer of the API, with every digit of its integers. */
export function exactJSON(value) {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(exactJSON).join(',\n')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value).filter(([, one]) => one !== undefined).map(([name, one]) => `${JSON.stringify(name)}: ${exactJSON(one)}`).join(', ')}}`;
}

/** JSON with every digit of its integers. JSON has no infinity, so infinite numbers are strings, as in the answers of the API. */
function jsonText(value, indent = '') {
  if (value.isMasked) return JSON.stringify(MASKED);
  const inner = one => jsonText(value.isPlain ? typed(one) : one, `${indent}  `);
  const joined = (open, lines, close) => (lines.length ? `${open}\n${lines.map(line => `${indent}  ${line}`).join(',\n')}\n${indent}${close}` : open + close);
  switch (value.type) {
    case 'array': return joined('[', value.value.map(inner), ']');
    case 'dictionary': return joined('{', Object.entries(value.value).map(([key, one]) => `${JSON.stringify(key)}: ${inner(one)}`), '}');
    case 'int': case 'unsigned': return numberText(value);
    case 'float': case 'double': return Number.isFinite(value.value) ? numberText(value) : JSON.stringify(String(value.value));
    case 'bool': case 'null': return String(value.value);
    default: return JSON.stringify(value.value ?? '');
  }
}
