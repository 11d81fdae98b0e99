// What an instance can do: verify, compact, backup. With progress, cancel, and the file that results.
import { download, get, instancePath, post, remove } from './client.js';
import { announce, busy, button, confirmed, h, icon, notice, show } from './elements.js';
import { instance, on, session, setRun } from './session.js';
import { bytes, number, visible, visibleString } from './text.js';
import { pairs } from './values.js';

const TITLES = { verify: 'Verify', compact: 'Compact', backup: 'Back up', export: 'Export' };
export const actionTitle = name => TITLES[name] ?? visibleString(name.charAt(0).toUpperCase() + name.slice(1));

const followed = new Set();

/** Reads the state of a run until it ends, so that progress is seen also where no event stream is. */
async function follow(id) {
  if (followed.has(id)) return;
  followed.add(id);
  let failures = 0;
  for (;;) {
    try {
      const run = await get(`runs/${encodeURIComponent(id)}`);
      failures = 0;
      setRun(run);
      if (run.state !== 'running') {
        announce(`${actionTitle(run.action)}: ${run.state}`);
        return;
      }
    } catch (error) {
      failures += 1;
      if (error.status === 404 || failures > 10) return;
    }
    await new Promise(resolve => setTimeout(resolve, 300));
  }
}

/** Creates the list of actions of an instance, with the runs that were started from this page. */
export function actionsView(instanceId, description) {
  const problem = h('div');
  const runs = h('div', { class: 'stack', 'data-state': 'runs' });
  const cards = h('div', { class: 'cards' }, description.actions.map(action => h('section', { class: 'card action', data: { action: action.name } },
    h('h2', null, actionTitle(action.name), action.isWriting ? h('span', { class: 'badge warning' }, 'rewrites the file') : null),
    h('p', null, visible(action.explanation)),
    h('div', { class: 'row' }, button(actionTitle(action.name), () => startAction(action), { class: action.isWriting ? '' : 'primary', picture: action.fileName ? 'download' : 'bolt' })))));
  const element = h('div', { class: 'page' },
    description.actions.length ? cards : h('p', { class: 'muted' }, 'This instance has no actions.'), problem, h('h2', { class: 'hidden' }, 'Runs'), runs);

  async function startAction(action) {
    show(problem);
    const name = visibleString(instance(instanceId)?.name ?? '');
    if (action.isWriting && !await confirmed(`${actionTitle(action.name)}?`, `${action.explanation} This rewrites ${name} while programs can go on using it.`, actionTitle(action.name))) return;
    try {
      const { run } = await post(instancePath(instanceId, `actions/${encodeURIComponent(action.name)}`));
      setRun({ run, action: action.name, instance: instanceId, completed: 0, total: 0, state: 'running', facts: [], message: null, file: null });
      follow(run);
    } catch (error) {
      show(problem, notice('error', error.message));
    }
  }

  const boxes = new Map();
  function update() {
    const own = [...session.runs.values()].filter(run => run.instance === instanceId).reverse();
    for (const run of own) {
      let box = boxes.get(run.run);
      const signature = JSON.stringify(run);
      if (box?.signature === signature) continue;
      if (box && box.state === 'running' && run.state === 'running') {
        box.progress(run);
        box.signature = signature;
        continue;
      }
      const next = runBox(run);
      if (box) {
        // A button of the box may have the focus, which would be lost with it.
        const hadFocus = box.element.contains(document.activeElement);
        box.element.replaceWith(next.element);
        if (hadFocus) (next.element.querySelector('button') ?? next.element).focus();
      } else runs.prepend(next.element);
      boxes.set(run.run, { ...next, signature, state: run.state });
    }
  }

  function runBox(run) {
    if (run.state === 'running') {
      const amount = h('span', { class: 'muted' });
      const bar = h('progress', { 'aria-label': `${actionTitle(run.action)}, progress` });
      const progress = one => {
        if (one.total > 0) {
          bar.max = one.total;
          bar.value = one.completed;
          amount.textContent = `${number(one.completed)} of ${number(one.total)}`;
        } else bar.removeAttribute('value');
      };
      progress(run);
      return {
        progress,
        element: h('section', { class: 'run is-running', tabindex: -1, data: { run: run.run } }, h('div', { class: 'row' }, h('strong', null, actionTitle(run.action)), bar, amount,
          // Until the run ends, another click has no effect.
          button('Cancel', event => busy(event.currentTarget, () => remove(`runs/${encodeURIComponent(run.run)}`).catch(() => {})), { class: 'small' }))),
      };
    }
    const words = { done: 'Done', failed: 'Failed', cancelled: 'Canceled' };
    const result = h('span', { class: 'muted' });
    return {
      progress() {},
      element: h('section', { class: `run is-${run.state}`, tabindex: -1, data: { run: run.run } },
        h('div', { class: 'row' }, h('strong', null, actionTitle(run.action)), h('span', { class: `badge ${run.state}` }, words[run.state] ?? run.state),
          run.file && run.state === 'done' ? button(`Download ${visibleString(run.file)}`, event => busy(event.currentTarget, async () => {
            try {
              const size = await download(`runs/${encodeURIComponent(run.run)}/file`, {}, run.file, { progress: got => { result.textContent = bytes(got); } });
              result.textContent = `${bytes(size)} downloaded`;
            } catch (error) {
              result.textContent = error.message;
            }
          }), { picture: 'download', class: 'primary' }) : null, result),
        run.message ? notice(run.state === 'failed' ? 'error' : 'information', visible(run.message, { limit: 2000 })) : null,
        run.facts?.length ? pairs(run.facts.map(fact => [visible(fact.name), visible(fact.value, { limit: 2000 })])) : null),
    };
  }

  update();
  const end = on('runs', update);
  return { element, dispose: end };
}

/** Runs under way, for the bar at the top. */
export const running = () => [...session.runs.values()].filter(run => run.state === 'running');

/** A link to the runs under way, or nothing. */
export function runningNote(hrefOf) {
  const all = running();
  return all.length ? h('a', { class: 'running', href: hrefOf(all[0]) }, icon('bolt'), `${actionTitle(all[0].action)} under way`) : null;
}
