// Plot of two dimensions: density of all rows, the front of the two as steps, designs on the front with intervals.
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { told } from "./best.js";
import { Density, canvasOf } from "./density.js";
import { byId, fitted, options } from "./dom.js";
import { drawMarks, stepsOf } from "./front_marks.js";
import { channels, colour, ramped } from "./palette.js";
import { legibleTicks, padded, positions, scaleFor } from "./scales.js";

const margin = { right: 16, top: 12, bottom: 46 }, leastLeft = 58, mostLabel = 150;
const height = 400, fewRows = 3000;
const pad = 14;  // so that marks at both ends are complete

export class FrontPlot {
  constructor(view) {
    this.view = view;
    this.canvas = byId("front-canvas");
    this.svg = select("#front-axes");
    this.log = { x: null, y: null };
    this.part = { x: null, y: null };  // values between these ends are shown; null: all
    for (const side of ["x", "y"]) {
      byId(`front-${side}`).addEventListener("change", () => this.changed(side));
      byId(`front-${side}-log`).addEventListener("change", (event) => {
        this.log[side] = event.target.checked;
        this.part[side] = null;
        this.prepare();
      });
    }
    byId("front-colour").addEventListener("change", () => this.prepare());
    byId("front-whole").addEventListener("click", () => this.show(null, null));
    this.listen();
  }

  // Offers the dimensions after a change of rows or scenario.
  offer() {
    this.dimensions = this.view.dimensions;
    const names = this.dimensions.map((d) => [d.name, d.label]);
    const kept = (id, usual) => (names.some(([name]) => name === byId(id).value) ? byId(id).value : usual);
    const [x, second] = this.dimensions.filter((d) => !d.isOfDraws);
    const figures = told.map((name) => this.dimensions.find((d) => d.about.base === name && d !== x)).filter(Boolean);
    const y = second?.isObjective ? second : figures[0] ?? second;
    options(byId("front-x"), names, kept("front-x", x.name));
    options(byId("front-y"), names, kept("front-y", (y ?? x).name));
    const usualColour = names.some(([name]) => name === "machine") ? "machine" : "";
    options(byId("front-colour"), [["", "density"], ...names], kept("front-colour", usualColour));
    this.show(null, null);
  }
  changed(side) {
    this.log[side] = null;
    this.part[side] = null;
    this.prepare();
  }
  // Shows the values between these ends; null: all.
  show(x, y) {
    this.part = { x, y };
    this.prepare();
  }
  chosen(id) {
    return this.dimensions.find((dimension) => dimension.name === byId(id).value);
  }

  prepare() {
    const width = byId("front-box").clientWidth;
    Object.assign(this, fitted(this.canvas, width, height));
    const inner = height - margin.top - margin.bottom;
    this.y = this.side("y", [inner, 0], { most: 7, room: mostLabel });
    this.left = Math.max(leastLeft, Math.ceil(this.y.ticks.widest) + 36);
    this.inner = { width: Math.max(120, width - this.left - margin.right), height: inner };
    const most = Math.max(3, Math.floor(this.inner.width / 90));
    this.x = this.side("x", [0, this.inner.width], { most, across: true });
    this.hue = this.chosen("front-colour");
    this.tints = this.hue && this.tintsOf(this.hue);
    this.steps = stepsOf(this);
    this.others = null;
    byId("front-whole").hidden = !this.part.x && !this.part.y;
    this.drawAxes();
    this.draw();
  }

  side(name, range, labels) {
    const dimension = this.chosen(`front-${name}`);
    const refusal = dimension.logRefusal();
    const log = !refusal && (this.log[name] ?? dimension.logFirst);
    const box = byId(`front-${name}-log`);
    Object.assign(box, { checked: log, disabled: Boolean(refusal), title: refusal && `not logarithmic: ${refusal}` });
    const part = this.part[name];
    const scale = padded(scaleFor(dimension, log, range, part), dimension.named || part ? 0 : pad);
    const full = scale.copy().range(range.map((end) => end * this.factor));
    const ticks = legibleTicks(dimension, scale, labels);
    return { dimension, scale, ticks, at: positions(dimension, full, Math.max(...range) * this.factor) };
  }

  drawAxes() {
    this.svg.attr("width", this.canvas.clientWidth || 300).attr("height", height);
    const { left, inner } = this;
    const draw = (id, axis, { dimension, scale, ticks }, shift) => {
      this.svg.select(id).attr("transform", `translate(${shift})`)
        .call(axis(scale).tickValues(ticks.ticks).tickFormat(ticks.text).tickSizeOuter(0));
      const unit = ticks.unit ? ` (${ticks.unit})` : "";
      const better = { minimize: ", less is better", maximize: ", more is better" }[dimension.better] ?? "";
      return dimension.label + unit + better;
    };
    const x = draw(".x", axisBottom, this.x, [left, margin.top + inner.height]);
    const y = draw(".y", axisLeft, this.y, [left, margin.top]);
    this.svg.select(".x-name").attr("x", left + inner.width / 2).attr("y", height - 6).text(x);
    const middle = margin.top + inner.height / 2;
    this.svg.select(".y-name").attr("transform", `translate(13,${middle}) rotate(-90)`).text(y);
  }

  density(mask) {
    const { rows } = this.view.model;
    const { width, height: inner } = this.inner;
    const drawn = new Density(Math.round(width * this.factor) + 1, Math.round(inner * this.factor) + 1);
    const size = this.markSize();
    const [cx, cy] = [this.x.dimension.column.codes, this.y.dimension.column.codes];
    for (let i = 0; i < rows.length; ++i) {
      if (mask && !mask[i]) continue;
      const row = rows[i];
      const x = this.x.at[cx ? cx[row] : row], y = this.y.at[cy ? cy[row] : row];
      if (x >= 0 && y >= 0) drawn.mark(x, y, size);
    }
    return drawn;
  }

  // A colour for each entry of the dimension that colour shows; rows of machines that lack it are grey.
  tintsOf(hue) {
    const [low, high] = hue.extent();
    const scale = scaleFor(hue, hue.logFirst, [0, 1]);
    const none = channels(colour.other);
    const place = (value) => (low === high ? 0.5 : hue.named ? (value - low) / (high - low) : scale(value));
    const few = hue.named && high - low < colour.series.length;  // names have no order, so a ramp does not fit
    const tint = (value) => (few ? channels(colour.series[value - low]) : ramped(place(value)));
    return Array.from(hue.column.values, (value, entry) =>
      entry === hue.absent || Number.isNaN(value) ? none : tint(value));
  }

  // Every pixel has the colour of the last row on it.
  hued() {
    const drawn = this.density(this.view.selection.mask);
    const image = drawn.toned("#000000", 1);
    const pixels = image.data, { rows } = this.view.model, { mask } = this.view.selection;
    const size = this.markSize(), from = size >> 1;
    for (let i = 0; i < rows.length; ++i) {
      if (!mask[i]) continue;
      const row = rows[i], [red, green, blue] = this.tints[this.hue.column.entry(row)];
      const x = this.x.at[this.x.dimension.column.entry(row)], y = this.y.at[this.y.dimension.column.entry(row)];
      if (x < 0 || y < 0) continue;
      for (let dy = Math.max(0, y - from); dy < Math.min(drawn.height, y - from + size); ++dy) {
        for (let dx = Math.max(0, x - from); dx < Math.min(drawn.width, x - from + size); ++dx)
          pixels.set([red, green, blue], 4 * (dy * drawn.width + dx));
      }
    }
    return image;
  }
  markSize() {
    const few = this.view.model.rows.length <= fewRows;
    return few ? Math.round(4 * this.factor) : Math.max(2, Math.round(1.5 * this.factor));
  }

  draw() {
    if (!this.inner) return;
    const { context, factor } = this;
    const { active, mask } = this.view.selection;
    this.others ??= canvasOf(this.density(null).toned(colour.other, 0.3));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const [left, top] = [Math.round(this.left * factor), Math.round(margin.top * factor)];
    if (active || this.hue) context.globalAlpha = 0.45;
    context.drawImage(this.others, left, top);
    context.globalAlpha = 1;
    const over = this.hue ? this.hued() : this.density(mask).toned(colour.selection, 0.35);
    context.drawImage(canvasOf(over), left, top);
    context.setTransform(factor, 0, 0, factor, left, top);
    drawMarks(this);
  }

  place(row) {
    const value = (side) => side.scale(side.dimension.number(row));
    return [value(this.x), value(this.y)];
  }

  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = [event.clientX - box.left - this.left, event.clientY - box.top - margin.top];
    const [mx, my] = at.map((pixels) => pixels * this.factor);
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
    this.listenToDrags();
    this.canvas.addEventListener("click", (event) => {
      if (this.dragged) return;
      const row = this.nearest(event);
      if (row >= 0) this.view.show(row);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const row = this.nearest(event);
      tip.hidden = row < 0;
      if (row < 0) return;
      tip.textContent = this.told(row);
      tip.style.left = `${Math.min(event.pageX + 14, document.documentElement.clientWidth - 300)}px`;
      tip.style.top = `${event.pageY + 14}px`;
    });
    this.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
    box.addEventListener("keydown", (event) => this.walk(event));
  }

  // A box that is drawn is what is shown next.
  listenToDrags() {
    const drawn = byId("front-box-drawn"), least = 6;
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const inside = (value, most) => Math.min(Math.max(value, 0), most);
      return [inside(event.clientX - box.left - this.left, this.inner.width), inside(event.clientY - box.top - margin.top, this.inner.height)];
    };
    const boxTo = (event) => [0, 1].map((i) => [this.dragFrom[i], at(event)[i]].sort((a, b) => a - b));
    this.canvas.addEventListener("pointerdown", (event) => {
      this.dragFrom = at(event);
      this.dragged = false;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.dragFrom) return;
      const [[left, right], [top, bottom]] = boxTo(event);
      this.dragged ||= right - left > least && bottom - top > least;
      drawn.hidden = !this.dragged;
      Object.assign(drawn.style, { left: `${this.left + left}px`, top: `${margin.top + top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const [[left, right], [top, bottom]] = boxTo(event);
      this.dragFrom = null;
      drawn.hidden = true;
      if (this.dragged && right > left && bottom > top) this.show([left, right].map(this.x.scale.invert), [bottom, top].map(this.y.scale.invert));
    });
    this.canvas.addEventListener("pointercancel", () => {
      this.dragFrom = null;
      drawn.hidden = true;
    });
  }
  // Around the chosen design, or the middle.
  zoom(factor) {
    const row = this.view.current();
    const [x, y] = row === undefined ? [this.inner.width / 2, this.inner.height / 2] : this.place(row);
    const ends = (at, most) => [at - at * factor, at + (most - at) * factor];
    const [top, bottom] = ends(y, this.inner.height);
    this.show(ends(x, this.inner.width).map(this.x.scale.invert), [bottom, top].map(this.y.scale.invert));
  }

  // The text of the tooltip of a design.
  told(row) {
    const drawn = new Map([this.x.dimension, this.y.dimension, this.hue].filter(Boolean).map((d) => [d.name, d]));
    const values = [...drawn.values()].map((dimension) => `${dimension.label} ${dimension.text(row)}`);
    const mark = this.view.model.front.text(row) === "front" ? "◆ " : "";
    return `${mark}${this.view.model.id(row)}: ${values.join(", ")}`;
  }

  // Arrow keys move along the designs on the front.
  walk(event) {
    const factor = { "+": 0.5, "=": 0.5, "-": 2 }[event.key];
    if (factor && event.target === byId("front-box")) this.zoom(factor);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { members } = this.view.model;
    if (!step || !members.length || event.target !== byId("front-box")) return;
    event.preventDefault();
    const order = [...members].sort((a, b) => this.place(a)[0] - this.place(b)[0]);
    const at = order.indexOf(this.view.current());
    this.view.show(order[at < 0 ? 0 : Math.min(Math.max(at + step, 0), order.length - 1)]);
  }
}
