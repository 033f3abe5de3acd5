// Marks over the density of the front plot: the front of x and y as steps, designs on the front with their intervals,
// selected designs A and B, and the legend of the colours.
import { byId, fitted, make } from "./dom.js";
import { colour, ramped } from "./palette.js";

export function drawMarks(plot) {
  const { context, inner } = plot;
  context.save();
  context.beginPath();
  context.rect(-9, -9, inner.width + 18, inner.height + 18);
  context.clip();
  drawSteps(plot);
  drawMembers(plot);
  drawPins(plot);
  context.restore();
  drawKey(plot);
}

// The front of x and y, if both have a better direction.
export function stepsOf(plot) {
  const [x, y] = [plot.x.dimension, plot.y.dimension];
  const sign = (d) => ({ minimize: 1, maximize: -1 })[d.better] ?? 0;
  if (!sign(x) || !sign(y) || x.name === y.name) return [];
  const best = new Map();
  for (const row of plot.view.model.rows) {
    const entry = x.column.entry(row), value = sign(y) * y.number(row);
    if (!(best.get(entry) <= value)) best.set(entry, value);
  }
  const steps = [];
  let lowest = Infinity;
  const order = [...best].sort((a, b) => sign(x) * (x.column.values[a[0]] - x.column.values[b[0]]));
  for (const [entry, value] of order) {
    if (!(value < lowest)) continue;
    lowest = value;
    steps.push([plot.x.scale(x.column.values[entry]), plot.y.scale(sign(y) * value)]);
  }
  return steps;
}

function drawSteps(plot) {
  const { context } = plot;
  if (plot.steps.length < 2) return;
  context.strokeStyle = colour.front;
  context.lineWidth = 1.5;
  context.beginPath();
  plot.steps.forEach(([x, y], i) => {
    if (i === 0) return context.moveTo(x, y);
    context.lineTo(x, plot.steps[i - 1][1]);
    return context.lineTo(x, y);
  });
  context.stroke();
}

const size = 4.5;

// Designs on the front that can be told apart: of those that lie on each other the best in x, in y, then the first.
function thinned(plot) {
  const { members } = plot.view.model;
  const least = (at) => members.reduce((best, row) => (best === undefined || at(row) < at(best) ? row : best), undefined);
  const signed = ({ dimension }) => (row) => (dimension.better === "maximize" ? -1 : 1) * dimension.number(row);
  const taken = new Set(), kept = [];
  for (const row of new Set([...(members.length ? [least(signed(plot.x)), least(signed(plot.y))] : []), ...members])) {
    const [x, y] = plot.place(row).map((at) => Math.round(at / size));
    if (taken.has(`${x},${y}`)) continue;
    taken.add(`${x},${y}`);
    kept.push(row);
  }
  return kept;
}

function drawMembers(plot) {
  const { context } = plot, members = thinned(plot), all = plot.view.model.members.length;
  byId("front-thinned").textContent = members.length < all ? `${members.length} of ${all} ◆ are drawn, the others lie on them.` : "";
  context.lineWidth = 1;
  members.forEach((row) => drawWhiskers(plot, row));
  context.strokeStyle = plot.hue ? colour.text : colour.panel;
  for (const row of members) {
    const [x, y] = plot.place(row);
    context.fillStyle = plot.hue ? `rgb(${plot.tints[plot.hue.column.entry(row)]})` : colour.front;
    context.beginPath();
    [[0, -size], [size, 0], [0, size], [-size, 0]].forEach(([dx, dy]) => context.lineTo(x + dx, y + dy));
    context.closePath();
    context.fill();
    context.stroke();
  }
}

// Intervals that are wider than this many times their lower end say little and hide the others.
const widestDrawn = 3;
const isDrawn = (interval) => interval && interval[1] <= widestDrawn * interval[0];

function drawWhiskers(plot, row) {
  const { context } = plot;
  const [x, y] = plot.place(row);
  context.strokeStyle = colour.front;
  const horizontal = plot.view.model.interval(plot.x.dimension, row);
  const vertical = plot.view.model.interval(plot.y.dimension, row);
  context.beginPath();
  const inside = (value, most) => Math.min(Math.max(value, 0), most);
  if (isDrawn(horizontal)) {
    const [from, to] = horizontal.map((end) => inside(plot.x.scale(end), plot.inner.width));
    context.moveTo(from, y);
    context.lineTo(to, y);
  }
  if (isDrawn(vertical)) {
    const [from, to] = vertical.map((end) => inside(plot.y.scale(end), plot.inner.height));
    context.moveTo(x, from);
    context.lineTo(x, to);
  }
  context.stroke();
}

function drawPins(plot) {
  const { context } = plot;
  for (const [name, row] of plot.view.pinned()) {
    const [x, y] = plot.place(row);
    context.strokeStyle = colour[`pin${name}`];
    context.fillStyle = colour[`pin${name}`];
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(x, y, 8, 0, 2 * Math.PI);
    context.stroke();
    context.font = "bold 14px system-ui, sans-serif";
    context.fillText(name, x + (x > plot.inner.width - 24 ? -22 : 11), y + (y < 18 ? 16 : -7));
  }
}

// The legend, if colour shows a parameter or metric: all values, or the ends of the ramp.
function drawKey(plot) {
  const { hue } = plot, values = hue ? seenValues(hue) : [];
  byId("chosen-key").hidden = Boolean(hue);
  byId("front-key").hidden = !hue;
  byId("front-key-ramp").hidden = Boolean(values.length);
  byId("front-key-values").replaceChildren(...values.map((entry) => swatch(plot, entry)));
  if (hue && !values.length) drawRamp(hue);
}

// The entries for the legend; none if there are too many.
function seenValues(hue) {
  const { texts } = hue.column;
  const entries = (texts ?? []).map((_, entry) => entry).filter((entry) => entry !== hue.absent);
  return entries.length <= colour.series.length ? entries : [];
}
function swatch(plot, entry) {
  const mark = make("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = `rgb(${plot.tints[entry]})`;
  return make("span", {}, mark, ` ${plot.hue.entryText(entry)}`);
}

function drawRamp(hue) {
  const [low, high] = hue.extent();
  const entry = (value) => hue.entryText(hue.column.values.indexOf(value));
  byId("front-key-low").textContent = `${hue.label} ${entry(low)}`;
  byId("front-key-high").textContent = entry(high);
  const bar = byId("front-key-bar"), { context } = fitted(bar, 120, 12);
  for (let x = 0; x < bar.width; ++x) {
    context.fillStyle = `rgb(${ramped(x / (bar.width - 1))})`;
    context.fillRect(x, 0, 1, 99);
  }
}
