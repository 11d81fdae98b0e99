// A table of records: sorting by its headings, moving among rows with the arrow keys, and rows that are updated in place.
import { h, icon, patchTo } from './elements.js';

/** Creates a grid. `label` names it; `onsort(column, isAdding)` and `onpage(direction)` are called for headings and page keys. */
export function grid({ label, onsort, onpage }) {
  const caption = h('caption', { class: 'hidden' }, label);
  const head = h('thead');
  const body = h('tbody');
  const table = h('table', { class: 'grid' }, caption, head, body);
  const element = h('div', { class: 'grid-scroll', role: 'region', 'aria-label': label, tabindex: 0 }, table);
  const known = new Map();
  let columns = [];

  const links = () => [...body.querySelectorAll('a.row-link')];

  body.addEventListener('keydown', event => {
    const at = links().indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = links().length - 1;
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      focusRow(Math.max(0, Math.min(last, target)));
    } else if (event.key === 'PageDown' || event.key === 'PageUp') {
      event.preventDefault();
      onpage?.(event.key === 'PageDown' ? 1 : -1);
    }
  });
  body.addEventListener('focusin', event => {
    if (!event.target.matches('a.row-link')) return;
    for (const link of links()) link.tabIndex = link === event.target ? 0 : -1;
  });
  body.addEventListener('click', event => {
    if (event.target.closest('a, button, summary, input') || !getSelection().isCollapsed) return;
    event.target.closest('tr')?.querySelector('a.row-link')?.click();
  });

  function focusRow(index) {
    const link = links()[index];
    if (!link) return false;
    link.focus();
    link.scrollIntoView({ block: 'nearest' });
    return true;
  }

  /** Shows the headings. A column is `{ id, label, detail, isSortable, direction, class }`. */
  function setColumns(next) {
    if (JSON.stringify(next) === JSON.stringify(columns)) return;
    const focused = document.activeElement?.closest?.('th')?.dataset.column;
    columns = next;
    known.clear();
    body.replaceChildren();
    head.replaceChildren(h('tr', null, columns.map(column => {
      const name = [h('span', { class: 'head-name' }, column.label), column.detail && h('span', { class: 'head-type' }, column.detail)];
      return h('th', {
        scope: 'col', class: column.class, data: { column: column.id },
        'aria-sort': column.direction ? (column.direction > 0 ? 'ascending' : 'descending') : undefined,
      }, column.isSortable
        ? h('button', { type: 'button', class: 'head-button', onclick: event => onsort?.(column.id, event.shiftKey), title: 'Sort. With Shift, sort by this column too.' },
          name, column.direction ? icon(column.direction > 0 ? 'up' : 'down') : null, column.rank ? h('sup', null, column.rank) : null)
        : h('span', { class: 'head-button' }, name));
    })));
    if (focused) head.querySelector(`th[data-column="${CSS.escape(focused)}"] button`)?.focus();
  }

  function rowElement(row) {
    return h('tr', { data: { key: row.key } }, row.cells().map((node, index) => (index === 0
      ? h('th', { scope: 'row', class: columns[index]?.class }, h('a', { class: 'row-link', href: row.href, tabindex: -1 }, node))
      : h('td', { class: columns[index]?.class }, node))));
  }

  /** Shows rows: `{ key, signature, href, label, cells, isSelected }`, `cells()` creates a node for each column. Reuses rows that are the same. */
  function setRows(rows, { flashes = false } = {}) {
    const hadFocus = body.contains(document.activeElement) ? document.activeElement.closest('tr')?.dataset.key : undefined;
    const seen = new Set();
    const next = [];
    for (const row of rows) {
      seen.add(row.key);
      let entry = known.get(row.key);
      if (!entry || entry.signature !== row.signature) {
        const element = rowElement(row);
        if (entry) {
          // The animation begins anew with another name.
          const isAgain = !entry.element.classList.contains('is-again');
          const { tabIndex } = entry.element.querySelector('a.row-link');
          patchTo(entry.element, element);
          entry.element.querySelector('a.row-link').tabIndex = tabIndex;
          if (flashes) entry.element.classList.add('is-changed');
          if (flashes && isAgain) entry.element.classList.add('is-again');
          entry.signature = row.signature;
        } else {
          if (flashes) element.classList.add('is-new');
          entry = { element, signature: row.signature };
          known.set(row.key, entry);
        }
      } else if (!flashes) entry.element.classList.remove('is-new', 'is-changed', 'is-again');
      entry.element.classList.toggle('is-selected', Boolean(row.isSelected));
      const link = entry.element.querySelector('a.row-link');
      link.setAttribute('href', row.href);
      if (row.isSelected) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      next.push(entry.element);
    }
    for (const key of [...known.keys()]) if (!seen.has(key)) known.delete(key);
    if (next.length !== body.children.length || next.some((one, index) => body.children[index] !== one)) body.replaceChildren(...next);
    const all = links();
    if (all.length && !all.some(link => link.tabIndex === 0)) all[0].tabIndex = 0;
    if (hadFocus !== undefined && !body.contains(document.activeElement)) {
      (all.find(link => link.closest('tr').dataset.key === hadFocus) ?? all[0])?.focus({ preventScroll: true });
    }
  }

  /** Marks where the rows contain a text. Marks are ranges, so the rows stay as they are. */
  function highlight(text) {
    if (!globalThis.Highlight) return;
    const ranges = [];
    const wanted = text.toLowerCase();
    const walker = wanted ? document.createTreeWalker(body, NodeFilter.SHOW_TEXT) : null;
    for (let node = walker?.nextNode(); node && ranges.length < 1000; node = walker.nextNode()) {
      const content = node.data.toLowerCase();
      // Lower case may have another length, and ranges would be wrong then.
      if (content.length !== node.data.length) continue;
      for (let at = content.indexOf(wanted); at >= 0 && ranges.length < 1000; at = content.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set('search', new Highlight(...ranges));
  }

  return { element, table, setColumns, setRows, focusRow, highlight, setLabel(text) { caption.textContent = text; element.setAttribute('aria-label', text); } };
}

/** A plain table for short lists. `rows` are arrays of nodes or strings. */
export function plainTable(label, headings, rows, { classes = [] } = {}) {
  return h('div', { class: 'grid-scroll short', role: 'region', 'aria-label': label, tabindex: 0 },
    h('table', { class: 'grid plain' }, h('caption', { class: 'hidden' }, label),
      h('thead', null, h('tr', null, headings.map((one, index) => h('th', { scope: 'col', class: classes[index] }, one)))),
      h('tbody', null, rows.map(row => h('tr', null, row.map((cell, index) => h('td', { class: classes[index] }, cell)))))));
}
