// Two dimensions of all rows: density, the steps of what is best in both, the front's designs with their intervals.
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { Density, canvasOf } from "./density.js";
import { byId, fitted, options } from "./dom.js";
import { colour, ramped } from "./palette.js";
import { positions, scaleFor, ticksOf } from "./scales.js";

const margin = { left: 74, right: 16, top: 12, bottom: 46 };
const height = 400, fewRows = 3000;

export class FrontPlot {
  constructor(view) {
    this.view = view;
    this.canvas = byId("front-canvas");
    this.svg = select("#front-axes");
    this.log = { x: null, y: null };
    for (const side of ["x", "y"]) {
      byId(`front-${side}`).addEventListener("change", () => this.changed(side));
      byId(`front-${side}-log`).addEventListener("change", (event) => {
        this.log[side] = event.target.checked;
        this.prepare();
      });
    }
    byId("front-colour").addEventListener("change", () => this.prepare());
    this.listen();
  }

  // New dimensions: other rows, another scenario.
  offer() {
    this.dimensions = this.view.dimensions;
    const names = this.dimensions.map((d) => [d.name, d.label]);
    const kept = (id, usual) => (names.some(([name]) => name === byId(id).value) ? byId(id).value : usual);
    const [x, y] = this.dimensions;
    options(byId("front-x"), names, kept("front-x", x.name));
    options(byId("front-y"), names, kept("front-y", (y ?? x).name));
    options(byId("front-colour"), [["", "how many"], ...names], kept("front-colour", ""));
    this.prepare();
  }
  changed(side) {
    this.log[side] = null;
    this.prepare();
  }
  chosen(id) {
    return this.dimensions.find((dimension) => dimension.name === byId(id).value);
  }

  prepare() {
    const width = byId("front-box").clientWidth;
    this.inner = { width: Math.max(120, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
    Object.assign(this, fitted(this.canvas, width, height));
    this.x = this.side("x", [0, this.inner.width]);
    this.y = this.side("y", [this.inner.height, 0]);
    this.hue = this.chosen("front-colour");
    this.steps = this.stepsOf();
    this.others = null;
    this.drawAxes();
    this.draw();
  }

  side(name, range) {
    const dimension = this.chosen(`front-${name}`);
    const refusal = dimension.logRefusal();
    const log = !refusal && (this.log[name] ?? dimension.logFirst);
    const box = byId(`front-${name}-log`);
    Object.assign(box, { checked: log, disabled: Boolean(refusal), title: refusal && `not logarithmic: ${refusal}` });
    const scale = scaleFor(dimension, log, range);
    const full = scale.copy().range(range.map((end) => end * this.factor));
    return { dimension, scale, at: positions(dimension, full, Math.max(...range) * this.factor) };
  }

  drawAxes() {
    this.svg.attr("width", this.canvas.clientWidth || 300).attr("height", height);
    const { width, height: inner } = this.inner;
    const draw = (id, axis, side, most, shift) => {
      const ticks = ticksOf(side.dimension, side.scale, most);
      this.svg.select(id).attr("transform", `translate(${shift})`)
        .call(axis(side.scale).tickValues(ticks.ticks).tickFormat(ticks.text).tickSizeOuter(0));
      const unit = ticks.unit ? ` (${ticks.unit})` : "";
      const better = { minimize: ", less is better", maximize: ", more is better" }[side.dimension.better] ?? "";
      return side.dimension.label + unit + better;
    };
    const x = draw(".x", axisBottom, this.x, Math.max(3, Math.floor(width / 90)), [margin.left, margin.top + inner]);
    const y = draw(".y", axisLeft, this.y, 7, [margin.left, margin.top]);
    this.svg.select(".x-name").attr("x", margin.left + width / 2).attr("y", height - 6).text(x);
    this.svg.select(".y-name").attr("transform", `translate(13,${margin.top + inner / 2}) rotate(-90)`).text(y);
  }

  // The best of one for each of the other, where more or less of both is better.
  stepsOf() {
    const [x, y] = [this.x.dimension, this.y.dimension];
    const sign = (d) => ({ minimize: 1, maximize: -1 })[d.better] ?? 0;
    if (!sign(x) || !sign(y) || x.name === y.name) return [];
    const best = new Map();
    for (const row of this.view.model.rows) {
      const entry = x.column.entry(row), value = sign(y) * y.number(row);
      if (!(best.get(entry) <= value)) best.set(entry, value);
    }
    const steps = [];
    let lowest = Infinity;
    const order = [...best].sort((a, b) => sign(x) * (x.column.values[a[0]] - x.column.values[b[0]]));
    for (const [entry, value] of order) {
      if (!(value < lowest)) continue;
      lowest = value;
      steps.push([this.x.scale(x.column.values[entry]), this.y.scale(sign(y) * value)]);
    }
    return steps;
  }

  density(mask) {
    const { rows } = this.view.model;
    const { width, height: inner } = this.inner;
    const drawn = new Density(Math.round(width * this.factor) + 1, Math.round(inner * this.factor) + 1);
    const size = rows.length > fewRows ? Math.max(2, Math.round(1.5 * this.factor)) : Math.round(4 * this.factor);
    const [cx, cy] = [this.x.dimension.column.codes, this.y.dimension.column.codes];
    for (let i = 0; i < rows.length; ++i) {
      if (mask && !mask[i]) continue;
      const row = rows[i];
      const x = this.x.at[cx ? cx[row] : row], y = this.y.at[cy ? cy[row] : row];
      if (x >= 0 && y >= 0) drawn.mark(x, y, size);
    }
    return drawn;
  }

  // Every pixel in the colour of the last row on it.
  hued() {
    const drawn = this.density(this.view.selection.mask);
    const image = drawn.toned("#000000", 1);
    const pixels = image.data, { rows } = this.view.model, { mask } = this.view.selection;
    const [low, high] = this.hue.extent();
    const scale = scaleFor(this.hue, this.hue.logFirst, [0, 1]);
    const size = rows.length > fewRows ? Math.max(2, Math.round(1.5 * this.factor)) : Math.round(4 * this.factor);
    const from = size >> 1;
    const entries = Array.from(this.hue.column.values, (value) => ramped(low === high ? 0.5 : scale(value)));
    for (let i = 0; i < rows.length; ++i) {
      if (!mask[i]) continue;
      const row = rows[i], [red, green, blue] = entries[this.hue.column.entry(row)];
      const x = this.x.at[this.x.dimension.column.entry(row)], y = this.y.at[this.y.dimension.column.entry(row)];
      if (x < 0 || y < 0) continue;
      for (let dy = Math.max(0, y - from); dy < Math.min(drawn.height, y - from + size); ++dy) {
        for (let dx = Math.max(0, x - from); dx < Math.min(drawn.width, x - from + size); ++dx)
          pixels.set([red, green, blue], 4 * (dy * drawn.width + dx));
      }
    }
    return image;
  }

  draw() {
    if (!this.inner) return;
    const { context, factor } = this;
    const { active, mask } = this.view.selection;
    this.others ??= canvasOf(this.density(null).toned(colour.other, 0.3));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const [left, top] = [Math.round(margin.left * factor), Math.round(margin.top * factor)];
    if (active || this.hue) context.globalAlpha = 0.45;
    context.drawImage(this.others, left, top);
    context.globalAlpha = 1;
    const over = this.hue ? this.hued() : this.density(mask).toned(colour.selection, 0.35);
    context.drawImage(canvasOf(over), left, top);
    context.setTransform(factor, 0, 0, factor, left, top);
    this.drawSteps();
    this.drawMembers();
    this.drawPins();
    this.drawKey();
  }

  drawSteps() {
    const { context } = this;
    if (this.steps.length < 2) return;
    context.strokeStyle = colour.front;
    context.lineWidth = 1.5;
    context.beginPath();
    this.steps.forEach(([x, y], i) => {
      if (i === 0) return context.moveTo(x, y);
      context.lineTo(x, this.steps[i - 1][1]);
      return context.lineTo(x, y);
    });
    context.stroke();
  }

  place(row) {
    const value = (side) => side.scale(side.dimension.number(row));
    return [value(this.x), value(this.y)];
  }

  drawMembers() {
    const { context } = this, { members } = this.view.model;
    context.lineWidth = 1;
    if (members.length <= 500) members.forEach((row) => this.drawWhiskers(row));
    context.fillStyle = colour.front;
    context.strokeStyle = colour.panel;
    const size = members.length > 500 ? 2.5 : 4.5;
    for (const row of members) {
      const [x, y] = this.place(row);
      context.beginPath();
      [[0, -size], [size, 0], [0, size], [-size, 0]].forEach(([dx, dy]) => context.lineTo(x + dx, y + dy));
      context.closePath();
      context.fill();
      if (size > 3) context.stroke();
    }
  }

  drawWhiskers(row) {
    const { context } = this;
    const [x, y] = this.place(row);
    context.strokeStyle = colour.front;
    const horizontal = this.view.model.interval(this.x.dimension, row);
    const vertical = this.view.model.interval(this.y.dimension, row);
    context.beginPath();
    const inside = (value, most) => Math.min(Math.max(value, 0), most);
    if (horizontal) {
      const [from, to] = horizontal.map((end) => inside(this.x.scale(end), this.inner.width));
      context.moveTo(from, y);
      context.lineTo(to, y);
    }
    if (vertical) {
      const [from, to] = vertical.map((end) => inside(this.y.scale(end), this.inner.height));
      context.moveTo(x, from);
      context.lineTo(x, to);
    }
    context.stroke();
  }

  drawPins() {
    const { context } = this;
    for (const [name, row] of this.view.pinned()) {
      const [x, y] = this.place(row);
      context.strokeStyle = colour[`pin${name}`];
      context.fillStyle = colour[`pin${name}`];
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      context.stroke();
      context.font = "bold 14px system-ui, sans-serif";
      context.fillText(name, x + (x > this.inner.width - 24 ? -22 : 11), y + (y < 18 ? 16 : -7));
    }
  }

  // What the colours mean, where they mean more than how many.
  drawKey() {
    const note = byId("front-key");
    note.hidden = !this.hue;
    if (!this.hue) return;
    const [low, high] = this.hue.extent();
    const entry = (value) => this.hue.entryText(this.hue.column.values.indexOf(value));
    byId("front-key-low").textContent = `${this.hue.label} ${entry(low)}`;
    byId("front-key-high").textContent = entry(high);
    const { context } = fitted(byId("front-key-bar"), 120, 12);
    for (let x = 0; x < byId("front-key-bar").width; ++x) {
      const [red, green, blue] = ramped(x / (byId("front-key-bar").width - 1));
      context.fillStyle = `rgb(${red},${green},${blue})`;
      context.fillRect(x, 0, 1, 99);
    }
  }

  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const [mx, my] = [event.clientX - box.left - margin.left, event.clientY - box.top - margin.top].map((v) => v * this.factor);
    const { rows } = this.view.model, { mask } = this.view.selection;
    let best = -1, least = (14 * this.factor) ** 2;
    const consider = (row, bonus) => {
      const x = this.x.at[this.x.dimension.column.entry(row)], y = this.y.at[this.y.dimension.column.entry(row)];
      const distance = ((x - mx) ** 2 + (y - my) ** 2) * bonus;
      if (x >= 0 && y >= 0 && distance < least) [best, least] = [row, distance];
    };
    this.view.model.members.forEach((row) => consider(row, 0.5));
    for (let i = 0; i < rows.length; ++i) if (mask[i]) consider(rows[i], 1);
    return best;
  }

  listen() {
    const box = byId("front-box"), tip = byId("tip");
    this.canvas.addEventListener("click", (event) => {
      const row = this.nearest(event);
      if (row >= 0) this.view.show(row);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const row = this.nearest(event);
      tip.hidden = row < 0;
      if (row < 0) return;
      const sides = [this.x, this.y].map((side) => `${side.dimension.label} ${side.dimension.text(row)}`);
      tip.textContent = `${this.view.model.id(row)}: ${sides.join(", ")}`;
      tip.style.left = `${Math.min(event.pageX + 14, document.documentElement.clientWidth - 300)}px`;
      tip.style.top = `${event.pageY + 14}px`;
    });
    this.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    box.addEventListener("keydown", (event) => this.walk(event));
  }

  // Arrows go along the front's designs.
  walk(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { members } = this.view.model;
    if (!step || !members.length || event.target !== byId("front-box")) return;
    event.preventDefault();
    const order = [...members].sort((a, b) => this.place(a)[0] - this.place(b)[0]);
    const at = order.indexOf(this.view.current());
    this.view.show(order[at < 0 ? 0 : Math.min(Math.max(at + step, 0), order.length - 1)]);
  }
}
