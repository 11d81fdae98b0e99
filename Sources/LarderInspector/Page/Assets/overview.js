// All instances with health and issues.
import { h, icon, notice, show } from './elements.js';
import { href } from './place.js';
import { details, on, OBSERVED, session } from './session.js';
import { sparkline } from './charts.js';
import { counted, factText, number, pathParts, visible, visibleString } from './text.js';
import { item } from './issues.js';

export const ROLES = [
  ['store', 'Stores'], ['objects', 'Objects'], ['typedKeys', 'Typed keys'], ['dataSource', 'Data sources'], ['outbox', 'Outboxes'], ['replication', 'Replication'],
];

/** Instances by role, in a fixed order; other roles come last. */
export function byRole() {
  const known = new Set(ROLES.map(([role]) => role));
  return [...ROLES, ['', 'Others']]
    .map(([role, title]) => [role, title, session.instances.filter(one => (role ? one.role === role : !known.has(one.role)))])
    .filter(([, , list]) => list.length);
}

export const pathOf = one => pathParts(one.name);

/** The facts that a card shows. */
const BRIEF = /^(entries|entities|keys|file bytes|dead bytes|open in processes|processes|replicating|last contact|pending|rejected|attempts|model version|size)/;

/** Creates the overview. */
export function overviewView() {
  const notes = h('div', { class: 'stack' });
  const groups = h('div', { class: 'groups' });
  const latest = h('section');
  const element = h('div', { class: 'page' }, notes, groups, latest);
  const cards = new Map();
  const controller = new AbortController();

  function card(one) {
    const [folder, name] = pathOf(one);
    const facts = h('dl', { class: 'card-facts' }, h('div', null, h('dt', null, 'Content'), h('dd', { class: 'muted' }, 'Reading')));
    const health = h('span');
    const warning = h('div');
    const activity = h('div', { class: 'card-activity' });
    const element = h('article', { class: 'card store-card', data: { instance: one.id } },
      h('div', { class: 'card-head' }, icon(one.role), h('h3', null, h('a', { class: 'card-link', href: href({ view: 'summary', instance: one.id }) }, visible(name))), health),
      h('p', { class: 'card-kind' }, visible(one.kind), folder ? [h('span', { class: 'muted path' }, visible(folder))] : null),
      facts, warning, activity);
    return { element, facts, health, warning, activity };
  }

  function build() {
    cards.clear();
    show(groups, session.instances.length ? byRole().map(([role, title, list]) => h('section', { class: `group of-${Math.min(list.length, 3)}` },
      h('h2', null, title, ' ', h('span', { class: 'count' }, String(list.length))),
      h('div', { class: 'cards' }, list.map(one => {
        const made = card(one);
        cards.set(one.id, made);
        return made.element;
      })))) : h('div', { class: 'empty-state' }, h('p', null, 'Nothing is inspected.'), h('p', { class: 'muted' }, 'Name files or a folder: larder inspect FILE...')));
    update();
    readFacts(session.instances.slice(0, 200));
  }

  // Cards follow changes, but not more often than every two seconds, and less often where reading takes long.
  const seen = new Map();
  let timer = 0;
  function refreshSoon(after = 2000) {
    timer ||= setTimeout(async () => {
      const stale = session.instances.filter(one => cards.has(one.id) && seen.get(one.id) !== session.revisions.get(one.id));
      const started = performance.now();
      await readFacts(stale, { isFresh: true });
      timer = 0;
      if (!controller.signal.aborted && hasStale()) refreshSoon(Math.min(30_000, Math.max(2000, (performance.now() - started) * 5)));
    }, after);
  }
  const hasStale = () => session.instances.some(one => cards.has(one.id) && seen.get(one.id) !== session.revisions.get(one.id));

  /** Reads the descriptions, four at a time: what is seen first comes first. */
  async function readFacts(instances, { isFresh = false } = {}) {
    const waiting = instances.slice();
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const made = cards.get(one.id);
        if (!made) continue;
        // A description in memory may be older than the last changes.
        const revision = session.revisions.get(one.id);
        const isRead = isFresh || !session.details.has(one.id);
        if (isRead) seen.set(one.id, revision);
        try {
          const description = await details(one.id, { isFresh, signal: controller.signal });
          const facts = description.facts.filter(fact => BRIEF.test(fact.name) && fact.value.length <= 40).slice(0, 4);
          const records = description.tables.map(table => table.count).filter(Number.isFinite).reduce((sum, count) => sum + count, 0);
          const rows = [...(description.tables.length > 1 ? [['Tables', number(description.tables.length)], ['Records', number(records)]]
            : facts.some(fact => /^entries/.test(fact.name)) || !description.tables.length ? [] : [['Records', number(records)]]),
          ...facts.map(fact => [visible(fact.name), visible(factText(fact), { limit: 60 })])];
          show(made.facts, (rows.length ? rows : description.facts.slice(0, 4).map(fact => [visible(fact.name), visible(factText(fact), { limit: 60 })]))
            .slice(0, 4).map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
          description.problem ? h('div', null, h('dt', null, 'Problem'), h('dd', null, visible(description.problem, { limit: 200 }))) : null);
          const health = description.facts.find(fact => fact.name === 'health')?.value;
          show(made.warning, health && health !== 'good' ? notice('warning', visible(health, { limit: 200 })) : null);
          made.problem = description.problem ?? (health && health !== 'good' ? health : null);
          updateCard(one, made);
        } catch (error) {
          if (error.name === 'AbortError') return;
          show(made.facts, h('div', null, h('dt', null, 'Problem'), h('dd', null, visible(error.message))));
          made.problem = error.message;
          updateCard(one, made);
        }
      }
    };
    await Promise.all([work(), work(), work(), work()]);
  }

  function updateCard(one, made) {
    const text = made.problem ? 'needs attention' : one.issues ? counted(one.issues, 'issue') : 'no issues';
    if (made.healthText !== text) {
      made.healthText = text;
      show(made.health, h('span', { class: `badge ${made.problem || one.issues ? 'warning' : 'good'}` }, text));
    }
    const observed = session.statistics.get(one.id)?.get(OBSERVED[0]);
    const points = observed?.points() ?? [];
    const rate = points.at(-1)?.[1] ?? 0;
    show(made.activity, session.isLive ? [sparkline(points), h('span', { class: 'muted' }, `${counted(Math.round(rate), 'change')}/s`)] : null);
  }

  let known = '';
  function update() {
    // An inspector that was started again may show others.
    const ids = JSON.stringify(session.instances.map(one => [one.id, one.name, one.kind]));
    if (ids !== known) {
      known = ids;
      build();
      return;
    }
    for (const one of session.instances) if (cards.has(one.id)) updateCard(one, cards.get(one.id));
  }

  function updateNotes() {
    show(notes, session.notes.length ? notice('information', session.notes.map(note => h('p', null, visible(note, { limit: 1000 })))) : null);
    show(latest, session.issues.length ? [h('h2', null, 'Latest issues'), h('ol', { class: 'issues' }, session.issues.slice(0, 3).map(item)),
      session.issues.length > 3 ? h('p', null, h('a', { href: href({ view: 'issues' }) }, `All ${number(session.issues.length)} issues`)) : null] : null);
  }

  update();
  updateNotes();
  const ends = [on('instances', () => { update(); updateNotes(); }), on('statistics', update), on('issues', updateNotes),
    on('changes', () => { if (!timer && hasStale()) refreshSoon(); }),
    // After a connection was lost, each may have changed.
    on('missed', () => {
      for (const one of session.instances) seen.set(one.id, NaN);
      refreshSoon();
    })];
  if (hasStale()) refreshSoon();
  return {
    element, title: 'Overview',
    dispose() {
      controller.abort();
      clearTimeout(timer);
      for (const end of ends) end();
    },
  };
}

export const labelOf = one => visibleString(pathOf(one)[1] || one.name, 80);
