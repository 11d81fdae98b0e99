// Elements built without markup: text never becomes HTML, because nothing here parses it.

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element. Attributes named `on...` are listeners; `undefined`, `null` and `false` leave an attribute out. */
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an element of an SVG picture. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name === 'style') throw new TypeError('Styles belong in inspector.css.');
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/** Appends nodes and strings; skips `null`, `undefined` and `false`. */
export function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
}

/** Replaces the content of an element. */
export function show(parent, ...children) {
  parent.replaceChildren();
  return append(parent, children);
}

/**
 * Shows other content, but keeps the elements that are there: a click is lost if its element is replaced between the press and the release.
 * Listeners stay as well, so elements with listeners need the same `data-tool` to be kept.
 */
export function patch(parent, ...children) {
  patchTo(parent, append(document.createDocumentFragment(), children));
}

/** Gives an element the attributes and content of another one. */
export function patchTo(element, wanted) {
  const known = [...element.childNodes];
  const next = [...wanted.childNodes];
  next.forEach((node, index) => {
    const old = known[index];
    if (!old) element.append(node);
    else if (old.nodeName !== node.nodeName || old.dataset?.tool !== node.dataset?.tool || node.nodeName === 'IMG') old.replaceWith(node);
    else if (node.nodeType === Node.TEXT_NODE) {
      if (old.data !== node.data) old.data = node.data;
    } else patchTo(old, node);
  });
  for (const old of known.slice(next.length)) old.remove();
  if (!(wanted instanceof Element)) return;
  for (const { name } of [...element.attributes]) if (!wanted.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

const PATHS = {
  store: 'M2 4c0-1.1 2.7-2 6-2s6 .9 6 2v8c0 1.1-2.7 2-6 2s-6-.9-6-2zM2 4c0 1.1 2.7 2 6 2s6-.9 6-2M2 8c0 1.1 2.7 2 6 2s6-.9 6-2',
  objects: 'M2 2h5v4H2zM9 10h5v4H9zM4.5 6v6H9M9 4h3v6',
  dataSource: 'M3 8a5 5 0 0 1 9-3M13 8a5 5 0 0 1-9 3M12 2v3H9M4 14v-3h3',
  outbox: 'M2 9v4h12V9M8 10V2M5 5l3-3 3 3',
  replication: 'M5 3 2 6l3 3M2 6h9M11 7l3 3-3 3M14 10H5',
  typedKeys: 'M5.5 7a2.5 2.5 0 1 0 0 .1M8 7h6v3M11 7v2',
  overview: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  changes: 'M1 8h3l2-5 4 10 2-5h3',
  issues: 'M8 2 15 14H1zM8 6v4M8 12v.5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M3 3l10 10M13 3 3 13',
  copy: 'M5 5h8v9H5zM3 11V2h8',
  download: 'M8 2v8M4 7l4 4 4-4M2 14h12',
  search: 'M7 2.5a4.5 4.5 0 1 0 .1 0M10.5 10.5 14 14',
  eye: 'M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8zM8 6a2 2 0 1 0 .1 0',
  pause: 'M5 3v10M11 3v10',
  play: 'M4 2.5v11L13 8z',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  plan: 'M3 3h4v3H3zM9 10h4v3H9zM5 6v5.5h4',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  left: 'M10 3 5 8l5 5',
  right: 'M6 3l5 5-5 5',
  first: 'M12 3 7 8l5 5M4 3v10',
  link: 'M4 8h8M9 5l3 3-3 3',
  clock: 'M8 2a6 6 0 1 0 .1 0M8 5v3.5l2.5 1.5',
  scheme: 'M8 2a6 6 0 1 0 .1 0M8 2v12M8 4.5h4.5M8 7h6M8 9.5h5.6M8 12h4',
  bolt: 'M9 1 3 9h4l-1 6 6-8H8z',
};

/** Creates a small picture that assistive technologies skip. */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: PATHS[name] ?? PATHS.store }));
}

/** Creates a button with an icon and a label, or only an icon if `isBare`. */
export function button(label, onclick, { picture, isBare = false, class: name = '', ...rest } = {}) {
  return h('button', {
    type: 'button', class: `button ${isBare ? 'bare ' : ''}${name}`.trim(), onclick,
    'aria-label': isBare ? label : undefined, title: isBare ? label : undefined, ...rest,
  }, picture && icon(picture), isBare ? null : h('span', { class: 'button-label' }, label));
}

/** Does work for a button, which ignores clicks meanwhile. It stays focusable: a disabled element loses the focus. */
export async function busy(source, work) {
  if (source.getAttribute('aria-disabled') === 'true') return;
  source.setAttribute('aria-disabled', 'true');
  try { await work(); } finally { source.removeAttribute('aria-disabled'); }
}

/** Tells users of screen readers something short. */
export function announce(text) {
  const status = document.getElementById('status');
  status.textContent = status.textContent === text ? `${text}\u00a0` : text;
}

/** Copies a string as it is, and says so. */
export async function copy(text, what = 'Copied') {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission for the clipboard, or on a host other than localhost without TLS.
    const area = h('textarea', { class: 'hidden' });
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  toast(what);
}

/** Shows a short message for a few seconds, and announces it. */
export function toast(text) {
  document.querySelector('.toast')?.remove();
  const element = h('div', { class: 'toast' }, text);
  document.body.append(element);
  announce(text);
  setTimeout(() => element.remove(), 2500);
}

/** A message in a box: `kind` is "information", "warning" or "error". */
export function notice(kind, ...children) {
  return h('div', { class: `notice ${kind}`, role: kind === 'error' ? 'alert' : undefined }, ...children);
}

/** Asks with a modal dialog, and returns whether the user agreed. */
export function confirmed(title, text, verb) {
  return new Promise(resolve => {
    const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'question' },
      h('h2', { id: 'question' }, title), h('p', null, text),
      h('div', { class: 'row end' },
        button('Cancel', () => dialog.close('no'), { autofocus: true }),
        button(verb, () => dialog.close('yes'), { class: 'primary' })));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Calls a function after the calls have stopped for some time. */
export function debounced(milliseconds, call) {
  let timer = 0;
  const debouncedCall = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
  debouncedCall.cancel = () => clearTimeout(timer);
  return debouncedCall;
}
