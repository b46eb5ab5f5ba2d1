"use strict";
// The page asks for the last reading every two seconds, and draws what is new. All text is set as
// text, never as HTML, because names and keys can contain anything.

const POLL_MS = 2000;
const TIMEOUT_MS = 15000;
const HOUR_MS = 3600000;
const MIN_SPAN_MS = 60000;
// A reading of every part may take this long.
const LATE_SECONDS = 60;
const MAX_PAUSES = 3;
const MAX_LINES = 4;
const MAX_ROWS = 50;
const SKEW = 2;

const state = { history: { times_ms: [], series: {} }, last: 0, paused: false, markers: {} };
const $ = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const svg = ["svg", "polyline", "line"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function number(value) {
  if (value === null || value === undefined) return "–";
  const digits = Math.abs(value) < 10 && !Number.isInteger(value) ? 2 : 0;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

function age(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172800 ? `${number(Math.floor(seconds / 3600))} h`
    : `${number(Math.floor(seconds / 86400))} days`;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const most = (values) => values.reduce((top, value) => Math.max(top, value ?? 0), 0);
const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

function tile(title, value, note, alarm) {
  return element("div", { class: alarm ? "alarm" : null }, element("dt", {}, title),
    element("dd", {}, value), element("dd", { class: "note" }, note));
}

function tilesOf(figures) {
  const read = figures.applications.filter((application) => application.notifications !== null);
  const waiting = read.map((application) => application.notifications);
  const oldest = waiting.map((one) => one.oldest_seconds).filter((one) => one !== null);
  const active = read.map((application) => application.oldest_active_seconds)
    .filter((one) => one !== null);
  const skews = figures.tables.filter((table) => table.fullest_over_mean !== null)
    .sort((a, b) => b.fullest_over_mean - a.fullest_over_mean);
  const letters = sum(read.map((application) => application.dead_letters
    + sum(application.queues.map((queue) => queue.dead_letters))));
  const entries = sum(read.map((application) => sum(application.queues.map((queue) => queue.entries))));
  const more = waiting.some((one) => !one.is_complete) ? "+" : "";
  const tiles = [
    tile("Notifications waiting", number(sum(waiting.map((one) => one.count))) + more,
      oldest.length ? `oldest: ${age(most(oldest))}` : ""),
    tile("Queue entries waiting", number(entries), ""),
    tile("Dead letters", number(letters), "", letters > 0),
    tile("Oldest active timestamp", active.length ? age(most(active)) : "–",
      "holds garbage collection back"),
    tile("Workers", number(sum(read.map((application) => application.workers.length))),
      plural(sum(read.map((application) => application.transactors)), "transactor")),
    tile("Fullest tablet / mean", skews.length ? number(skews[0].fullest_over_mean) : "–",
      skews.length ? `table ${skews[0].name}` : ""),
  ];
  const work = figures.work;
  if (work) {
    tiles.unshift(
      tile("Transactions / s", number(work.transactions), plural(work.sources.length, "source")),
      tile("Conflicts / s", number(work.conflicts), ""),
      tile("Recoveries / s", number(work.recoveries), "of other clients"));
  }
  return tiles;
}

const CHARTS = [
  ["Transactions / s", ["fluo_monitor_transactions_per_second"], number],
  ["Conflicts and recoveries / s",
    ["fluo_monitor_conflicts_per_second", "fluo_monitor_recoveries_per_second"], number],
  ["Notifications waiting", ["fluo_monitor_notifications"], number],
  ["Age of the oldest notification", ["fluo_monitor_notifications_oldest_seconds"], age],
  ["Queue entries waiting", ["fluo_monitor_queue_entries"], number],
  ["Age of the oldest active timestamp", ["fluo_monitor_oldest_active_seconds"], age],
  ["Fullest tablet / mean", ["fluo_monitor_fullest_over_mean"], number],
];

// Returns the series of a chart: those with the highest last values.
function linesOf(names) {
  const all = Object.entries(state.history.series)
    .filter(([key]) => names.includes(key.split("{")[0]));
  all.sort(([a, x], [b, y]) => (y.at(-1) ?? 0) - (x.at(-1) ?? 0) || (a < b ? -1 : 1));
  return all.slice(0, MAX_LINES).sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => [labelOf(key, names), values]);
}

function labelOf(key, names) {
  const labels = [...key.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .map((found) => found[1].replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c)));
  if (labels.length) return labels.join(" ");
  return names.length > 1 ? key.replace("fluo_monitor_", "").replace("_per_second", "") : "";
}

function chart([title, names, shown]) {
  const lines = linesOf(names);
  if (!lines.length) return null;
  const times = state.history.times_ms;
  const now = times.at(-1);
  const top = most(lines.map(([, values]) => most(values)));
  const span = Math.min(Math.max(now - times[0], MIN_SPAN_MS), HOUR_MS);
  const x = (time) => 1000 - (1000 * (now - time)) / span;
  const y = (value) => 100 - (84 * value) / (top || 1);
  const svg = element("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" });
  lines.forEach(([, values], line) => {
    for (const run of runs(values)) {
      const points = run.map((place) => `${x(times[place]).toFixed(1)},${y(values[place]).toFixed(1)}`);
      if (points.length === 1) points.push(`${x(times[run[0]]) + 2},${y(values[run[0]]).toFixed(1)}`);
      svg.append(element("polyline", { class: `line${line}`, points: points.join(" ") }));
    }
  });
  const marked = state.markers[title];
  const place = marked === undefined ? times.length - 1 : nearest(marked);
  if (marked !== undefined) {
    const at = x(times[place]);
    svg.append(element("line", { class: "marker", x1: at, x2: at, y1: 0, y2: 100 }));
  }
  const when = marked === undefined ? "now" : new Date(times[place]).toLocaleTimeString();
  const caption = element("figcaption", {}, element("strong", {}, title));
  lines.forEach(([label, values], line) => {
    caption.append(element("span", { class: `key line${line}` },
      `${label ? `${label}: ` : ""}${shown(values[place] ?? null)}`));
  });
  caption.append(element("span", { class: "read" }, when));
  const spoken = lines.map(([label, values]) => `${label} ${shown(values[place] ?? null)}`).join(", ");
  const figure = element("figure", {
    tabindex: "0", role: "group", "data-title": title, "aria-label": `${title}, ${when}: ${spoken}`,
  }, caption, element("div", { class: "plot" }, svg, element("span", { class: "most" }, shown(top))),
  element("div", { class: "axis" },
    element("span", {}, `${age(Math.round(span / 1000))} ago`), element("span", {}, "now")));
  figure.addEventListener("keydown", (event) => move(event, title));
  figure.querySelector(".plot").addEventListener("pointermove", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    state.markers[title] = now - span * (1 - (event.clientX - box.left) / box.width);
    drawCharts();
  });
  return figure;
}

// Returns the runs of neighboring readings that have a value.
function runs(values) {
  const found = [];
  values.forEach((value, place) => {
    if (value === null) return;
    if (place > 0 && values[place - 1] !== null && found.length) found.at(-1).push(place);
    else found.push([place]);
  });
  return found;
}

function nearest(time) {
  const times = state.history.times_ms;
  let best = 0;
  times.forEach((one, place) => {
    if (Math.abs(one - time) < Math.abs(times[best] - time)) best = place;
  });
  return best;
}

function move(event, title) {
  const times = state.history.times_ms;
  const marked = state.markers[title];
  const place = marked === undefined ? times.length - 1 : nearest(marked);
  const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: times.length - 1 }[event.key];
  if (event.key === "Escape") delete state.markers[title];
  else if (to === undefined) return;
  else state.markers[title] = times[Math.min(Math.max(to, 0), times.length - 1)];
  event.preventDefault();
  drawCharts();
}

function drawCharts() {
  const focused = document.activeElement?.dataset?.title;
  const figures = CHARTS.map(chart).filter((figure) => figure !== null);
  $("charts").replaceChildren(...figures);
  figures.find((figure) => figure.dataset.title === focused)?.focus({ preventScroll: true });
}

function tableOf(headings, rows) {
  const head = headings.map((text, place) => element("th",
    { scope: "col", class: place > 0 && text !== "" ? "number" : null }, text));
  const body = rows.slice(0, MAX_ROWS).map((row) => element("tr", {}, ...row.map((cell, place) => {
    if (cell instanceof Element) return element("td", { class: "wide" }, cell);
    return place === 0 ? element("th", { scope: "row" }, cell) : element("td", { class: "number" }, cell);
  })));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body));
  const more = rows.length - MAX_ROWS;
  return element("div", { class: "scroll", tabindex: rows.length ? "0" : null, role: "group", "aria-label": headings[0] },
    table, more > 0 ? element("p", { class: "hint" }, `and ${number(more)} more`) : null);
}

function bar(value, top, mean) {
  const full = mean > 0 && value > SKEW * mean;
  const made = element("span", { class: full ? "bar full" : "bar" });
  made.style.width = `${(100 * value) / (top || 1)}%`;
  return made;
}

function applicationCard(application) {
  const card = element("article", { class: "card" }, element("h3", {}, application.name));
  const line = (text) => card.append(element("p", {}, text));
  const [leader, ...others] = application.oracles;
  if (application.needs_oracle) {
    line(leader ? `Oracle: ${leader} leads, ${plural(others.length, "other")} stand${others.length === 1 ? "s" : ""} by`
      : "Oracle: none");
  }
  if (application.notifications === null) {
    line("It could not be read.");
    return card;
  }
  const active = application.oldest_active === null ? "none"
    : `${application.oldest_active}, ${age(application.oldest_active_seconds)} old`;
  line(`Table ${application.table}; oldest active timestamp: ${active}`);
  if (application.workers.length) {
    card.append(tableOf(["Worker", "Part", "Ranges"], application.workers.map((worker) => [
      worker.name, worker.part ? `${worker.part[0]} of ${worker.part[1]}` : "–", number(worker.ranges)])));
  } else {
    line("No worker runs.");
  }
  if (application.queues.length) {
    card.append(tableOf(["Queue", "Entries", "Oldest", "Dead letters"],
      application.queues.map((queue) => [queue.id, number(queue.entries) + (queue.accuracy === "exact" ? "" : ` (${queue.accuracy})`),
        age(queue.oldest_seconds), number(queue.dead_letters)])));
  }
  return card;
}

function tableCard(table) {
  const card = element("article", { class: "card" }, element("h3", {}, table.name));
  const line = (text, kind) => card.append(element("p", { class: kind }, text));
  line(`${plural(table.tablets, "tablet")}, ${number(table.entries)} entries; `
    + `the fullest has ${number(table.fullest)}, up to ${table.fullest_end_row ?? "the end"}`);
  if (table.differences) {
    const count = table.differences.length;
    line(count ? `${plural(count, "difference")} from the recipes` : "As the recipes want it", count ? "bad" : "good");
  }
  const servers = Object.entries(table.servers);
  const top = most(servers.map(([, server]) => server.entries));
  const mean = sum(servers.map(([, server]) => server.entries)) / (servers.length || 1);
  card.append(tableOf(["Server", "Tablets", "Entries", ""], servers.map(([name, server]) =>
    [name, number(server.tablets), number(server.entries), bar(server.entries, top, mean)])));
  if (table.groups.length) {
    const largest = most(table.groups.map((group) => group.entries));
    card.append(tableOf(["Group", "Tablets", "On a server", "Entries", ""], table.groups.map((group) =>
      [group.name, number(group.tablets), group.per_server.map(number).join(" to "),
        number(group.entries), bar(group.entries, largest, 0)])));
  }
  return card;
}

function draw(figures) {
  const { alarms } = figures;
  $("at").textContent = figures.at;
  $("read").textContent = `read at ${new Date(figures.time_ms).toLocaleTimeString()}`;
  say(alarms.length ? "bad" : "good", alarms.length ? plural(alarms.length, "alarm") : "No alarms");
  $("attention").hidden = alarms.length === 0;
  const more = alarms.length > MAX_ROWS ? [`and ${number(alarms.length - MAX_ROWS)} more`] : [];
  $("alarms").replaceChildren(...[...alarms.slice(0, MAX_ROWS), ...more].map((alarm) => element("li", {}, alarm)));
  $("tiles").replaceChildren(...tilesOf(figures));
  drawCharts();
  $("applications").replaceChildren(...(figures.applications.length
    ? figures.applications.map(applicationCard) : [element("p", {}, "There are none.")]));
  $("tables").replaceChildren(...(figures.tables.length
    ? figures.tables.map(tableCard) : [element("p", {}, "There are none.")]));
}

function say(kind, text) {
  $("state").className = kind;
  $("state").textContent = text;
}

async function get(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
  const data = await answer.json();
  if (data.format !== 1) throw new Error("reload the page, which is of another version");
  return data;
}

async function poll() {
  try {
    const figures = await get("/figures");
    if (!state.paused) {
      const late = MAX_PAUSES * figures.pause_seconds + LATE_SECONDS;
      if (figures.time_ms !== state.last) {
        state.history = await get("/history");
        state.last = figures.time_ms;
        draw(figures);
      } else if (figures.age_seconds > late) {
        say("bad", `No reading since ${age(figures.age_seconds)}`);
      }
    }
  } catch (error) {
    state.last = 0;
    say("bad", `The monitor does not answer: ${error.message}`);
  }
  setTimeout(poll, POLL_MS);
}

function pause() {
  state.paused = !state.paused;
  state.last = 0;
  $("pause").setAttribute("aria-pressed", String(state.paused));
  if (state.paused) say("wait", `Paused at ${new Date().toLocaleTimeString()}`);
}

$("pause").addEventListener("click", pause);
document.addEventListener("keydown", (event) => {
  if (event.key === "p" && !event.ctrlKey && !event.metaKey && !event.altKey) pause();
});
poll();
