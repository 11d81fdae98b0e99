// The records of a table: search, filter, order, columns, pages, and the record beside them.
import { download, get, instancePath, RequestError } from './client.js';
import { announce, button, debounced, h, icon, notice, patch, show, toast } from './elements.js';
import { filterInput } from './filter.js';
import { grid } from './grid.js';
import { change, go, href } from './place.js';
import { recordPanel } from './record.js';
import { details, dirty, on, session } from './session.js';
import { bytes, counted, number, span, visible, visibleString } from './text.js';
import { compact, isNumeric } from './values.js';

const LIMITS = [50, 100, 250, 500];
const QUERY = ['table', 'prefix', 'text', 'filter', 'order', 'of', 'ofTable', 'relationship'];
const queryOf = where => Object.fromEntries(QUERY.map(name => [name, where[name] ?? '']));

/** Cursors of the pages that were shown, for going back: query -> one cursor for each page. */
const trails = new Map();

/** Creates the view of a table of an instance. */
export function rowsView(instanceId, description, first) {
  const isObjects = description.role === 'objects' || description.tables.some(one => one.relationships.length > 0);
  let where = first;
  let records = [];
  let next = null;
  let total = null;
  let isSearching = false;
  let loading = null;
  let stale = false;
  let isPaused = false;
  let lastLoad = 0;
  let interval = 250;
  let panel = null;

  const table = () => description.tables.find(one => one.name === where.table) ?? description.tables[0];
  const data = grid({ label: 'Records', onsort: sort, onpage: direction => (direction > 0 ? nextPage() : previousPage()) });
  const state = h('p', { class: 'state', 'data-state': 'rows' });
  const problem = h('div', { class: 'problem' });
  const pager = h('div', { class: 'pager' });
  const tools = h('div', { class: 'tools' });
  const planBox = h('section', { class: 'plan', hidden: true, 'aria-label': 'Plan of the query' });
  const main = h('div', { class: 'data-main' }, tools, planBox, problem, data.element, pager);
  const element = h('div', { class: 'data' }, main);
  let filter = null;
  let fields = {};

  // Search fields

  function buildTools() {
    const one = table();
    const changeLater = debounced(180, parts => change({ ...parts, after: '', page: '', key: '' }, { replaces: true }));
    const field = (name, label, placeholder) => {
      const input = h('input', {
        id: `field-${name}`, class: 'field', type: 'search', placeholder, autocomplete: 'off', spellcheck: 'false', maxlength: 1000, data: { field: name },
        oninput: () => changeLater({ [name]: input.value }),
        onkeydown: event => { if (event.key === 'ArrowDown' && data.focusRow(0)) event.preventDefault(); },
      });
      input.value = where[name] ?? '';
      fields[name] = input;
      return h('div', { class: 'field-group' }, h('label', { for: input.id }, label), input);
    };
    fields = {};
    filter = null;
    const choices = description.tables.length > 1 ? h('div', { class: 'field-group narrow-only' },
      h('label', { for: 'field-table' }, isObjects ? 'Entity' : 'Table'),
      h('select', { id: 'field-table', class: 'field', onchange: event => go({ view: 'table', instance: instanceId, table: event.target.value }) },
        description.tables.map(other => h('option', { value: other.name, selected: other.name === one.name }, visibleString(other.name))))) : null;
    const search = [];
    if (where.of) {
      search.push(h('p', { class: 'related-to' }, icon('link'), 'Related to ',
        h('a', { href: href({ view: 'table', instance: instanceId, table: where.ofTable, key: where.of }) },
          visible(where.ofTable ?? ''), ' ', visible(where.of)), ' by ', visible(where.relationship ?? ''),
        button('Show all records', () => change({ of: '', ofTable: '', relationship: '', after: '', page: '' }), { class: 'small' })));
    }
    if (isObjects) {
      const related = one.relationships.map(relation => relation.name);
      const names = [...one.columns.map(column => column.name), ...related,
        ...one.relationships.flatMap(relation => (description.tables.find(other => other.name === relation.destination)?.columns ?? [])
          .map(column => `${relation.name}.${column.name}`))];
      filter = filterInput({
        label: 'Filter', placeholder: example(one), value: where.filter ?? '', names,
        onchange: debounced(400, value => change({ filter: value, after: '', page: '' }, { replaces: true })),
        onsubmit: value => change({ filter: value, after: '', page: '' }),
      });
      search.push(filter.element, field('text', 'Text', 'in any value'));
    } else search.push(field('prefix', 'Prefix of the key', 'begins with'), field('text', 'Text', 'in a key or value'));
    const hidden = new Set((where.hide ?? '').split(',').filter(Boolean));
    const optional = [...one.columns.filter(column => column !== keyColumnOf(description, one)).map(column => column.name), ...one.relationships.map(relation => relation.name)];
    const columnChoice = optional.length > 1 ? menu('Columns', 'columns', h('fieldset', { class: 'checks' }, h('legend', { class: 'hidden' }, 'Shown columns'),
      optional.map(name => h('label', null, h('input', {
        type: 'checkbox', checked: !hidden.has(name), onchange: event => {
          if (event.target.checked) hidden.delete(name);
          else hidden.add(name);
          change({ hide: [...hidden].join(',') }, { replaces: true });
        },
      }), visible(name))))) : null;
    const exporting = menu('Export', 'download', h('div', { class: 'stack' },
      h('p', { class: 'muted' }, 'Downloads the records that the search matches, with the shown columns.'),
      ['csv', 'json'].map(format => button(format.toUpperCase(), () => exportRows(format), { class: 'small' }))));
    show(tools, h('div', { class: 'search-row', role: 'search' }, choices, search),
      h('div', { class: 'row tight' },
        isObjects ? button('Plan', togglePlan, { picture: 'plan', 'aria-expanded': String(!planBox.hidden), data: { tool: 'plan' } }) : null,
        columnChoice, exporting,
        session.isLive ? h('button', {
          type: 'button', class: 'button', 'aria-pressed': String(!isPaused), data: { tool: 'live' }, title: 'Follows changes while this is on', onclick: event => {
            isPaused = !isPaused;
            event.currentTarget.setAttribute('aria-pressed', String(!isPaused));
            if (!isPaused && stale) refresh();
          },
        }, h('span', { class: 'dot' }), h('span', { class: 'button-label' }, 'Live')) : null,
        button('Refresh', () => load(), { picture: 'refresh', isBare: true }),
        h('span', { class: 'grow' }), state));
  }

  /** The names of the shown columns and relationships, or nothing if all are shown. */
  function exported() {
    const hidden = new Set((where.hide ?? '').split(',').filter(Boolean));
    return hidden.size ? [...table().columns, ...table().relationships].map(one => one.name).filter(name => !hidden.has(name)).join(',') : '';
  }

  async function exportRows(format) {
    const name = `${visibleString(table().name).replace(/\W+/g, '-') || 'records'}.${format}`;
    const controller = new AbortController();
    const amount = h('span', null, 'Preparing');
    const dialog = h('dialog', { class: 'dialog', 'aria-label': 'Export', onclose: () => { controller.abort(); dialog.remove(); } },
      h('h2', null, `Export to ${name}`), h('p', { role: 'status' }, amount), h('progress', { 'aria-label': 'Export' }),
      h('div', { class: 'row end' }, button('Cancel', () => dialog.close())));
    document.body.append(dialog);
    dialog.showModal();
    try {
      const size = await download(instancePath(instanceId, 'export'), { ...queryOf(where), table: table().name, format, columns: exported() }, name,
        { signal: controller.signal, progress: received => { amount.textContent = `${bytes(received)} so far`; } });
      dialog.close();
      toast(`Exported ${bytes(size)}`);
    } catch (error) {
      if (error.name === 'AbortError') return;
      show(dialog, h('h2', null, 'Export'), notice('error', error.message), h('div', { class: 'row end' }, button('Close', () => dialog.close())));
    }
  }

  // Plan

  function togglePlan(event) {
    planBox.hidden = !planBox.hidden;
    event.currentTarget.setAttribute('aria-expanded', String(!planBox.hidden));
    if (!planBox.hidden) loadPlan();
  }

  async function loadPlan() {
    try {
      const plan = await get(instancePath(instanceId, 'plan'), { ...queryOf(where), table: table().name });
      show(planBox, planView(plan));
    } catch (error) {
      show(planBox, error.status === 404 ? h('p', { class: 'muted' }, 'This instance executes queries without a plan.') : notice('error', error.message));
    }
  }

  // Columns, order

  const order = () => (where.order ?? '').split(',').filter(Boolean).map(one => (one.startsWith('-') ? [one.slice(1), -1] : [one, 1]));

  function sort(column, isAdding) {
    const current = order();
    const known = current.find(([name]) => name === column);
    let next;
    if (isAdding) {
      next = known ? current.map(([name, direction]) => [name, name === column ? -direction : direction]) : [...current, [column, 1]];
    } else next = !known || current.length > 1 ? [[column, 1]] : known[1] > 0 ? [[column, -1]] : [];
    change({ order: next.map(([name, direction]) => (direction < 0 ? `-${name}` : name)).join(','), after: '', page: '' });
  }

  const isStore = () => isEntries(description, table());

  function columns() {
    const one = table();
    const hidden = new Set((where.hide ?? '').split(',').filter(Boolean));
    const sorted = order();
    const keyColumn = keyColumnOf(description, one);
    const direction = name => sorted.find(([other]) => other === name)?.[1] ?? 0;
    const result = [{
      id: keyColumn?.name ?? '#key', isKey: true, label: keyColumn ? capitalized(keyColumn.name) : 'Record', class: 'key',
      isSortable: keyColumn?.isSortable, direction: keyColumn ? direction(keyColumn.name) : 0,
    }];
    one.columns.forEach((column, index) => {
      if (hidden.has(column.name) || column === keyColumn) return;
      const at = sorted.findIndex(([name]) => name === column.name);
      result.push({
        id: column.name, index, label: isStore() ? capitalized(column.name) : visibleString(column.name), detail: isStore() ? '' : visibleString(column.type),
        isSortable: column.isSortable, direction: at < 0 ? 0 : sorted[at][1], rank: at >= 0 && sorted.length > 1 ? at + 1 : 0,
        class: isStore() ? (column.name === 'value' ? 'wide' : 'type') : /^(Int|UInt|Double|Float|Decimal)/.test(column.type) ? 'number' : '',
      });
    });
    for (const relation of one.relationships) {
      if (hidden.has(relation.name)) continue;
      result.push({ id: `>${relation.name}`, relation, label: visibleString(relation.name), detail: `${visibleString(relation.destination)}${relation.isToMany ? ' *' : ''}`, class: 'relation' });
    }
    if (records.some(record => record.expiry !== null && record.expiry !== undefined)) result.push({ id: '#expiry', label: 'Expires', class: 'expiry' });
    return result;
  }

  const headings = (all = columns()) => all.map(({ relation, index, isKey, ...column }) => column);

  const linkTo = (tableName, key) => href({ view: 'table', instance: instanceId, table: tableName, key });

  function cell(column, record) {
    if (column.isKey) {
      return h('span', { class: 'key-text' }, record.problem ? h('span', { class: 'badge warning', title: visibleString(record.problem) }, 'unreadable') : null,
        visible(record.key, { limit: 300 }));
    }
    if (isStore() && column.id === 'type') return h('span', { class: 'type-name' }, visible(record.values[column.index]?.value ?? ''));
    if (column.id === '#expiry') return expiry(record.expiry);
    if (!column.relation) {
      const value = record.values[column.index];
      return isNumeric(value) ? h('span', { class: 'numeric' }, compact(value)) : compact(value);
    }
    const { name, destination, isToMany } = column.relation;
    if (!isToMany) {
      const key = record.related?.[name];
      return key === undefined || key === null ? h('span', { class: 'value null' }, 'none')
        : h('a', { class: 'relation-link', href: linkTo(destination, key) }, visible(destination), ' ', visible(key, { limit: 60 }));
    }
    const amount = record.counts?.[name];
    return h('a', {
      class: 'relation-link', href: href({ view: 'table', instance: instanceId, table: destination, of: record.key, ofTable: table().name, relationship: name }),
      'aria-label': `${amount === undefined ? 'Related' : number(amount)} ${visibleString(name)} of ${visibleString(record.key, 40)}`,
    }, amount === undefined ? 'list' : number(amount), icon('link'));
  }

  function render({ flashes = false } = {}) {
    const shownColumns = columns();
    data.setLabel(`${visibleString(table().name)}, ${counted(records.length, 'record')}`);
    data.setColumns(headings(shownColumns));
    data.table.classList.toggle('is-store', isStore());
    const link = { ...where };
    data.setRows(records.map(record => ({
      key: record.key, signature: JSON.stringify(record, (name, value) => (typeof value === 'bigint' ? `${value}n` : value)),
      href: href({ ...link, view: 'table', table: table().name, key: record.key }), isSelected: record.key === where.key,
      cells: () => shownColumns.map(column => cell(column, record)),
    })), { flashes });
    data.highlight(where.text ?? '');
    renderState();
    if (records.length && !performance.getEntriesByName('rows').length) performance.mark('rows');
  }

  function renderState() {
    const page = Number(where.page) || 1;
    const hasQuery = where.prefix || where.text || where.filter || where.of;
    const all = total ?? (hasQuery ? null : table().count);
    let text;
    if (isSearching) text = records.length ? `${counted(records.length, 'match', 'matches')} so far, searching` : 'Searching';
    else if (!records.length) text = hasQuery ? 'No matches' : 'No records';
    else {
      const known = all === null || all === undefined ? '' : ` of ${number(all)}`;
      text = `${!known && next && page === 1 ? 'First ' : ''}${number(records.length)}${known} ${hasQuery ? 'matches' : 'records'}`;
    }
    show(state, text, stale && (isPaused || where.text) && !isSearching ? h('span', { class: 'muted' }, ' (changed since)') : null);
    const back = cursorBefore(page);
    patch(pager,
      isSearching ? button('Stop searching', () => { loading?.abort(); isSearching = false; renderState(); }, { class: 'small', data: { tool: 'stop' } }) : null,
      page > 1 || where.after ? button('First page', () => change({ after: '', page: '' }), { picture: 'first', isBare: true, data: { tool: 'first' } }) : null,
      button('Previous page', previousPage, { picture: 'left', isBare: true, disabled: back === undefined, data: { tool: 'previous' } }),
      h('span', { class: 'page-number' }, `Page ${number(page)}`),
      button('Next page', nextPage, { picture: 'right', isBare: true, disabled: !next || isSearching, data: { tool: 'next' } }),
      h('span', { class: 'grow' }),
      h('label', { class: 'row tight', data: { tool: 'limit' } }, h('span', { class: 'muted' }, 'Rows'), h('select', {
        class: 'field small', 'aria-label': 'Rows on a page', onchange: event => change({ limit: event.target.value, after: '', page: '' }, { replaces: true }),
      }, LIMITS.map(one => h('option', { selected: one === limit() }, one)))));
    pager.querySelector('select').value = String(limit());
  }

  const limit = () => LIMITS.find(one => String(one) === where.limit) ?? 100;
  const trail = () => {
    const id = JSON.stringify([instanceId, queryOf(where), limit()]);
    if (!trails.has(id)) {
      if (trails.size > 100) trails.delete(trails.keys().next().value);
      trails.set(id, ['']);
    }
    return trails.get(id);
  };
  const cursorBefore = page => (page > 1 ? trail()[page - 2] : undefined);

  function nextPage() {
    if (!next) return;
    const page = Number(where.page) || 1;
    trail()[page] = next;
    change({ after: next, page: page + 1 });
  }

  function previousPage() {
    const page = Number(where.page) || 1;
    const cursor = cursorBefore(page);
    if (cursor !== undefined) change({ after: cursor, page: page > 2 ? page - 1 : '' });
  }

  // Reading

  async function load({ flashes = false, isQuiet = false } = {}) {
    loading?.abort();
    const controller = new AbortController();
    loading = controller;
    stale = false;
    const wanted = limit();
    const found = [];
    let cursor = where.after ?? '';
    element.setAttribute('aria-busy', 'true');
    const started = performance.now();
    lastLoad = Date.now();
    let counts = null;
    try {
      for (;;) {
        const answer = await get(instancePath(instanceId, 'rows'),
          { ...queryOf(where), table: table().name, after: cursor, limit: wanted - found.length }, { signal: controller.signal });
        if (loading !== controller) return;
        found.push(...answer.records);
        // Pages that are slow to read are read less often.
        interval = Math.min(3000, Math.max(250, (performance.now() - started) * 5));
        const isStuck = answer.next === cursor && !answer.records.length;
        cursor = answer.next ?? null;
        // Some tables count only for the first page.
        if (answer.total !== null && answer.total !== undefined) trail().total = answer.total;
        counts = trail().total ?? null;
        const isDone = cursor === null || found.length >= wanted || isStuck;
        // A search goes on until the page is full; what it has found is shown meanwhile.
        if (isDone || !isQuiet || performance.now() - started > 2000) {
          records = found.slice();
          next = cursor;
          total = counts;
          isSearching = !isDone;
          show(problem);
          filter?.setError(null);
          render({ flashes });
        }
        if (isDone) break;
      }
      if (!isQuiet) announce(records.length ? counted(records.length, 'record') : 'No records');
    } catch (error) {
      if (error.name === 'AbortError') return;
      isSearching = false;
      if (filter && error instanceof RequestError && error.status === 400 && (where.filter ?? '')) filter.setError(error.message, error.place);
      else show(problem, notice('error', error.message, ' ', button('Try again', () => load(), { class: 'small' })));
      show(state, records.length ? 'Not read again' : '');
      // Without records, the headings show what a filter can use.
      if (!records.length) data.setColumns(headings());
    } finally {
      if (loading === controller) {
        loading = null;
        element.removeAttribute('aria-busy');
      }
    }
    if (!planBox.hidden && !isQuiet) loadPlan();
  }

  // Live

  let timer = 0;
  function refresh() {
    clearTimeout(timer);
    timer = 0;
    if (loading) {
      timer = setTimeout(refresh, 300);
      return;
    }
    load({ flashes: true, isQuiet: true });
    panel?.refresh();
  }
  /**
   * Whether what is shown may depend on the changed tables. Rows contain keys and numbers of related records, the record beside them shows the
   * related ones, and a filter may follow relationships.
   */
  function dependsOn(tables) {
    if (tables.has('*') || tables.has(table().name) || tables.has(where.ofTable)) return true;
    return /\w\.\w/.test(where.filter ?? '') || table().relationships.some(one => tables.has(one.destination));
  }
  const ends = [
    on('changes', () => {
      const tables = dirty.get(instanceId);
      if (!tables || !dependsOn(tables)) return;
      dirty.delete(instanceId);
      stale = true;
      // A search over many records is not repeated for each change.
      if (isPaused || where.text && isSearching) renderState();
      else if (!timer) timer = setTimeout(refresh, Math.max(20, lastLoad + interval - Date.now()));
    }),
    on('missed', refresh),
  ];
  const clock = setInterval(() => updateExpiries(element), 1000);

  // The record beside the table

  function showRecord() {
    if (!where.key) {
      panel?.element.remove();
      panel?.close();
      panel = null;
      element.classList.remove('with-record');
      return;
    }
    const id = JSON.stringify([where.table, where.key]);
    if (panel?.id === id) return;
    panel?.element.remove();
    panel?.close();
    panel = recordPanel(instanceId, description, table(), where.key, () => {
      const key = where.key;
      change({ key: '' });
      const link = [...element.querySelectorAll('tr')].find(row => row.dataset.key === key)?.querySelector('a.row-link');
      link?.focus();
    });
    panel.id = id;
    element.append(panel.element);
    element.classList.add('with-record');
  }

  buildTools();
  load();
  showRecord();

  return {
    element,
    /** Shows another place of the same table, or another table of the instance. */
    update(to) {
      const before = where;
      where = to;
      const isSameQuery = [...QUERY, 'after', 'limit'].every(name => (before[name] ?? '') === (to[name] ?? ''));
      const isSameTable = before.table === to.table && (before.of ?? '') === (to.of ?? '') && (before.relationship ?? '') === (to.relationship ?? '');
      const isHiddenElsewhere = (before.hide ?? '') !== (to.hide ?? '') && !tools.contains(document.activeElement);
      if (!isSameTable || isHiddenElsewhere) buildTools();
      for (const [name, input] of Object.entries(fields)) if (document.activeElement !== input && input.value !== (to[name] ?? '')) input.value = to[name] ?? '';
      if (filter && document.activeElement !== filter.input && filter.value !== (to.filter ?? '')) filter.value = to.filter ?? '';
      if (!isSameQuery) {
        if (!isSameTable) records = [];
        data.element.scrollTop = 0;
        load();
      } else render();
      showRecord();
    },
    focusSearch() { (filter?.input ?? fields.prefix)?.focus(); },
    dispose() {
      loading?.abort();
      clearInterval(clock);
      clearTimeout(timer);
      data.highlight('');
      panel?.close();
      for (const end of ends) end();
    },
  };
}

function example(table) {
  const numeric = table.columns.find(column => /^(Double|Decimal|Float)/.test(column.type)) ?? table.columns.find(column => /^U?Int/.test(column.type));
  const string = table.columns.find(column => /name|title|label/i.test(column.name) && /^String/.test(column.type));
  return [numeric && `${visibleString(numeric.name)} > 100`, string && `${visibleString(string.name)} == "Ada"`].filter(Boolean).join(' && ');
}

const capitalized = text => visibleString(text.charAt(0).toUpperCase() + text.slice(1));

/** Whether a table contains the entries of a store, with the columns key, type and value. */
export function isEntries(description, table) {
  return description.role !== 'objects' && table.columns.map(column => column.name).join() === 'key,type,value';
}

/** The column that repeats the key of a record, or `null`. */
export function keyColumnOf(description, table) {
  return description.role !== 'objects' && /^(key|name)$/.test(table.columns[0]?.name ?? '') ? table.columns[0] : null;
}

/** A button that opens a small box below it. */
function menu(label, picture, content) {
  const box = h('details', { class: 'menu' }, h('summary', { class: 'button' }, icon(picture), h('span', { class: 'button-label' }, label)), h('div', { class: 'menu-box' }, content));
  box.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !box.open) return;
    event.stopPropagation();
    box.open = false;
    box.querySelector('summary').focus();
  });
  box.addEventListener('focusout', event => { if (event.relatedTarget && !box.contains(event.relatedTarget)) box.open = false; });
  return box;
}

/** The time that is left, which counts down. */
export function expiry(time) {
  if (time === null || time === undefined) return h('span', { class: 'value null' }, 'never');
  const element = h('span', { class: 'expiry-text', data: { expiry: time }, title: new Date(time * 1000).toISOString() });
  updateExpiry(element);
  return element;
}

function updateExpiry(element) {
  const left = Number(element.dataset.expiry) - Date.now() / 1000;
  const text = left > 0 ? `in ${span(left)}` : `expired ${span(-left)} ago`;
  if (element.textContent !== text) element.textContent = text;
  element.classList.toggle('is-soon', left > 0 && left < 60);
}

export function updateExpiries(root) {
  for (const element of root.querySelectorAll('[data-expiry]')) updateExpiry(element);
}

/** The statement, steps and advice of a plan. */
function planView(plan) {
  return h('div', { class: 'plan-grid' },
    h('div', null, h('h2', null, 'Statement'), h('pre', { class: 'block sql', tabindex: 0, role: 'region', 'aria-label': 'Statement' }, visible(plan.statement, { limit: 20_000, keepsLines: true }))),
    h('div', null, h('h2', null, 'Steps'), h('ol', { class: 'steps' }, plan.steps.map(step => h('li', { class: /^\s*SCAN/.test(step) ? 'is-scan' : '' }, visible(step))))),
    plan.advice.length ? h('div', null, h('h2', null, 'Advice'), plan.advice.map(one => notice('warning', visible(one)))) : h('p', { class: 'good' }, 'No index is missing.'));
}
