// One event stream for all tabs. Browsers open only six connections to a host with HTTP/1.1, so six streams would leave none for requests.
import { token } from './client.js';
import { openStream } from './stream.js';

const SILENCE = 90_000; // Twice that of a stream.

/** Keeps a stream open, as `openStream` does. The tab that holds a lock reads it, and the others receive what it reads. */
export function shareStream({ onEvent, onState }) {
  // Both exist only on hosts that the browser trusts: the loopback address, and names with TLS.
  if (!navigator.locks || !globalThis.BroadcastChannel) return openStream({ onEvent, onState });
  // Tabs with another token look at an inspector that ran before.
  const name = `larder-events-${token().slice(0, 8)}`;
  const channel = new BroadcastChannel(name);
  const self = crypto.randomUUID();
  const known = new Map(); // what the inspector tells at the beginning of a stream, for tabs that are opened later
  let stream = null;
  let latest = null;
  let heard = Date.now();

  channel.addEventListener('message', ({ data: message }) => {
    if (message.to !== undefined && message.to !== self) return;
    if (message.asks) {
      if (stream && latest) for (const one of [...known.values(), { state: latest }]) channel.postMessage({ ...one, to: message.asks });
    } else if (message.retries) stream?.retry();
    else {
      heard = Date.now();
      if (message.event) onEvent(message.event, message.data);
      else if (message.state) onState(message.state);
    }
  });

  function read() {
    return openStream({
      onEvent(event, data) {
        if (event === 'hello') known.clear();
        if (event === 'hello' || event === 'run') known.set(`${event} ${data.run}`, { event, data });
        if (known.size > 50) known.delete([...known.keys()][1]);
        channel.postMessage({ event, data });
        onEvent(event, data);
      },
      onState(state) {
        latest = state;
        channel.postMessage({ state });
        onState(state);
      },
      onSign: () => channel.postMessage({}),
    });
  }

  /** Reads from the moment at which this tab gets the lock, which is when the tab before it is closed. */
  async function lead(options) {
    try {
      await navigator.locks.request(name, options, () => new Promise(() => { stream ??= read(); }));
    } catch (error) {
      if (error.name !== 'AbortError') {
        stream ??= read();
        return;
      }
      // Another tab took the lock, because it heard nothing from this one.
      stream?.close();
      stream = null;
      heard = Date.now();
      lead({});
    }
  }

  const retry = () => (stream ? stream.retry() : channel.postMessage({ retries: true }));
  document.addEventListener('visibilitychange', () => { if (!document.hidden) retry(); });
  setInterval(() => {
    if (stream || Date.now() - heard < SILENCE) return;
    heard = Date.now();
    lead({ steal: true });
  }, 15_000);
  onState({ state: 'connecting' });
  channel.postMessage({ asks: self });
  lead({});
  return { retry };
}
