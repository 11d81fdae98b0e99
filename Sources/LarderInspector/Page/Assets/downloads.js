// Downloads of the lists that a view shows, as CSV and JSON. The inspector itself makes the files of tables.
import { save } from './client.js';
import { button, h } from './elements.js';
import { exactJSON, plainText } from './exact.js';
import { visibleString } from './text.js';

/** Two buttons that save a list. `content()` returns `{ columns, rows, objects }`: names and cells for CSV, and what JSON contains. */
export function downloadButtons(title, content) {
  const formats = [['CSV', ({ columns, rows }) => csv(columns, rows)], ['JSON', ({ objects }) => `${exactJSON(objects)}\n`]];
  return h('span', { class: 'row tight' }, formats.map(([format, write]) => button(format,
    () => save(new Blob([write(content())]), `${visibleString(title)}.${format.toLowerCase()}`),
    { picture: 'download', class: 'small', 'aria-label': `Download ${visibleString(title)} as ${format}`, data: { download: format.toLowerCase() } })));
}

/** A value of the API as a cell. */
export const cellText = value => (!value || value.type === 'null' ? '' : value.isMasked ? '(masked)' : plainText(value));

/** Spreadsheets execute cells that begin like a formula, so these begin with an apostrophe, as in exports of tables. */
function csv(columns, rows) {
  const cell = text => `"${(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return `${[columns, ...rows].map(line => line.map(one => cell(String(one ?? ''))).join(',')).join('\r\n')}\r\n`;
}
