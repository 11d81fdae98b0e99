// One instance: its heading, the links to its views, and its summary.
import { actionsView, actionTitle } from './actions.js';
import { changesView } from './changes.js';
import { get, instancePath } from './client.js';
import { diagramView } from './diagram.js';
import { h, icon, notice, patch, show } from './elements.js';
import { issuesView } from './issues.js';
import { pathOf } from './overview.js';
import { href } from './place.js';
import { reportsView } from './reports.js';
import { rowsView } from './rows.js';
import { details, instance, OBSERVED, on, session } from './session.js';
import { sparkline } from './charts.js';
import { statisticsView } from './statistics.js';
import { bytes, byUnit, factText, number, visible, visibleString } from './text.js';
import { pairs } from './values.js';

/** The views of an instance, as `[view, label, count]`. */
export function viewsOf(one, description) {
  const hasModel = description.role === 'objects' || description.tables.some(table => table.relationships.length);
  const first = description.tables[0];
  return [
    ['summary', 'Summary'],
    first && ['table', hasModel ? 'Objects' : description.tables.length > 1 ? 'Tables' : visibleString(first.name.charAt(0).toUpperCase() + first.name.slice(1), 20), description.tables.length === 1 && first.count !== null ? number(first.count) : ''],
    hasModel && ['model', 'Model'],
    description.isObserved !== false && ['changes', 'Changes'],
    ['statistics', 'Statistics'], ['reports', 'Reports'],
    description.actions.length && ['actions', 'Actions'],
    ['issues', 'Issues', one.issues ? number(one.issues) : ''],
  ].filter(Boolean);
}

/** Creates the page of an instance at a place. */
export async function instanceView(where, signal) {
  const one = instance(where.instance);
  if (!one) return { element: notice('error', 'There is no such instance. It was shown by an inspector that ran before. ', h('a', { href: href({ view: 'overview' }) }, 'Show all instances')), title: 'Not found', dispose() {} };
  const description = await details(one.id, { signal });
  const [folder, name] = pathOf(one);
  const tabs = h('nav', { class: 'tabs', 'aria-label': 'Views of this instance' });
  const health = h('span', { class: 'health' });
  const heading = h('h1', { tabindex: -1 }, visible(name, { limit: 200 }));
  const content = h('div', { class: 'view' });
  const element = h('div', { class: 'instance' },
    h('header', { class: 'instance-head' }, icon(one.role), h('div', { class: 'instance-title' }, heading, h('p', null, h('span', { class: 'chip' }, visible(one.kind)), ' ',
      health, ' ',
      folder ? h('span', { class: 'muted path' }, visible(folder, { limit: 300 })) : null))), tabs, content);
  let view = null;
  let current = where;
  let shownTab = '';

  function show_(to) {
    current = to;
    const table = to.table || description.tables[0]?.name;
    const place = { ...to, table };
    renderTabs();
    const id = `${to.view}`;
    if (view?.id === id && view.update) {
      view.update(place);
      return;
    }
    view?.dispose();
    view = make(place);
    view.id = id;
    show(content, description.problem ? notice('error', visible(description.problem, { limit: 2000 })) : null, view.element);
  }

  function make(place) {
    switch (place.view) {
      case 'table': return description.tables.length ? rowsView(one.id, description, place) : { element: h('p', { class: 'muted' }, 'This instance has no tables.'), dispose() {} };
      case 'model': return diagramView(one.id, description);
      case 'changes': return changesView(one.id);
      case 'statistics': return statisticsView(one.id);
      case 'reports': return reportsView(one.id);
      case 'actions': return actionsView(one.id, description);
      case 'issues': return issuesView(one.id);
      default: return summaryView(one, description);
    }
  }

  function renderTabs() {
    patch(tabs, viewsOf(one, description).map(([id, label, count]) => h('a', {
      href: href({ view: id, instance: one.id }), class: 'tab', data: { view: id }, 'aria-current': id === current.view ? 'page' : undefined,
    }, label, count ? h('span', { class: 'count' }, count) : null)));
    if (shownTab === current.view) return;
    shownTab = current.view;
    tabs.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }

  // Counts and facts follow changes, but not more often than every two seconds, and less often where counting takes long.
  let timer = 0;
  let isOver = false;
  let pause = 2000;
  let lastSeen = session.revisions.get(one.id);
  function refreshSoon() {
    timer ||= setTimeout(async () => {
      lastSeen = session.revisions.get(one.id);
      const started = performance.now();
      try {
        const fresh = await details(one.id, { isFresh: true });
        if (isOver) return;
        Object.assign(description, fresh);
        session.details.set(one.id, description);
        renderTabs();
        renderHealth();
        view?.refreshFacts?.();
      } catch { /* The next change tries again. */ }
      pause = Math.min(30_000, Math.max(2000, (performance.now() - started) * 5));
      timer = 0;
      if (!isOver && session.revisions.get(one.id) !== lastSeen) refreshSoon();
    }, pause);
  }
  const ends = [
    on('changes', () => { if (session.revisions.get(one.id) !== lastSeen) refreshSoon(); }),
    on('missed', refreshSoon), on('instances', renderTabs),
  ];

  function renderHealth() {
    const text = description.facts.find(fact => fact.name === 'health')?.value;
    patch(health, text ? h('span', { class: `badge ${text === 'good' ? 'good' : 'warning'}` }, text === 'good' ? 'health good' : visible(text, { limit: 120 })) : null);
  }

  renderHealth();
  show_(where);
  return {
    element, title: visibleString(name, 60), heading,
    update: show_,
    focusSearch() { view?.focusSearch?.(); },
    dispose() {
      isOver = true;
      clearTimeout(timer);
      view?.dispose();
      for (const end of ends) end();
    },
  };
}

/** Facts, numbers, tables and actions at a glance. */
function summaryView(one, description) {
  const facts = h('div');
  const tiles = h('div', { class: 'tiles' });
  const tables = h('div');
  const element = h('div', { class: 'page summary' }, tiles, h('div', { class: 'columns' },
    h('section', null, h('h2', null, 'Facts'), facts),
    h('section', null, tables,
      description.actions.length ? [h('h2', null, 'Actions'), h('ul', { class: 'action-links' }, description.actions.map(action => h('li', null,
        h('a', { href: href({ view: 'actions', instance: one.id }) }, actionTitle(action.name)), ' ', h('span', { class: 'muted' }, visible(action.explanation)))))] : null)));

  function refreshFacts() {
    patch(facts, description.facts.length ? pairs(description.facts.map(fact => [visible(fact.name), h('span', { title: factText(fact) === fact.value ? undefined : fact.value }, visible(factText(fact), { limit: 2000 }))])) : h('p', { class: 'muted' }, 'none'));
    const most = Math.max(1, ...description.tables.map(table => (table.bytes ?? 0) + indexBytes(table)));
    patch(tables, description.tables.length ? [h('h2', null, description.role === 'objects' ? 'Entities' : 'Tables'), h('div', { class: 'grid-scroll short', role: 'region', 'aria-label': 'Tables', tabindex: 0 },
      h('table', { class: 'grid plain' }, h('thead', null, h('tr', null, ['Name', 'Records', 'Size', 'Indexes'].map((label, index) => h('th', { scope: 'col', class: index === 1 || index === 2 ? 'number' : '' }, label)))),
        h('tbody', null, description.tables.map(table => h('tr', null,
          h('th', { scope: 'row' }, h('a', { href: href({ view: 'table', instance: one.id, table: table.name }) }, visible(table.name))),
          h('td', { class: 'number' }, table.count === null ? 'many' : number(table.count)),
          h('td', { class: 'number' }, table.bytes === null ? '\u2013' : [bytes(table.bytes), h('progress', { max: most, value: table.bytes, 'aria-label': `Size of ${visibleString(table.name)}` })]),
          h('td', null, table.indexes.length ? table.indexes.map(index => h('span', { class: 'chip', title: index.columns.map(name => visibleString(name)).join(', ') }, visible(index.name), index.isUnique ? ' unique' : '', index.bytes === null ? '' : ` ${bytes(index.bytes)}`)) : h('span', { class: 'muted' }, 'none')))))))] : null);
  }

  function refreshTiles() {
    const all = [...(session.statistics.get(one.id)?.values() ?? [])].filter(series => !OBSERVED.includes(series.name)).slice(0, 8);
    const shown = all.length ? all : [...(session.statistics.get(one.id)?.values() ?? [])];
    patch(tiles, shown.map(series => h('a', { class: 'tile', href: href({ view: 'statistics', instance: one.id }) },
      h('span', { class: 'tile-name' }, visible(series.name)),
      h('strong', null, Number.isFinite(series.now) ? byUnit(series.now, series.unit) + (series.kind === 'counter' ? '/s' : '') : '\u2013'),
      sparkline(series.points()))));
    tiles.hidden = !shown.length;
  }

  refreshFacts();
  refreshTiles();
  const end = on('statistics', refreshTiles);
  get(instancePath(one.id), {}).then(fresh => {
    Object.assign(description, fresh);
    refreshFacts();
  }, () => {});
  return { element, refreshFacts, dispose: end };
}

const indexBytes = table => table.indexes.reduce((sum, index) => sum + (index.bytes ?? 0), 0);
