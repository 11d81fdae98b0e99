// One record: its values in full, its relationships to walk, and the records that refer to it.
import { download, get, instancePath } from './client.js';
import { busy, button, copy, h, icon, notice, patch, show } from './elements.js';
import { hasMasked } from './exact.js';
import { href } from './place.js';
import { expiry, isEntries, keyColumnOf } from './rows.js';
import { bytes, number, visible, visibleString } from './text.js';
import { compact, isBrief, isNumeric, line, typeName, whole } from './values.js';

const RELATED_SHOWN = 20;
const STEPS_SHOWN = 4;

/** The records through which a walk along relationships led; the next panel takes them. */
let walked = [];

/** Creates the panel of a record. `onclose` is called by its button and Escape. */
export function recordPanel(instanceId, description, table, key, onclose) {
  const steps = walked;
  walked = [];
  const controller = new AbortController();
  const revealed = new Set(); // names of columns
  const isStore = isEntries(description, table);
  const heading = h('h2', { tabindex: -1, class: 'record-title' }, isStore ? null : h('span', { class: 'muted' }, visible(table.name), ' '), visible(key, { limit: 500 }));
  const body = h('div', { class: 'record-body' }, h('p', { class: 'muted' }, 'Reading'));
  const element = h('section', { class: 'record', 'aria-label': 'Record' },
    h('header', { class: 'record-head' },
      h('div', { class: 'row tight' }, button('Close record', onclose, { picture: 'close', isBare: true, class: 'close' }), h('span', { class: 'grow' }),
        button('Copy key', () => copy(key, 'Key copied'), { picture: 'copy', class: 'small' }),
        button('Copy link', () => copy(location.href, 'Link copied, without the token'), { picture: 'link', class: 'small' })),
      steps.length ? h('nav', { class: 'walk', 'aria-label': 'Way to this record' }, h('ol', null, steps.map((step, index) => (index < steps.length - STEPS_SHOWN ? null
        : h('li', null, h('a', { href: href({ view: 'table', instance: instanceId, ...step }), onclick: () => { walked = steps.slice(0, index); } },
          visible(step.table), ' ', visible(step.key, { limit: 30 }))))))) : null,
      heading),
    body);
  body.addEventListener('click', event => {
    if (event.target.closest('a.relation-link, .related-list a')) walked = [...steps, { table: table.name, key }];
  });
  element.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !event.defaultPrevented) onclose();
  });
  let signature = '';
  let lists = []; // functions that read the lists of related records again

  const read = () => get(instancePath(instanceId, 'record'), { table: table.name, key, reveal: [...revealed].join(',') }, { signal: controller.signal });
  const signed = record => JSON.stringify(record, (name, value) => (typeof value === 'bigint' ? `${value}n` : value));

  async function load({ isQuiet = false } = {}) {
    let record;
    try {
      record = await read();
    } catch (error) {
      if (error.name === 'AbortError') return;
      signature = '';
      show(body, error.status === 404
        ? notice('information', 'This record does not exist, or does not exist any more.')
        : notice('error', error.message, ' ', button('Try again', () => load(), { class: 'small' })));
      return;
    }
    const next = signed(record);
    if (next === signature) {
      // The record is the same, but the related ones may have changed.
      for (const list of lists) list();
      return;
    }
    const wasShown = signature !== '';
    signature = next;
    // A new value replaces the whole content, unless the focus is in it.
    if (wasShown && isQuiet && body.contains(document.activeElement)) {
      if (!body.querySelector('.record-changed')) {
        body.prepend(h('div', { class: 'notice information record-changed' }, 'This record has changed. ', button('Show the new values', () => {
          fill(record);
          heading.focus();
        }, { class: 'small' })));
      }
      return;
    }
    fill(record);
    if (wasShown) body.classList.add('is-changed');
    setTimeout(() => body.classList.remove('is-changed'), 1500);
  }

  function fill(record) {
    lists = [];
    show(body,
      record.problem ? notice('warning', visible(record.problem, { limit: 2000 })) : null,
      record.expiry === null || record.expiry === undefined ? null : h('p', { class: 'record-expiry' }, icon('clock'), ' Expires ', expiry(record.expiry),
        h('span', { class: 'muted' }, ` (${new Date(record.expiry * 1000).toISOString().replace('.000', '')})`)),
      table.columns.map((column, index) => (column === keyColumnOf(description, table) || isStore && column.name === 'type' ? null : valueSection(column, record.values[index]))),
      table.relationships.length ? h('h3', { class: 'record-part' }, 'Relationships') : null,
      table.relationships.map(relation => relationSection(relation, record)));
  }

  function valueSection(column, value) {
    const isMasked = hasMasked(value);
    if (!isStore && isBrief(value)) {
      return h('div', { class: 'record-line', data: { column: column.name } },
        h('div', { class: 'record-line-name' }, visible(column.name), h('span', { class: 'type-name' }, visible(column.type || typeName(value)))), h('div', null, line(value)));
    }
    const section = h('section', { class: 'record-value' });
    const tools = h('span', { class: 'record-tools' });
    const options = {
      tools,
      ondownload: value && value.type !== 'null' && !isMasked && (value.isCut || value.type === 'data' || value.type === 'string' || value.type === 'array' || value.type === 'dictionary')
        ? event => save(column, event.currentTarget) : undefined,
      onreveal: isMasked ? () => reveal(column, section) : undefined,
    };
    section.dataset.column = column.name;
    const isHidable = revealed.has(column.name) && !isMasked;
    section.append(h('div', { class: 'record-name' },
      h('h3', null, visible(column.name)), h('span', { class: 'type-name' }, isStore ? typeName(value) : visible(column.type || typeName(value))),
      value && value.size !== undefined && !isMasked ? h('span', { class: 'muted' }, bytes(value.size)) : null,
      isHidable ? button('Hide', () => {
        revealed.delete(column.name);
        signature = '';
        load();
        heading.focus();
      }, { class: 'small hide-value' }) : null, tools),
    whole(value, options));
    return section;
  }

  /** Shows the masked values of one column, and no others. */
  async function reveal(column, section) {
    revealed.add(column.name);
    try {
      const record = await read();
      signature = signed(record);
      fill(record);
      body.querySelector(`[data-column="${CSS.escape(column.name)}"] .hide-value`)?.focus();
    } catch (error) {
      revealed.delete(column.name);
      if (error.name !== 'AbortError') section.append(notice('error', error.message));
    }
  }

  const save = (column, source) => busy(source, async () => {
    const name = visibleString(key, 60).split('/').pop().replace(/[^\p{L}\p{N}._-]/gu, '_') || 'value';
    try {
      await download(instancePath(instanceId, 'value'), { table: table.name, key, column: column.name, reveal: revealed.has(column.name) ? column.name : '' }, isStore ? name : `${name}.${column.name}`, { signal: controller.signal });
    } catch (error) {
      if (error.name !== 'AbortError') body.prepend(notice('error', error.message));
    }
  });

  function relationSection(relation, record) {
    const target = description.tables.find(one => one.name === relation.destination);
    const detail = h('span', { class: 'type-name' }, visible(relation.destination), relation.isToMany ? ' *' : '',
      relation.isOrdered ? ', ordered' : '', relation.deletionRule ? [', ', visible(relation.deletionRule)] : null);
    const title = h('div', { class: 'record-name' }, h('h4', null, visible(relation.name)), detail);
    if (!relation.isToMany) {
      const other = record.related?.[relation.name];
      return h('section', { class: 'record-relation' }, title,
        other === undefined || other === null ? h('span', { class: 'value null' }, 'none')
          : h('a', { class: 'relation-link large', href: href({ view: 'table', instance: instanceId, table: relation.destination, key: other }) },
            visible(relation.destination), ' ', visible(other, { limit: 100 }), icon('link')));
    }
    const list = h('div', { class: 'related' });
    const amount = record.counts?.[relation.name];
    const all = href({ view: 'table', instance: instanceId, table: relation.destination, of: key, ofTable: table.name, relationship: relation.name });
    const box = h('details', { class: 'related-box' },
      h('summary', null, amount === undefined ? 'Related records' : `${number(amount)} ${amount === 1 ? 'record' : 'records'}`), list);
    let shown = '';
    async function loadList() {
      if (!box.open) return;
      try {
        const answer = await get(instancePath(instanceId, 'rows'),
          { table: relation.destination, of: key, ofTable: table.name, relationship: relation.name, limit: RELATED_SHOWN }, { signal: controller.signal });
        if (signed(answer) === shown) return;
        shown = signed(answer);
        patch(list,
          answer.records.length ? h('ul', { class: 'related-list' }, answer.records.map(one => h('li', null,
            h('a', { href: href({ view: 'table', instance: instanceId, table: relation.destination, key: one.key }) }, visible(one.key, { limit: 80 })),
            summary(target, one)))) : h('p', { class: 'muted' }, 'none'),
          h('a', { class: 'more-link', href: all }, answer.next ? 'Show all in the table' : 'Show in the table'));
      } catch (error) {
        if (error.name === 'AbortError') return;
        shown = '';
        show(list, notice('error', error.message));
      }
    }
    lists.push(loadList);
    box.addEventListener('toggle', loadList);
    if (amount !== 0 && (amount === undefined || amount <= 8)) box.open = true;
    return h('section', { class: 'record-relation' }, title, box);
  }

  /** The first values of a related record, so that it can be recognized. */
  function summary(target, record) {
    const shown = (target?.columns ?? []).map((column, index) => [column, record.values[index]]).filter(([, value]) => value && value.type !== 'null' && value.type !== 'data').slice(0, 3);
    // A number or Boolean says little without its name.
    return shown.map(([column, value]) => h('span', { class: 'related-value' },
      isNumeric(value) || value.type === 'bool' ? h('span', { class: 'muted' }, visible(column.name, { limit: 30 }), ' ') : null, compact(value, { limit: 40 })));
  }

  load().then(() => { if (!document.activeElement?.matches('input, select')) heading.focus({ preventScroll: matchMedia('(min-width: 1100px)').matches }); });
  return { element, refresh: () => load({ isQuiet: true }), close: () => controller.abort() };
}
