// The model of a database as a diagram: entities in layers, relationships as lines with their cardinality; pan, zoom, and links to go there.
import { button, h, svg } from './elements.js';
import { href } from './place.js';
import { counted, number, visibleString } from './text.js';

const LINE = 18;
const HEAD = 34;
const GAP_X = 96;
const GAP_Y = 28;
const MOST_ATTRIBUTES = 14;

/** Creates the diagram of the tables of an instance. */
export function diagramView(instanceId, description) {
  const { nodes, edges, width, height } = layout(description.tables);
  const frame = { x: 0, y: 0, w: width, h: height };
  const lines = svg('g', { class: 'edges' });
  const boxes = svg('g', { class: 'nodes' });
  const picture = svg('svg', { class: 'diagram', role: 'group', 'aria-label': `Model with ${counted(nodes.length, 'entity', 'entities')}`, tabindex: 0 }, lines, boxes);

  for (const edge of edges) {
    const { path, ends } = route(edge);
    lines.append(svg('g', { class: 'edge', data: { a: edge.a.name, b: edge.b.name } }, svg('path', { d: path }),
      ends.map(([x, y, text, anchor]) => svg('text', { x, y, 'text-anchor': anchor }, text))));
  }
  for (const node of nodes) boxes.append(box(node));

  function box(node) {
    const hidden = node.table.columns.length - node.attributes.length;
    const label = `${visibleString(node.name)}: ${node.table.count === null ? '' : `${counted(node.table.count, 'record')}, `}${counted(node.table.columns.length, 'attribute')}, ${counted(node.table.relationships.length, 'relationship')}`;
    let y = HEAD + 14;
    const rows = [];
    for (const column of node.attributes) {
      rows.push(svg('text', { x: 12, y, class: 'attribute' }, cut(column.name, 20)), svg('text', { x: node.w - 12, y, 'text-anchor': 'end', class: 'attribute-type' }, cut(column.type, 14)));
      y += LINE;
    }
    if (hidden > 0) {
      rows.push(svg('text', { x: 12, y, class: 'attribute-type' }, `${hidden} more`));
      y += LINE;
    }
    for (const relation of node.table.relationships) {
      rows.push(svg('text', { x: 12, y, class: 'relation-name' }, cut(relation.name, 18)),
        svg('text', { x: node.w - 12, y, 'text-anchor': 'end', class: 'attribute-type' }, `${cut(relation.destination, 14)}${relation.isToMany ? ' *' : ''}`));
      y += LINE;
    }
    return svg('a', {
      class: 'node', href: href({ view: 'table', instance: instanceId, table: node.name }), transform: `translate(${node.x},${node.y})`, 'aria-label': label, data: { node: node.name },
      onfocus: () => {
        highlight(node.name);
        reveal(node);
      }, onblur: () => highlight(null), onpointerenter: () => highlight(node.name), onpointerleave: () => highlight(null),
    },
    svg('rect', { class: 'node-box', width: node.w, height: node.h, rx: 8 }),
    svg('path', { class: 'node-head', d: `M0,${HEAD}V8a8,8 0 0 1 8,-8H${node.w - 8}a8,8 0 0 1 8,8V${HEAD}Z` }),
    svg('text', { x: 12, y: 22, class: 'node-name' }, cut(node.name, 20)),
    node.table.count === null ? null : svg('text', { x: node.w - 12, y: 22, 'text-anchor': 'end', class: 'node-count' }, number(node.table.count)),
    rows);
  }

  function highlight(name) {
    for (const edge of lines.children) edge.classList.toggle('is-lit', edge.dataset.a === name || edge.dataset.b === name);
    picture.classList.toggle('has-lit', Boolean(name));
  }

  // Pan and zoom change the part of the picture that is visible.

  const apply = () => picture.setAttribute('viewBox', `${frame.x} ${frame.y} ${frame.w} ${frame.h}`);
  const aspect = () => (picture.clientHeight || 480) / (picture.clientWidth || 800);

  function fit() {
    // Small models keep the size of their text; large ones are shown whole.
    const w = Math.max(width + 48, picture.clientWidth || 800, (height + 48) / aspect());
    Object.assign(frame, { w, h: w * aspect() });
    frame.x = (width - frame.w) / 2;
    frame.y = (height - frame.h) / 2;
    apply();
  }

  function zoom(factor, atX = 0.5, atY = 0.5) {
    const w = Math.min(Math.max(frame.w * factor, 200), Math.max(width, height) * 6 + 2000);
    const scale = w / frame.w;
    frame.x += frame.w * atX * (1 - scale);
    frame.y += frame.h * atY * (1 - scale);
    frame.w = w;
    frame.h *= scale;
    apply();
  }

  function pan(x, y) {
    frame.x += x;
    frame.y += y;
    apply();
  }

  function reveal(node) {
    const margin = 16;
    if (node.x < frame.x) frame.x = node.x - margin;
    if (node.y < frame.y) frame.y = node.y - margin;
    if (node.x + node.w > frame.x + frame.w) frame.x = node.x + node.w - frame.w + margin;
    if (node.y + node.h > frame.y + frame.h) frame.y = Math.min(node.y - margin, node.y + node.h - frame.h + margin);
    apply();
  }

  let drag = null;
  picture.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId };
  });
  picture.addEventListener('pointermove', event => {
    if (!drag) return;
    const scale = frame.w / (picture.clientWidth || 1);
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(x, y) < 4) return;
    if (!drag.moved) picture.setPointerCapture(drag.id);
    drag.moved = true;
    drag.x = event.clientX;
    drag.y = event.clientY;
    pan(-x * scale, -y * scale);
  });
  const drop = () => {
    if (drag?.moved) picture.addEventListener('click', event => event.preventDefault(), { capture: true, once: true });
    drag = null;
  };
  picture.addEventListener('pointerup', drop);
  picture.addEventListener('pointercancel', () => { drag = null; });
  picture.addEventListener('wheel', event => {
    // Without Control, the wheel scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const place = picture.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - place.left) / place.width, (event.clientY - place.top) / place.height);
  }, { passive: false });
  picture.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = frame.w / 10;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const focused = nodes.find(node => node.name === document.activeElement?.dataset?.node);
    if (direction && focused) neighbor(focused, direction)?.focus();
    else if (direction) pan(direction[0] * step, direction[1] * step);
    else if (event.key === '+' || event.key === '=') zoom(1 / 1.25);
    else if (event.key === '-') zoom(1.25);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  });

  /** The nearest entity in a direction. */
  function neighbor(from, [dx, dy]) {
    const center = node => [node.x + node.w / 2, node.y + node.h / 2];
    const [fx, fy] = center(from);
    let best = null;
    for (const node of nodes) {
      const [x, y] = center(node);
      const along = (x - fx) * dx + (y - fy) * dy;
      const across = Math.abs((x - fx) * dy) + Math.abs((y - fy) * dx);
      if (node === from || along <= 1) continue;
      const cost = along + across * 2;
      if (!best || cost < best.cost) best = { cost, node };
    }
    return best && [...boxes.children].find(one => one.dataset.node === best.node.name);
  }

  /** A narrow page would show a large model too small to read, so it begins at the first entities. */
  function begin() {
    fit();
    const scale = (picture.clientWidth || 800) / frame.w;
    if (scale >= 0.6) return;
    frame.w = (picture.clientWidth || 800) / 0.75;
    frame.h = frame.w * aspect();
    frame.x = -16;
    frame.y = Math.min(-16, ...nodes.filter(node => node.x === 0).map(node => node.y - 16).slice(0, 1));
    apply();
  }

  const observer = new ResizeObserver(begin);
  observer.observe(picture);
  const element = h('div', { class: 'page' },
    h('div', { class: 'row' },
      button('Zoom in', () => zoom(1 / 1.25), { class: 'small' }), button('Zoom out', () => zoom(1.25), { class: 'small' }), button('Fit', fit, { class: 'small' }),
      h('span', { class: 'muted hint' }, 'Drag to pan, Control and wheel to zoom. With the keyboard: arrow keys, + and \u2212, 0 to fit.')),
    h('div', { class: 'diagram-box' }, picture),
    h('h2', null, 'Entities'), asText(instanceId, description));
  return { element, dispose: () => observer.disconnect() };
}

const cut = (text, length) => {
  const shown = visibleString(text, 100);
  return shown.length > length ? `${shown.slice(0, length - 1)}\u2026` : shown;
};

/** The same as text. */
function asText(instanceId, description) {
  return h('div', { class: 'entities' }, description.tables.map(table => h('details', { class: 'entity' },
    h('summary', null, h('strong', null, visibleString(table.name)), h('span', { class: 'muted' },
      ` ${table.count === null ? '' : `${counted(table.count, 'record')}, `}${counted(table.columns.length, 'attribute')}, ${counted(table.relationships.length, 'relationship')}`)),
    h('ul', null,
      table.columns.map(column => h('li', null, h('code', null, visibleString(column.name)), ' ', h('span', { class: 'type-name' }, visibleString(column.type)))),
      table.relationships.map(relation => h('li', null, h('code', null, visibleString(relation.name)), ' ',
        relation.isToMany ? 'many ' : 'one ', h('a', { href: href({ view: 'table', instance: instanceId, table: relation.destination }) }, visibleString(relation.destination)),
        h('span', { class: 'muted' }, relation.isOrdered ? ', ordered' : '', relation.inverse ? `, inverse ${visibleString(relation.inverse)}` : ', no inverse',
          relation.deletionRule ? `, on deletion ${visibleString(relation.deletionRule)}` : ''))),
      table.indexes.map(index => h('li', null, h('span', { class: 'muted' }, index.isUnique ? 'unique index ' : 'index '), h('code', null, visibleString(index.name)), ` (${index.columns.map(one => visibleString(one)).join(', ')})`))))));
}

/** Places entities in layers from left to right, owners before what they own. */
function layout(tables) {
  const nodes = tables.map(table => {
    const attributes = table.columns.slice(0, MOST_ATTRIBUTES);
    const lines = attributes.length + (table.columns.length > attributes.length ? 1 : 0) + table.relationships.length;
    return { name: table.name, table, attributes, w: 250, h: HEAD + 8 + lines * LINE, layer: 0, x: 0, y: 0, before: [], after: [] };
  });
  const byName = new Map(nodes.map(node => [node.name, node]));
  const rowOf = (node, relation) => HEAD + 10 + (node.attributes.length + (node.table.columns.length > node.attributes.length ? 1 : 0) + node.table.relationships.indexOf(relation)) * LINE;

  const edges = [];
  const done = new Set();
  for (const a of nodes) {
    for (const relation of a.table.relationships) {
      const b = byName.get(relation.destination);
      if (!b || done.has(`${a.name}\0${relation.name}`)) continue;
      const inverse = b.table.relationships.find(other => other.name === relation.inverse && other.destination === a.name);
      done.add(`${a.name}\0${relation.name}`);
      if (inverse) done.add(`${b.name}\0${inverse.name}`);
      edges.push({
        a, b, rowA: rowOf(a, relation), rowB: inverse ? rowOf(b, inverse) : HEAD / 2,
        atA: inverse ? (inverse.isToMany ? '*' : '1') : '', atB: relation.isToMany ? '*' : '1',
      });
      if (a === b) continue;
      // The side with one record owns the side with many.
      const [owner, owned] = relation.isToMany || !inverse?.isToMany && inverse ? [a, b] : [b, a];
      owner.after.push(owned);
      owned.before.push(owner);
    }
  }

  // Layers by the longest path; an edge that would close a cycle does not count.
  const state = new Map();
  const depth = node => {
    if (state.get(node) === 'open') return null;
    if (state.get(node) === 'done') return node.layer;
    state.set(node, 'open');
    node.layer = 0;
    for (const owner of node.before) {
      const own = depth(owner);
      if (own !== null) node.layer = Math.max(node.layer, own + 1);
    }
    state.set(node, 'done');
    return node.layer;
  };
  nodes.forEach(depth);

  const linked = nodes.filter(node => node.before.length + node.after.length);
  const lonely = nodes.filter(node => !linked.includes(node));
  const layers = [];
  for (const node of linked) (layers[node.layer] ??= []).push(node);
  const columns = layers.filter(Boolean);

  // Order in a layer by the mean position of neighbors, forth and back.
  const position = node => node.y + node.h / 2;
  const stack = column => {
    let y = 0;
    for (const node of column) {
      node.y = y;
      y += node.h + GAP_Y;
    }
    return y - GAP_Y;
  };
  columns.forEach(stack);
  for (let sweep = 0; sweep < 6; sweep += 1) {
    const order = sweep % 2 ? columns.slice().reverse() : columns;
    for (const column of order) {
      const mean = new Map(column.map(node => {
        const near = sweep % 2 ? node.after : node.before;
        return [node, near.length ? near.reduce((sum, one) => sum + position(one), 0) / near.length : position(node)];
      }));
      column.sort((left, right) => mean.get(left) - mean.get(right));
      stack(column);
    }
  }
  const tallest = Math.max(0, ...columns.map(stack));
  let x = 0;
  for (const column of columns) {
    const shift = (tallest - stack(column)) / 2;
    for (const node of column) {
      node.x = x;
      node.y += shift;
    }
    x += 250 + GAP_X;
  }
  // Entities without relationships stand below, in rows.
  const perRow = Math.max(3, columns.length || Math.ceil(Math.sqrt(lonely.length)));
  let y = columns.length ? tallest + GAP_Y * 2 : 0;
  for (let start = 0; start < lonely.length; start += perRow) {
    const row = lonely.slice(start, start + perRow);
    row.forEach((node, index) => Object.assign(node, { x: index * (250 + GAP_X / 2), y }));
    y += Math.max(...row.map(node => node.h)) + GAP_Y;
  }
  const width = Math.max(250, ...nodes.map(node => node.x + node.w));
  const height = Math.max(100, ...nodes.map(node => node.y + node.h));
  return { nodes, edges, width, height };
}

/** The line of a relationship, and the cardinalities at its ends. */
function route({ a, b, rowA, rowB, atA, atB }) {
  const [ya, yb] = [a.y + rowA, b.y + rowB];
  const isForward = b.x > a.x + a.w;
  const isBackward = b.x + b.w < a.x;
  const [xa, sideA] = isBackward ? [a.x, -1] : [a.x + a.w, 1];
  const [xb, sideB] = isForward ? [b.x, -1] : [b.x + b.w, 1];
  const bend = isForward || isBackward ? Math.max(40, Math.abs(xb - xa) / 2) : 56;
  return {
    path: `M${xa},${ya}C${xa + sideA * bend},${ya} ${xb + sideB * bend},${yb} ${xb},${yb}`,
    ends: [[xa + sideA * 8, ya - 5, atA, sideA > 0 ? 'start' : 'end'], [xb + sideB * 8, yb - 5, atB, sideB > 0 ? 'start' : 'end']],
  };
}
