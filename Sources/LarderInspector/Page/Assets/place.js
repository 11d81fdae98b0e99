// Where the page is, kept in the fragment of the address so that links and the back button work.

const listeners = new Set();

/** Reads the place from the address. Every part is a string. */
export function place() {
  const result = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  result.view ||= result.instance ? 'summary' : 'overview';
  delete result.token;
  return result;
}

/** The fragment of a place; empty parts are left out. */
export function href(target) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(target)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  return `#${parameters}`;
}

/** Goes to a place; `replaces` makes the back button skip the current one. */
export function go(target, { replaces = false } = {}) {
  const fragment = href(target);
  if (fragment === location.hash) return;
  if (replaces) history.replaceState(null, '', fragment);
  else history.pushState(null, '', fragment);
  notify();
}

/** Goes to the current place with some parts changed. */
export function change(parts, options) {
  go({ ...place(), ...parts }, options);
}

export function onPlace(listener) {
  listeners.add(listener);
}

function notify() {
  for (const listener of listeners) listener(place());
}

addEventListener('hashchange', notify);

/** Moves a token from the address to the session's storage, so that neither the history nor a copied address contains it. */
export function takeToken() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const token = parameters.get('token');
  if (token === null) return;
  parameters.delete('token');
  sessionStorage.setItem('larder-token', token);
  history.replaceState(null, '', parameters.size ? `#${parameters}` : location.pathname);
}
