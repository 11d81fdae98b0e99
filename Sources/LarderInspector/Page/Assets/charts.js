// Charts drawn with SVG: lines over the time that the page is open, each with its numbers as text.
import { h, show, svg } from './elements.js';
import { byUnit, clock, visibleString } from './text.js';

const HEIGHT = 120;
const WINDOW = 5 * 60 * 1000;

/** A step of 1, 2 or 5 times a power of ten (or of bytes) that is at least `value`. */
function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map(step => step * power).find(step => step >= value * 0.999);
}

/** Creates a chart of series with one unit. `suffix` follows each number, such as "/s". */
export function lineChart({ title, unit, suffix = '', series }) {
  const text = value => (Number.isFinite(value) ? byUnit(value, unit) + suffix : '\u2013');
  const picture = svg('svg', { class: 'chart-picture', role: 'img', height: HEIGHT, preserveAspectRatio: 'none' });
  const now = h('p', { class: 'chart-now' });
  const top = h('span', { class: 'chart-top' });
  const readout = h('p', { class: 'chart-readout', 'aria-hidden': 'true' });
  const numbers = h('details', { class: 'chart-numbers' }, h('summary', null, 'Numbers'));
  const numbersBody = h('div');
  numbers.append(numbersBody);
  const element = h('figure', { class: 'chart', data: { chart: title } },
    h('figcaption', { class: 'chart-title' }, visibleString(title)), now,
    h('div', { class: 'chart-plot' }, top, picture), readout, numbers);
  let points = [];
  let hover = null;
  let frame = null;

  picture.addEventListener('pointermove', event => {
    hover = event.offsetX;
    draw();
  });
  picture.addEventListener('pointerleave', () => {
    hover = null;
    draw();
  });
  numbers.addEventListener('toggle', () => update());

  /** Draws the series as they are now. */
  function update() {
    points = series().map(one => ({ label: one.label, points: one.points.filter(([, value]) => Number.isFinite(value)) }));
    draw();
    show(now, points.map((one, index) => h('span', { class: `chart-value series-${index}` },
      points.length > 1 ? h('span', { class: 'chart-label' }, one.label) : null, h('strong', null, text(one.points.at(-1)?.[1])))));
    const words = points.map(one => {
      const values = one.points.map(([, value]) => value);
      return `${points.length > 1 ? `${one.label}: ` : ''}now ${text(values.at(-1))}, between ${text(Math.min(...values))} and ${text(Math.max(...values))}`;
    });
    picture.setAttribute('aria-label', points.some(one => one.points.length) ? `${visibleString(title)}: ${words.join('; ')}` : `${visibleString(title)}: no numbers yet`);
    if (numbers.open) {
      const rows = points[0]?.points.slice(-10).reverse() ?? [];
      show(numbersBody, h('table', { class: 'grid plain' },
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Time'), points.map(one => h('th', { scope: 'col' }, one.label)))),
        h('tbody', null, rows.map(([time], index) => h('tr', null, h('td', null, clock(time)),
          points.map(one => h('td', null, text(one.points.at(-1 - index)?.[1]))))))));
    }
  }

  function draw() {
    const width = picture.clientWidth || 300;
    const end = Math.max(0, ...points.map(one => one.points.at(-1)?.[0] ?? 0)) || Date.now();
    const first = Math.min(end - 30_000, ...points.map(one => one.points[0]?.[0] ?? end));
    const start = Math.max(end - WINDOW, first);
    const shown = points.map(one => one.points.filter(([time]) => time >= start));
    const most = ceiling(Math.max(0, ...shown.flat().map(([, value]) => value)));
    const x = time => ((time - start) / (end - start || 1)) * width;
    const y = value => HEIGHT - 4 - (value / most) * (HEIGHT - 12);
    top.textContent = text(most);
    frame = [svg('line', { class: 'rule', x1: 0, x2: width, y1: y(most), y2: y(most) }),
      svg('line', { class: 'rule', x1: 0, x2: width, y1: y(most / 2), y2: y(most / 2) }),
      svg('line', { class: 'rule base', x1: 0, x2: width, y1: y(0), y2: y(0) })];
    shown.forEach((one, index) => {
      if (!one.length) return;
      const path = one.map(([time, value], at) => `${at ? 'L' : 'M'}${x(time).toFixed(1)},${y(value).toFixed(1)}`).join('');
      if (shown.length === 1 && one.length > 1) frame.push(svg('path', { class: 'area', d: `${path}L${x(one.at(-1)[0]).toFixed(1)},${y(0)}L${x(one[0][0]).toFixed(1)},${y(0)}Z` }));
      frame.push(svg('path', { class: `line series-${index}`, d: path }));
    });
    readout.textContent = `${clock(start)} to ${clock(end)}`;
    if (hover !== null && shown[0]?.length) {
      const time = start + (hover / width) * (end - start);
      const nearest = shown[0].reduce((best, one) => (Math.abs(one[0] - time) < Math.abs(best[0] - time) ? one : best))[0];
      frame.push(svg('line', { class: 'cursor', x1: x(nearest), x2: x(nearest), y1: 0, y2: HEIGHT }));
      readout.textContent = `${clock(nearest)}  ${points.map((one, index) => text(shown[index].find(([at]) => at >= nearest)?.[1])).join('  ')}`;
    }
    picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    picture.replaceChildren(...frame);
  }

  return { element, update };
}

/** A small line without axes for cards; the number beside it is its text. */
export function sparkline(points) {
  const picture = svg('svg', { class: 'spark', viewBox: '0 0 100 24', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (points.length < 2) return picture;
  const shown = points.slice(-60);
  const most = Math.max(...shown.map(([, value]) => value)) || 1;
  const path = shown.map(([, value], index) => `${index ? 'L' : 'M'}${((index / (shown.length - 1)) * 100).toFixed(1)},${(22 - (value / most) * 20).toFixed(1)}`).join('');
  picture.append(svg('path', { class: 'line series-0', d: path }));
  return picture;
}
