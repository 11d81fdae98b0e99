// Requests of the JSON API. The token is a header of each; there are no cookies.

/** An answer with an error: what to do, and for a filter where its mistake is. */
export class RequestError extends Error {
  constructor(status, body) {
    super(body?.message ?? `The inspector answered with status ${status}.`);
    this.status = status;
    this.code = body?.code ?? '';
    this.place = body?.place ?? null;
  }
}

export const token = () => sessionStorage.getItem('larder-token') ?? '';

let onUnauthorized = () => {};
export function whenUnauthorized(call) {
  onUnauthorized = call;
}

/** The address of a route, with parameters that are not empty. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  return `api/${path}${query.size ? `?${query}` : ''}`;
}

/** Sends a request, and returns the response or throws a `RequestError`. */
export async function send(method, target, { signal, accept = 'application/json' } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(target, {
        method, signal, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
        headers: { 'Larder-Token': token(), Accept: accept },
      });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new RequestError(0, { code: 'unreachable', message: 'The inspector does not answer. Start it again, or wait until it does.' });
    }
    if (response.ok) return response;
    const isBusy = response.status === 429 || response.status === 503;
    if (isBusy && method === 'GET' && attempt < 3 && !target.startsWith('api/events')) {
      await new Promise(resolve => setTimeout(resolve, 200 * 3 ** attempt));
      signal?.throwIfAborted();
      continue;
    }
    let body = null;
    try { body = JSON.parse(await response.text()); } catch { /* The status is enough. */ }
    if (response.status === 401) onUnauthorized();
    throw new RequestError(response.status, body);
  }
}

/** Parses JSON; integers that a double cannot represent become `BigInt`. */
export function parseExactly(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name, value, context) => {
    const source = context?.source;
    return typeof value === 'number' && !Number.isSafeInteger(value) && source && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

export async function get(path, parameters, options) {
  return parseExactly(await (await send('GET', address(path, parameters), options)).text());
}

export async function post(path) {
  const text = await (await send('POST', address(path))).text();
  return text ? parseExactly(text) : null;
}

export async function remove(path) {
  await send('DELETE', address(path));
}

/** The path of an instance's routes. */
export const instancePath = (id, rest = '') => `instances/${encodeURIComponent(id)}${rest ? `/${rest}` : ''}`;

/** Downloads what a route answers to a file; `progress` is called with the number of bytes so far. */
export async function download(path, parameters, name, { signal, progress = () => {} } = {}) {
  const response = await send('GET', address(path, parameters), { signal, accept: '*/*' });
  let received = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      progress(received);
      controller.enqueue(chunk);
    },
  });
  const blob = await new Response(response.body.pipeThrough(counter)).blob();
  const proposed = /filename="([^"\\/]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  save(blob, name || proposed || 'larder');
  return received;
}

/** Saves a blob as a file. The type is always plain bytes, so that no browser displays it. */
export function save(blob, name) {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N}._ -]/gu, '_').slice(0, 120);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
