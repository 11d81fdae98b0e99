// Lists beside the tables, such as slow queries and past migrations.
import { get, instancePath } from './client.js';
import { cellText, downloadButtons } from './downloads.js';
import { button, h, notice, show } from './elements.js';
import { plainTable } from './grid.js';
import { counted, visible, visibleString } from './text.js';
import { compact, isNumeric } from './values.js';

const SHOWN = 200;

/** Creates the view of an instance's reports. */
export function reportsView(instanceId) {
  const body = h('div', { class: 'stack' });
  const element = h('div', { class: 'page' }, h('div', { class: 'row' }, button('Refresh', load, { picture: 'refresh' })), body);
  const controller = new AbortController();

  async function load() {
    try {
      const { reports } = await get(instancePath(instanceId, 'reports'), {}, { signal: controller.signal });
      show(body, reports.length ? reports.map(section) : h('p', { class: 'muted' }, 'This instance has no reports.'));
    } catch (error) {
      if (error.name !== 'AbortError') show(body, notice('error', error.message));
    }
  }

  function section(report) {
    const classes = report.columns.map((column, index) => (isNumeric(report.rows[0]?.[index]) ? 'number' : ''));
    const cell = value => {
      if (value?.type === 'string' && String(value.value).length > 60) return h('details', { class: 'long' }, h('summary', null, compact(value, { limit: 80 })), h('div', { class: 'block' }, visible(value.value, { limit: 5000, keepsLines: true })));
      // Dates, durations and names stay in one line.
      return value?.type === 'date' || value?.type === 'string' && String(value.value).length <= 24 ? h('span', { class: 'nowrap' }, compact(value)) : compact(value);
    };
    const body = h('div');
    const fill = rows => show(body, plainTable(visibleString(report.title), report.columns.map(column => visible(column.name)), rows.map(row => row.map(cell)), { classes }),
      rows.length < report.rows.length ? button(`Show all ${counted(report.rows.length, 'row')}`, () => fill(report.rows), { class: 'small' }) : null);
    if (report.rows.length) fill(report.rows.slice(0, SHOWN));
    return h('section', { class: 'report', data: { report: report.title } },
      h('div', { class: 'row' }, h('h2', null, visible(report.title), ' ', h('span', { class: 'count' }, String(report.rows.length))),
        report.rows.length ? downloadButtons(report.title, () => ({ columns: report.columns.map(column => column.name), rows: report.rows.map(row => row.map(cellText)), objects: report })) : null),
      report.note ? h('p', { class: 'muted' }, visible(report.note)) : null, body);
  }

  load();
  return { element, dispose: () => controller.abort() };
}
