// Numbers that change, as charts over the time that the page is open.
import { get, instancePath } from './client.js';
import { lineChart } from './charts.js';
import { h, notice, show } from './elements.js';
import { OBSERVED, on, Series, session } from './session.js';

/** Creates the view of an instance's statistics. */
export function statisticsView(instanceId) {
  const charts = h('div', { class: 'charts' });
  const note = h('div');
  const element = h('div', { class: 'page' }, note, charts);
  const shown = new Map();
  let isFirst = true;

  /** Percentiles of one thing share a chart, as do numbers of one group with a comma in their names: "commit, 99th percentile". */
  function groups() {
    const result = new Map();
    for (const series of session.statistics.get(instanceId)?.values() ?? []) {
      const [group, label] = /^(.*), (.*percentile|median|longest|oldest|mean)$/i.exec(series.name)?.slice(1) ?? [series.name, series.name];
      const id = JSON.stringify([group, series.unit, series.kind]);
      if (!result.has(id)) result.set(id, { title: group, unit: series.unit, suffix: series.kind === 'counter' ? (series.unit === 'seconds' ? ' of each second' : '/s') : '', members: [] });
      result.get(id).members.push([label, series]);
    }
    return result;
  }

  function update() {
    for (const [id, group] of groups()) {
      if (!shown.has(id)) {
        const chart = lineChart({ ...group, series: () => groups().get(id).members.slice(0, 6).map(([label, series]) => ({ label, points: series.points() })) });
        shown.set(id, chart);
        // What the page counts itself comes last.
        if (OBSERVED.includes(group.title)) charts.append(chart.element);
        else charts.insertBefore(chart.element, [...charts.children].find(one => OBSERVED.includes(one.dataset.chart)) ?? null);
      }
      shown.get(id).update();
    }
    const hasCommits = session.statistics.get(instanceId)?.has('commits') ?? false;
    const hasOwn = [...(session.statistics.get(instanceId)?.keys() ?? [])].some(name => !OBSERVED.includes(name));
    const signature = `${hasOwn} ${hasCommits}`;
    if (isFirst || note.dataset.own === signature) return;
    note.dataset.own = signature;
    show(note, explanation(hasOwn, hasCommits));
  }

  const explanation = (hasOwn, hasCommits) => [
    hasCommits ? h('p', { class: 'muted' }, 'Operations are commits, of all programs. Reads are not counted, so that they cost nothing more.') : null,
    hasOwn ? null : notice('information', 'This instance reports no numbers of its own here. ',
      session.isProgram ? '' : 'Rates and latencies are known only to the program that uses the store: add the inspector to it to see them.'),
    session.isLive ? null : notice('information', 'This inspector shows one moment (--no-trace), so nothing here changes.'),
  ];

  // One reading at once; then the event stream brings one each second.
  get(instancePath(instanceId, 'statistics')).then(answer => {
    const all = session.statistics.get(instanceId) ?? new Map();
    session.statistics.set(instanceId, all);
    for (const one of answer.statistics) {
      if (!all.has(one.name)) all.set(one.name, new Series(one.name, one.kind, one.unit));
      if (!all.get(one.name).size) all.get(one.name).add(Date.now(), one.number ?? NaN);
    }
    isFirst = false;
    update();
  }, error => show(note, notice('error', error.message)));

  const end = on('statistics', update);
  return { element, dispose: end };
}
