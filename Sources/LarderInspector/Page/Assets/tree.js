// Nested values as a tree that is built while it is opened.
import { button, h } from './elements.js';
import { typed } from './formats.js';
import { counted, visible } from './text.js';
import { compact } from './values.js';

const CHUNK = 100;

const children = value => {
  const entries = value.type === 'array' ? value.value.map((one, index) => [index, one]) : Object.entries(value.value);
  return entries.map(([label, one]) => [label, value.isPlain ? typed(one) : one]);
};

const isContainer = value => (value.type === 'array' || value.type === 'dictionary') && value.value !== null && !value.isMasked;
const size = value => (value.type === 'array' ? value.value.length : Object.keys(value.value).length);

/** Creates the tree of a typed value, with its first levels open. */
export function tree(value) {
  const root = h('div', { class: 'tree' });
  const list = h('ul', { class: 'tree-list' });
  fillList(list, value, 0);
  const containers = () => root.querySelectorAll('details');
  root.append(
    h('div', { class: 'row tight' },
      button('Expand all', () => {
        // Opening builds deeper levels, so this repeats, but only up to a size that stays quick.
        for (let round = 0; round < 20 && containers().length < 2000; round += 1) {
          const closed = [...containers()].filter(one => !one.open);
          if (!closed.length) break;
          for (const one of closed) {
            one.open = true;
            one.build();
          }
        }
      }, { class: 'small' }),
      button('Collapse all', () => containers().forEach(one => { one.open = false; }), { class: 'small' })),
    list);
  return root;
}

function fillList(list, value, depth) {
  const entries = children(value);
  if (!entries.length) {
    list.append(h('li', { class: 'muted' }, 'empty'));
    return;
  }
  let shown = 0;
  const more = () => {
    for (const [label, one] of entries.slice(shown, shown + CHUNK)) list.append(node(label, one, depth));
    shown = Math.min(shown + CHUNK, entries.length);
    if (shown >= entries.length) return;
    const item = h('li', null, button(`Show ${Math.min(CHUNK, entries.length - shown)} more of ${entries.length}`, () => {
      item.remove();
      more();
    }, { class: 'small' }));
    list.append(item);
  };
  more();
}

function node(label, value, depth) {
  const name = h('span', { class: typeof label === 'number' ? 'tree-index' : 'tree-key' }, visible(label, { limit: 200 }));
  if (!isContainer(value)) return h('li', null, h('span', { class: 'tree-leaf' }, name, compact(value, { limit: 2000 })));
  const details = h('details', null,
    h('summary', null, name, h('span', { class: 'muted' },
      value.className ? [visible(value.className), ' '] : null,
      value.type === 'array' ? `[ ${counted(size(value), 'element')} ]` : `{ ${counted(size(value), 'key')} }`)));
  const list = h('ul', { class: 'tree-list' });
  details.build = () => {
    if (!list.isConnected) {
      fillList(list, value, depth + 1);
      details.append(list);
    }
  };
  details.addEventListener('toggle', () => details.open && details.build());
  if (depth < 1 && size(value) <= 30) {
    details.open = true;
    details.build();
  }
  return h('li', null, details);
}
