// The page of the inspector: the bar, the list of instances, and the view that the address names.
import { runningNote } from './actions.js';
import { changesView } from './changes.js';
import { token, whenUnauthorized } from './client.js';
import { announce, button, h, icon, notice, patch, show } from './elements.js';
import { instanceView } from './instance.js';
import { issuesView } from './issues.js';
import { byRole, labelOf, overviewView } from './overview.js';
import { href, go, onPlace, place, takeToken } from './place.js';
import { changed, on, reconnect, session, start } from './session.js';
import { number, visible, visibleString } from './text.js';

const bar = document.getElementById('bar');
const side = document.getElementById('side');
const main = document.getElementById('main');
const title = document.title;

// The color scheme

const schemes = [['', 'System'], ['light', 'Light'], ['dark', 'Dark']];
const storedScheme = () => {
  try { return localStorage.getItem('larder-scheme') ?? ''; } catch { return ''; }
};
function setScheme(name) {
  if (name) document.documentElement.dataset.scheme = name;
  else delete document.documentElement.dataset.scheme;
  try { localStorage.setItem('larder-scheme', name); } catch { /* It lasts as long as the page. */ }
}
setScheme(storedScheme());

// The bar

const connection = h('div', { class: 'connection' });
const runs = h('div', { class: 'runs' });
const menuButton = button('Stores and views', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menuButton.setAttribute('aria-expanded', String(isOpen));
  if (isOpen) side.querySelector('a')?.focus();
}, { picture: 'menu', isBare: true, class: 'menu-button', 'aria-expanded': 'false', 'aria-controls': 'side' });

function buildBar() {
  show(bar, menuButton, h('a', { class: 'brand', href: href({ view: 'overview' }) }, h('span', { class: 'brand-mark', 'aria-hidden': 'true' }), h('span', null, visibleString(title))),
    h('span', { class: 'grow' }), runs,
    button('Go to', openPalette, { picture: 'search', class: 'go-to', 'aria-keyshortcuts': 'Control+K', title: 'Control and K' }),
    connection,
    h('label', { class: 'scheme' }, h('span', { class: 'hidden' }, 'Color scheme'), icon('scheme'), h('select', { class: 'field small', onchange: event => setScheme(event.target.value) },
      schemes.map(([name, label]) => h('option', { value: name, selected: name === storedScheme() }, label)))));
}

function renderConnection() {
  const { state, retryAt, message } = session.connection;
  const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
  const words = {
    live: 'Live', connecting: 'Connecting', waiting: seconds ? `Reconnecting in ${seconds} s` : 'Reconnecting', refused: 'Not connected', still: 'One moment',
  }[state];
  const text = session.isOutdated ? 'Other version' : message ? `Too many pages. ${words}` : words;
  if (connection.dataset.text === text) return;
  connection.dataset.text = text;
  connection.dataset.state = state;
  connection.title = message ?? '';
  show(connection, h('span', { class: 'dot' }), h('span', { class: 'connection-text' }, text),
    session.isOutdated ? button('Load again', () => location.reload(), { class: 'small' }) : null,
    state === 'waiting' ? button('Connect now', reconnect, { class: 'small' }) : null);
}
let lastState = '';
on('connection', () => {
  renderConnection();
  const { state } = session.connection;
  if (state === 'waiting' && lastState === 'live') announce(session.connection.message || 'Connection to the inspector lost');
  if (state === 'live' && lastState === 'waiting') announce('Connected again');
  if (state !== 'connecting') lastState = state;
});
setInterval(() => { if (session.connection.state === 'waiting') renderConnection(); }, 1000);
on('runs', () => show(runs, runningNote(run => href({ view: 'actions', instance: run.instance }))));

// The list of instances

const storeSearch = h('input', { class: 'field small', type: 'search', placeholder: 'Find', 'aria-label': 'Find an instance', oninput: renderSide });
const sideTop = h('ul', { class: 'side-list' });
const sideGroups = h('div');

function link(target, picture, label, extra, isCurrent) {
  return h('a', { href: href(target), class: 'side-link', 'aria-current': isCurrent ? 'page' : undefined }, icon(picture), h('span', { class: 'side-label' }, label), extra);
}

function renderSide() {
  const where = place();
  const issueCount = session.issues.length;
  patch(sideTop, [
    [{ view: 'overview' }, 'overview', 'Overview'], [{ view: 'changes' }, 'changes', 'Changes'],
    [{ view: 'issues' }, 'issues', 'Issues', issueCount ? h('span', { class: 'count warning' }, number(issueCount)) : null],
  ].map(([target, picture, label, extra]) => h('li', null, link(target, picture, label, extra, !where.instance && where.view === target.view))));
  const wanted = storeSearch.value.toLowerCase();
  patch(sideGroups, byRole().map(([role, heading, all]) => {
    const list = all.filter(one => !wanted || one.name.toLowerCase().includes(wanted)).slice(0, 300);
    return list.length ? [h('h2', { class: 'side-heading' }, heading), h('ul', { class: 'side-list' }, list.map(one => h('li', null,
      link({ view: 'summary', instance: one.id }, role || 'store', visible(labelOf(one)),
        one.issues ? h('span', { class: 'count warning', title: 'issues' }, number(one.issues)) : null, where.instance === one.id && where.view !== 'table'),
      where.instance === one.id ? tablesOf(one, where) : null)))] : null;
  }));
}

function tablesOf(one, where) {
  const tables = session.details.get(one.id)?.tables ?? [];
  return tables.length ? h('ul', { class: 'side-list nested' }, tables.slice(0, 300).map(table => h('li', null,
    h('a', {
      href: href({ view: 'table', instance: one.id, table: table.name }), class: 'side-link',
      'aria-current': where.view === 'table' && (where.table ?? tables[0].name) === table.name ? 'page' : undefined,
    }, h('span', { class: 'side-label' }, visible(table.name)), table.count === null ? null : h('span', { class: 'count' }, number(table.count)))))) : null;
}

on('instances', renderSide);
on('issues', renderSide);
on('details', renderSide);

// Going somewhere by its name

function openPalette() {
  const places = [
    ['Overview', { view: 'overview' }], ['Changes of all instances', { view: 'changes' }], ['Issues of all instances', { view: 'issues' }],
    ...session.instances.flatMap(one => {
      const description = session.details.get(one.id);
      const views = ['table', 'changes', 'statistics', 'reports', 'actions'];
      if (description?.role === 'objects') views.push('model');
      return [[labelOf(one), { view: 'summary', instance: one.id }],
        ...(description?.tables.length > 1 ? description.tables.map(table => [`${labelOf(one)} \u203a ${visibleString(table.name)}`, { view: 'table', instance: one.id, table: table.name }]) : []),
        ...views.map(view => [`${labelOf(one)} \u203a ${view === 'table' ? 'records' : view}`, { view, instance: one.id }])];
    }),
  ];
  let shown = [];
  let chosen = 0;
  const list = h('ul', { class: 'palette-list', role: 'listbox', id: 'palette-list', 'aria-label': 'Places' });
  const input = h('input', {
    class: 'field', type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-label': 'Go to a store, table or view', placeholder: 'Store, table or view',
    autocomplete: 'off', spellcheck: 'false', oninput: () => {
      chosen = 0;
      update();
    },
  });
  const dialog = h('dialog', { class: 'dialog palette', 'aria-label': 'Go to', onclose: () => dialog.remove(), onclick: event => { if (event.target === dialog) dialog.close(); } }, input, list);
  function update() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = places.filter(([label]) => words.every(word => label.toLowerCase().includes(word))).slice(0, 12);
    chosen = Math.max(0, Math.min(chosen, shown.length - 1));
    show(list, shown.length ? shown.map(([label, target], index) => h('li', {
      role: 'option', id: `palette-${index}`, 'aria-selected': String(index === chosen), onclick: () => follow(target),
    }, label)) : h('li', { class: 'muted', role: 'option', 'aria-selected': 'false' }, 'Nothing has this name.'));
    if (shown.length) input.setAttribute('aria-activedescendant', `palette-${chosen}`);
    else input.removeAttribute('aria-activedescendant');
  }
  function follow(target) {
    dialog.close();
    go(target);
  }
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : -1) + shown.length) % (shown.length || 1);
      update();
    } else if (event.key === 'Enter' && shown[chosen]) {
      event.preventDefault();
      follow(shown[chosen][1]);
    }
  });
  update();
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener('keydown', event => {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    openPalette();
  } else if (event.key === 'Escape' && document.body.classList.contains('menu-open')) {
    closeMenu();
    menuButton.focus();
  }
});

document.addEventListener('pointerdown', event => {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

function closeMenu() {
  document.body.classList.remove('menu-open');
  menuButton.setAttribute('aria-expanded', 'false');
}

// The view

let view = null;
let visit = null;

async function visitPlace(where, isFirst = false) {
  visit?.abort();
  const controller = new AbortController();
  visit = controller;
  closeMenu();
  renderSide();
  const id = where.instance ? `instance ${where.instance}` : where.view;
  const before = view?.where;
  if (view?.id === id && view.update) {
    view.where = where;
    view.update(where);
  } else {
    const next = await make(where, controller.signal);
    if (!next || visit !== controller) {
      next?.dispose();
      return;
    }
    view?.dispose();
    view = Object.assign(next, { id, where });
    show(main, view.element);
    renderSide();
  }
  const label = where.instance ? `${view.title} \u2013 ${where.table ? visibleString(where.table) : where.view}` : view.title;
  document.title = `${label} \u2013 ${title}`;
  const isElsewhere = before?.view !== where.view || before?.instance !== where.instance || before?.table !== where.table;
  if (!isFirst && isElsewhere) {
    scrollTo(0, 0);
    const target = where.key ? null : main.querySelector('h1');
    target?.focus({ preventScroll: true });
  }
}

async function make(where, signal) {
  try {
    if (where.instance) {
      const slow = setTimeout(() => { if (!signal.aborted) main.setAttribute('aria-busy', 'true'); }, 200);
      try { return await instanceView(where, signal); } finally {
        clearTimeout(slow);
        main.removeAttribute('aria-busy');
      }
    }
    switch (where.view) {
      case 'changes': return withHeading('Changes', changesView(null));
      case 'issues': return withHeading('Issues', issuesView(null));
      default: return withHeading('Overview', overviewView());
    }
  } catch (error) {
    if (error.name === 'AbortError') return null;
    return { title: 'Error', element: h('div', { class: 'page' }, notice('error', error.message, ' ', button('Try again', () => {
      view = null;
      visitPlace(place());
    }, { class: 'small' }))), dispose() {} };
  }
}

function withHeading(label, one) {
  return { ...one, title: label, element: h('div', { class: 'whole-view' }, h('header', { class: 'view-head' }, h('h1', { tabindex: -1 }, label)), one.element) };
}

// The token

// A link opened in another tab has no session of its own, so it asks the tabs of the same origin.
const tabs = new BroadcastChannel('larder-inspector');
tabs.addEventListener('message', ({ data }) => {
  if (data === 'token?' && token()) tabs.postMessage({ token: token() });
});
function askTabs() {
  return new Promise(resolve => {
    const answer = ({ data }) => {
      if (!/^[0-9a-f]{32}$/.test(data?.token ?? '')) return;
      sessionStorage.setItem('larder-token', data.token);
      resolve(true);
    };
    tabs.addEventListener('message', answer);
    tabs.postMessage('token?');
    setTimeout(() => {
      tabs.removeEventListener('message', answer);
      resolve(false);
    }, 250);
  });
}

function askForToken(reason) {
  if (document.getElementById('token')) return;
  document.body.classList.add('signed-out');
  const input = h('input', { id: 'token', class: 'field mono', type: 'password', autocomplete: 'off', required: true });
  show(main, h('form', {
    class: 'card sign-in', onsubmit: event => {
      event.preventDefault();
      const given = /(?:token=)?([0-9a-f]{32})/i.exec(input.value.trim())?.[1];
      if (!given) {
        input.setCustomValidity('The token has 32 hexadecimal digits.');
        input.reportValidity();
        input.setCustomValidity('');
        return;
      }
      sessionStorage.setItem('larder-token', given.toLowerCase());
      location.reload();
    },
  }, h('h1', null, 'Token needed'), h('p', null, reason), h('p', { class: 'muted' }, 'Open the address that larder inspect prints, or paste it here. The page keeps the token for this tab only.'),
  h('label', { for: 'token' }, 'Address or token'), input, h('div', { class: 'row' }, h('button', { type: 'submit', class: 'button primary' }, 'Open'))));
}

// Start

document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  (main.querySelector('h1') ?? main).focus();
});

async function begin() {
  takeToken();
  buildBar();
  renderConnection();
  show(side, sideTop, h('div', { class: 'side-search' }, storeSearch), sideGroups, h('p', { class: 'side-foot muted' }, 'Version ', document.querySelector('meta[name="larder-version"]')?.content ?? ''));
  if (!token() && !await askTabs()) {
    askForToken('This address has no token.');
    return;
  }
  whenUnauthorized(() => askForToken('The inspector does not accept this token. It was started again, with another one.'));
  onPlace(where => visitPlace(where));
  // A token in the address of an open page, such as one that was pasted.
  addEventListener('hashchange', () => {
    if (!new URLSearchParams(location.hash.slice(1)).has('token')) return;
    takeToken();
    location.reload();
  });
  try {
    await start(place().instance);
  } catch (error) {
    if (error.status !== 401) show(main, h('div', { class: 'page' }, notice('error', error.message, ' ', button('Try again', () => location.reload(), { class: 'small' }))));
    return;
  }
  storeSearch.parentElement.hidden = session.instances.length < 8;
  changed('instances');
  await visitPlace(place(), true);
  document.documentElement.dataset.ready = 'true';
}

begin();
