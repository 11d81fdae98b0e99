// Issues with time, store, cause and remedy.
import { downloadButtons } from './downloads.js';
import { h, show } from './elements.js';
import { href, place, change } from './place.js';
import { instance, on, session } from './session.js';
import { pathParts, visible, visibleString } from './text.js';

/** Creates the view of all issues, or of those of one instance. */
export function issuesView(instanceId) {
  const list = h('ol', { class: 'issues' });
  const note = h('p', { class: 'state', 'data-state': 'issues' });
  const search = h('input', { id: 'field-issues', class: 'field', type: 'search', 'aria-label': 'Search issues', placeholder: 'Search issues', oninput: () => change({ text: search.value }, { replaces: true }) });
  const COLUMNS = ['date', 'name', 'code', 'message', 'cause', 'remedy'];
  const downloads = downloadButtons('issues', () => ({ columns: COLUMNS, rows: matching().map(issue => COLUMNS.map(name => issue[name])), objects: matching() }));
  const element = h('div', { class: 'page' }, h('div', { class: 'row', role: 'search' }, search, note, h('span', { class: 'grow' }), downloads), list);

  const known = () => session.issues.filter(issue => !instanceId || issue.instance === instanceId);

  function matching() {
    const text = (place().text ?? '').toLowerCase();
    return known().filter(issue => !text || [issue.name, issue.code, issue.message, issue.cause, issue.remedy].some(one => String(one ?? '').toLowerCase().includes(text)));
  }

  function update() {
    if (document.activeElement !== search) search.value = place().text ?? '';
    const all = known();
    const shown = matching();
    downloads.hidden = !shown.length;
    note.textContent = all.length ? `${shown.length} of ${all.length} issues` : '';
    show(list, shown.map(item));
    if (!shown.length) {
      show(list, h('li', { class: 'empty-state' }, h('p', null, all.length ? 'No issue contains this text.' : 'No issues.'),
        all.length || session.isProgram ? null : h('p', { class: 'muted' }, 'Issues are reported in the program that uses a store. Add the inspector to it to see them here.')));
    }
  }

  update();
  const end = on('issues', update);
  return { element, update, dispose: end };
}

/** One issue. */
export function item(issue) {
  const owner = issue.instance === null ? null : instance(issue.instance);
  const [, name] = pathParts(issue.name ?? owner?.name ?? '');
  return h('li', { class: 'issue' },
    h('div', { class: 'issue-head' }, h('code', { class: 'badge warning' }, visible(issue.code)),
      owner ? h('a', { href: href({ view: 'summary', instance: owner.id }) }, visible(name)) : visible(name),
      h('time', { datetime: visibleString(issue.date) }, visible(String(issue.date).replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC')))),
    h('p', { class: 'issue-message' }, visible(issue.message, { limit: 4000 })),
    issue.cause ? h('p', null, h('span', { class: 'label' }, 'Cause '), visible(issue.cause, { limit: 4000 })) : null,
    issue.remedy ? h('p', null, h('span', { class: 'label' }, 'Remedy '), visible(issue.remedy, { limit: 4000 })) : null);
}
