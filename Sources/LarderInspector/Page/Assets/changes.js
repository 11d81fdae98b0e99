// Changes as they are made: newest first, with origin, pause and filter. At most the last 1,000 are kept, and few are in the page at once.
import { cellText, downloadButtons } from './downloads.js';
import { button, h, show } from './elements.js';
import { href, change, place } from './place.js';
import { CHANGES_KEPT, instance, on, session } from './session.js';
import { clock, counted, number, pathParts, visible } from './text.js';
import { compact } from './values.js';

const SHOWN_LIVE = 100;
const KINDS = ['inserted', 'updated', 'removed'];

/** Creates the view of the changes of one instance, or of all. */
export function changesView(instanceId) {
  const body = h('tbody', { role: 'rowgroup' });
  const note = h('p', { class: 'state', 'data-state': 'changes' });
  let paused = null;
  let cleared = 0;
  const rows = new Map();

  const pause = h('button', { type: 'button', class: 'button', 'aria-pressed': 'false', data: { tool: 'pause' }, onclick: toggle }, h('span', { class: 'button-label' }, 'Pause'));
  const search = h('input', {
    id: 'field-changes', class: 'field', type: 'search', placeholder: 'Key, value or origin', 'aria-label': 'Filter changes', autocomplete: 'off', spellcheck: 'false',
    data: { field: 'changes' }, oninput: () => change({ text: search.value }, { replaces: true }),
  });
  const kinds = h('div', { class: 'choices', role: 'group', 'aria-label': 'Kinds of changes' }, KINDS.map(kind => h('button', {
    type: 'button', class: 'choice', 'aria-pressed': 'true', onclick: event => {
      const isOn = event.currentTarget.getAttribute('aria-pressed') !== 'true';
      event.currentTarget.setAttribute('aria-pressed', String(isOn));
      update();
    }, data: { kind },
  }, kind)));
  const region = h('div', { class: 'grid-scroll changes', role: 'region', 'aria-label': 'Changes', tabindex: 0 },
    // On narrow pages, rows are blocks of lines. Without the roles, they would not be rows of a table for assistive technologies then.
    h('table', { class: `grid change-table ${instanceId ? '' : 'of-all'}`, role: 'table' }, h('caption', { class: 'hidden' }, 'Changes, newest first'),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
        ['Time', 'Change', 'Key', 'Value', instanceId ? null : 'Store', 'Origin'].filter(Boolean).map(one => h('th', { scope: 'col', role: 'columnheader' }, one)))),
      body));
  const empty = h('div', { class: 'empty-state' });
  const element = h('div', { class: 'page fills' },
    h('div', { class: 'row', role: 'search' }, search, kinds, pause,
      button('Clear', () => {
        cleared = session.changes.at(-1)?.serial ?? cleared;
        update();
      }), h('span', { class: 'grow' }), note, downloadButtons('changes', file)),
    region, empty);

  function toggle() {
    paused = paused ? null : session.changes.slice();
    pause.setAttribute('aria-pressed', String(Boolean(paused)));
    update();
  }

  const textOf = one => [one.key, one.table, one.origin, one.new?.isMasked ? '' : JSON.stringify(one.new?.value ?? '', exact), one.old?.isMasked ? '' : JSON.stringify(one.old?.value ?? '', exact)].join('\n').toLowerCase();
  const exact = (name, value) => (typeof value === 'bigint' ? String(value) : value);

  /** The changes that the filter lets through, newest first. */
  function matches() {
    const text = (place().text ?? '').toLowerCase();
    const wanted = new Set([...kinds.children].filter(one => one.getAttribute('aria-pressed') === 'true').map(one => one.dataset.kind));
    const source = paused ?? session.changes;
    const result = [];
    for (let index = source.length - 1; index >= 0; index -= 1) {
      const one = source[index];
      if (one.serial <= cleared) break;
      if (instanceId && one.instance !== instanceId) continue;
      if (one.kind ? !wanted.has(one.kind) || text && !textOf(one).includes(text) : Boolean(text)) continue;
      result.push(one);
    }
    return result;
  }

  /** What a download contains. */
  function file() {
    const objects = matches().map(({ serial, ...one }) => ({ ...one, store: instance(one.instance)?.name }));
    return {
      columns: ['date', 'store', 'table', 'key', 'change', 'old', 'new', 'columns', 'origin'], objects,
      rows: objects.map(one => [one.date, one.store, one.table, one.key, one.kind ?? (one.omitted ? `${one.omitted} not listed` : 'not listed'),
        cellText(one.old), cellText(one.new), one.columns?.join(' '), one.origin]),
    };
  }

  function update() {
    const text = place().text ?? '';
    if (document.activeElement !== search && search.value !== text) search.value = text;
    const all = matches();
    const matching = all.length;
    const shown = all.slice(0, paused ? CHANGES_KEPT : SHOWN_LIVE);
    const seen = new Set(shown.map(one => one.serial));
    for (const [serial, row] of rows) {
      if (seen.has(serial)) continue;
      row.remove();
      rows.delete(serial);
    }
    // New rows come first, so each is inserted before the first row that is already there.
    let reference = body.firstChild;
    for (const one of shown) {
      const known = rows.get(one.serial);
      if (known) {
        if (known !== reference) body.insertBefore(known, reference);
        else reference = known.nextSibling;
        continue;
      }
      const row = rowOf(one);
      rows.set(one.serial, row);
      body.insertBefore(row, reference);
    }
    const total = instanceId ? session.changeCounts.get(instanceId) ?? 0 : [...session.changeCounts.values()].reduce((sum, one) => sum + one, 0);
    note.textContent = `${counted(total, 'change')} since the page was opened${matching > shown.length ? `, the last ${number(shown.length)} shown` : ''}${paused ? ', paused' : ''}`;
    region.hidden = !shown.length;
    show(empty, shown.length ? null : h('p', null, text ? 'No change contains this text.' : session.isLive ? 'Waiting for changes.' : 'This inspector shows one moment (--no-trace) and follows no changes.'));
    empty.hidden = shown.length > 0;
  }

  function rowOf(one) {
    const [, name] = pathParts(instance(one.instance)?.name ?? '');
    const cell = (name, ...content) => h('td', { class: name, role: 'cell' }, content);
    const where = instanceId ? null : cell('', h('a', { href: href({ view: 'changes', instance: one.instance }) }, visible(name)));
    if (!one.kind) {
      return h('tr', { class: 'omitted', role: 'row' }, cell('time', clock(one.date)),
        h('td', { colspan: 3, role: 'cell' }, one.omitted ? `${counted(one.omitted, 'more change', 'more changes')}, not listed` : 'Changes that could not be listed'), where,
        cell('origin', visible(one.origin ?? '', { limit: 60 })));
    }
    const link = one.kind === 'removed' ? visible(one.key, { limit: 120 })
      : h('a', { href: href({ view: 'table', instance: one.instance, table: one.table, key: one.key }) }, visible(one.key, { limit: 120 }));
    return h('tr', { class: `change-${one.kind}`, role: 'row' },
      cell('time', clock(one.date)),
      cell('', h('span', { class: `kind ${one.kind}` }, one.kind)),
      cell('key', showsTable(one) ? [h('span', { class: 'muted' }, visible(one.table), ' ')] : null, link),
      // The new value first: what does not fit is cut off.
      cell('wide', one.new ? compact(one.new, { limit: 120 }) : null,
        one.old ? h('span', { class: 'was' }, one.new ? h('span', { class: 'muted' }, ' was ') : null, h('span', { class: 'old' }, compact(one.old, { limit: 80 }))) : null,
        one.columns?.length ? h('span', { class: 'muted' }, ' ', visible(one.columns.join(', '), { limit: 120 })) : null),
      where,
      cell('origin', visible(one.origin, { limit: 60 })));
  }

  const showsTable = one => (session.details.get(one.instance)?.tables.length ?? 0) > 1;

  update();
  // During a burst, drawing takes at most a third of the time.
  let timer = 0;
  let pauseAfter = 0;
  function updateSoon() {
    if (paused || timer) return;
    timer = setTimeout(() => {
      timer = 0;
      if (paused) return;
      const started = performance.now();
      update();
      // Layout and painting follow, so the next frame tells how long it took.
      requestAnimationFrame(() => setTimeout(() => { pauseAfter = Math.min(500, (performance.now() - started) * 2); }));
    }, pauseAfter);
  }
  const ends = [() => clearTimeout(timer), on('changes', updateSoon), on('connection', update)];
  return { element, update, dispose() { for (const end of ends) end(); } };
}
