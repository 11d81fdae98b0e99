// What the page knows: instances, the last changes, numbers over time, issues and runs. Bounded, and told to views once for each frame.
import { get, instancePath } from './client.js';
import { shareStream } from './sharing.js';

export const CHANGES_KEPT = 1000;
const SAMPLES_KEPT = 900;
const ISSUES_KEPT = 500;

/** Numbers over time in a ring. */
export class Series {
  constructor(name, kind, unit) {
    Object.assign(this, { name, kind, unit, size: 0, next: 0 });
    this.times = new Float64Array(SAMPLES_KEPT);
    this.values = new Float64Array(SAMPLES_KEPT);
  }

  add(time, value) {
    this.times[this.next] = time;
    this.values[this.next] = value;
    this.next = (this.next + 1) % SAMPLES_KEPT;
    this.size = Math.min(this.size + 1, SAMPLES_KEPT);
  }

  at(index) {
    const position = (this.next - this.size + index + SAMPLES_KEPT) % SAMPLES_KEPT;
    return [this.times[position], this.values[position]];
  }

  get last() { return this.size ? this.at(this.size - 1)[1] : NaN; }

  /** Points for a chart: the amounts of a gauge, or the increase of a counter in each second. */
  points() {
    const result = [];
    for (let index = 0; index < this.size; index += 1) {
      const [time, value] = this.at(index);
      if (this.kind !== 'counter') result.push([time, value]);
      else if (index > 0) {
        const [before, old] = this.at(index - 1);
        const passed = (time - before) / 1000;
        if (passed > 0) result.push([time, Math.max(0, value - old) / passed]);
      }
    }
    return result;
  }

  /** The latest point. */
  get now() {
    if (this.kind !== 'counter') return this.last;
    if (this.size < 2) return NaN;
    const [time, value] = this.at(this.size - 1);
    const [before, old] = this.at(this.size - 2);
    return time > before ? Math.max(0, value - old) / ((time - before) / 1000) : NaN;
  }
}

export const session = {
  instances: [], notes: [], isLive: false, isProgram: false, isLoaded: false,
  connection: { state: 'connecting' },
  details: new Map(), // instance -> answer of /api/instances/{id}
  changes: [], // newest last
  changeCounts: new Map(), // instance -> number since the page was opened
  revisions: new Map(), // instance -> number of events with changes, listed or not
  statistics: new Map(), // instance -> Map of name -> Series
  issues: [], // newest first
  runs: new Map(),
  files: new Set(), // runs whose file was downloaded
};

// Topics: "instances", "connection", "changes", "statistics", "issues", "runs". Listeners are called once for each frame.
const listeners = new Map();
const pending = new Set();
let isScheduled = false;

/** Calls a function in the next frame after something of a topic has changed. Returns a function that ends it. */
export function on(topic, call) {
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(call);
  return () => listeners.get(topic).delete(call);
}

export function changed(topic) {
  pending.add(topic);
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const topics = [...pending];
    pending.clear();
    for (const one of topics) for (const call of [...(listeners.get(one) ?? [])]) call();
  });
}

export const instance = id => session.instances.find(one => one.id === id);

/** The description of an instance, from memory unless `isFresh`. */
export async function details(id, { isFresh = false, signal } = {}) {
  if (!isFresh && session.details.has(id)) return session.details.get(id);
  const early = earlyDetails?.id === id ? earlyDetails.answer : null;
  earlyDetails = null;
  const answer = await early ?? await get(instancePath(id), {}, { signal });
  session.details.set(id, answer);
  changed('details');
  return answer;
}

let earlyDetails = null;

/** Reads the instances and issues, and opens the event stream. `first` is the instance that is shown first. */
export async function start(first) {
  if (first) earlyDetails = { id: first, answer: get(instancePath(first)).catch(() => null) };
  const answer = await get('instances');
  Object.assign(session, answer, { isLoaded: true });
  changed('instances');
  loadIssues();
  if (!session.isLive) {
    session.connection = { state: 'still' };
    changed('connection');
    return;
  }
  stream = shareStream({ onEvent: receive, onState: setState });
}

let stream = null;
export const reconnect = () => stream?.retry();

export async function reload() {
  Object.assign(session, await get('instances'));
  session.details.clear();
  changed('instances');
}

async function refreshInstances() {
  Object.assign(session, await get('instances'));
  changed('instances');
}

let arrived = null; // the issues that have arrived since the list was asked for
async function loadIssues() {
  const own = [];
  arrived = own;
  try {
    const { issues } = await get('issues');
    const listed = new Set(issues.map(issue => JSON.stringify(issue)));
    const known = [...own.filter(issue => !listed.has(JSON.stringify(issue))), ...issues];
    known.sort((left, right) => (left.date < right.date ? 1 : -1));
    session.issues = known.slice(0, ISSUES_KEPT);
    changed('issues');
  } catch { /* The view of issues reports it. */ }
  if (arrived === own) arrived = null;
}

let wasLive = false;
function setState(state) {
  const isAgain = state.state === 'live' && wasLive;
  session.connection = state;
  if (state.state === 'live') wasLive = true;
  changed('connection');
  if (!isAgain) return;
  // Changes may have been missed while there was no connection.
  reload().catch(() => {});
  loadIssues();
  changed('missed');
}

function receive(name, data) {
  if (name === 'hello') checkVersion(data);
  else if (name === 'changes') addChanges(data);
  else if (name === 'statistics') addStatistics(data);
  else if (name === 'issue') addIssue(data);
  else if (name === 'run') setRun(data);
  else if (name === 'lost') {
    // This page read too slowly. The events before this one repeat all but the issues.
    loadIssues();
    refreshInstances().catch(() => {});
  }
}

/** A page of another version than the inspector must be loaded again. */
function checkVersion(data) {
  const own = document.querySelector('meta[name="larder-version"]')?.content;
  session.isOutdated = Boolean(own && data.version && data.version !== own);
  changed('connection');
}

let serial = 0;
/** The tables of an instance that changed since a view last asked, for views that show rows. */
export const dirty = new Map();

function addChanges(batch) {
  const list = batch.changes ?? [];
  const omitted = batch.omitted ?? 0;
  for (const one of list) {
    serial += 1;
    session.changes.push({ ...one, serial, instance: batch.instance, origin: batch.origin, date: batch.date });
  }
  if (omitted || batch.isMissed) {
    serial += 1;
    session.changes.push({ serial, instance: batch.instance, origin: batch.origin, date: batch.date, omitted, isMissed: batch.isMissed });
  }
  if (session.changes.length > CHANGES_KEPT) session.changes.splice(0, session.changes.length - CHANGES_KEPT);
  session.changeCounts.set(batch.instance, (session.changeCounts.get(batch.instance) ?? 0) + list.length + omitted);
  const tables = list.map(one => one.table);
  noteChange(batch.instance, omitted || !list.length || batch.isMissed ? [...tables, '*'] : tables);
}

function series(id, name, kind, unit) {
  if (!session.statistics.has(id)) session.statistics.set(id, new Map());
  const all = session.statistics.get(id);
  if (!all.has(name) && all.size < 200) all.set(name, new Series(name, kind, unit));
  return all.get(name);
}

function addStatistics(data) {
  const time = Date.now();
  for (const one of data.statistics ?? []) series(data.instance, one.name, one.kind, one.unit)?.add(time, one.number ?? NaN);
  changed('statistics');
  noteNumbers(data.instance, data.statistics ?? []);
}

// If an instance reports no changes, different numbers say that its facts and tables are old.
const numbers = new Map(); // instance -> the last counts, as JSON
function noteNumbers(id, statistics) {
  if (instance(id)?.reportsChanges !== false) return;
  const counts = JSON.stringify(statistics.filter(one => one.unit !== 'seconds').map(one => one.number));
  const before = numbers.get(id);
  numbers.set(id, counts);
  if (before === undefined || before === counts) return;
  noteChange(id, ['*']);
}

/** Makes views of an instance read it again; `tables` are the names of changed tables, or `*`. */
function noteChange(id, tables) {
  session.revisions.set(id, (session.revisions.get(id) ?? 0) + 1);
  if (!dirty.has(id)) dirty.set(id, new Set());
  for (const one of tables) dirty.get(id).add(one);
  changed('changes');
}

// Two numbers the page counts itself: they exist for every instance, also for files that other programs use.
export const OBSERVED = ['observed changes', 'observed issues'];
setInterval(() => {
  if (session.connection.state !== 'live') return;
  const time = Date.now();
  for (const { id, issues } of session.instances) {
    series(id, OBSERVED[0], 'counter', 'count')?.add(time, session.changeCounts.get(id) ?? 0);
    series(id, OBSERVED[1], 'gauge', 'count')?.add(time, issues ?? 0);
  }
  changed('statistics');
}, 1000);

function addIssue(issue) {
  arrived?.push(issue);
  session.issues.unshift(issue);
  session.issues.length = Math.min(session.issues.length, ISSUES_KEPT);
  const owner = instance(issue.instance);
  if (owner) owner.issues = (owner.issues ?? 0) + 1;
  changed('issues');
  changed('instances');
}

export function setRun(run) {
  // An answer that was on its way may be older than an event.
  const known = session.runs.get(run.run);
  if (run.state === 'running' && known && known.state !== 'running') return;
  // The inspector keeps a file for some minutes.
  const isRemoved = !run.file && Boolean(known?.file);
  if (isRemoved) run.message ??= 'The file was removed. Start the action again to download it.';
  session.runs.set(run.run, run);
  if (session.runs.size > 50) session.runs.delete(session.runs.keys().next().value);
  changed('runs');
}
