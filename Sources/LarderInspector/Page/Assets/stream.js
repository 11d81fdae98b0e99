// The event stream, read by `fetch` because `EventSource` cannot send the token's header.
import { parseExactly, send } from './client.js';

const SILENCE = 45_000; // The server sends a comment every 15 s.
const LONGEST = 32 * 1024 * 1024;

/** Keeps a stream open with exponential backoff. `onEvent(name, data)`, `onState({ state, retryAt, message })`; `onSign()` is called for whatever arrives. */
export function openStream({ onEvent, onState, onSign = () => {} }) {
  let isClosed = false;
  let attempt = 0;
  let controller = null;
  let timer = 0;
  let wake = () => {};

  async function read() {
    controller = new AbortController();
    const response = await send('GET', 'api/events', { signal: controller.signal, accept: 'text/event-stream' });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = '';
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), SILENCE);
      const { done, value } = await reader.read();
      if (done) return;
      onSign();
      buffer += value.replaceAll('\r', '');
      let start = 0;
      for (let end; (end = buffer.indexOf('\n\n', start)) >= 0; start = end + 2) deliver(buffer.slice(start, end));
      buffer = buffer.slice(start);
      if (buffer.length > LONGEST) throw new Error('The event is too long.');
    }
  }

  function deliver(block) {
    let name = 'message';
    const data = [];
    for (const line of block.split('\n')) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    if (name === 'hello') {
      attempt = 0;
      onState({ state: 'live' });
    }
    if (!data.length) return;
    let content;
    try { content = parseExactly(data.join('\n')); } catch { return; }
    onEvent(name, content);
  }

  async function run() {
    while (!isClosed) {
      onState({ state: 'connecting' });
      let isRefused = false;
      let message = '';
      try {
        await read();
      } catch (error) {
        isRefused = error.status === 401 || error.status === 404;
        if (error.status === 429) message = error.message;
      }
      clearTimeout(timer);
      if (isClosed) return;
      if (isRefused) {
        onState({ state: 'refused' });
        return;
      }
      const delay = Math.min(15_000, 400 * 2 ** attempt) * (0.75 + Math.random() / 2);
      attempt += 1;
      onState({ state: 'waiting', retryAt: Date.now() + delay, message });
      await new Promise(resolve => {
        wake = resolve;
        setTimeout(resolve, delay);
      });
    }
  }

  addEventListener('online', () => wake());
  document.addEventListener('visibilitychange', () => { if (!document.hidden) wake(); });
  run();
  return {
    close() {
      isClosed = true;
      controller?.abort();
      wake();
    },
    retry() { wake(); },
  };
}
