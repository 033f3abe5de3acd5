// Parallel axes with a line per row. For each gap between two axes, equal lines are counted and drawn once.
import { axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { Density, canvasOf } from "./density.js";
import { byId, fitted, make } from "./dom.js";
import { colour, onPaper } from "./palette.js";
import { drawConstants, drawFields, fillField } from "./range_fields.js";
import { legibleTicks, positions, scaleFor } from "./scales.js";

const height = 270, top = 12, side = 70, strokes = 2500, usualAxes = 8, coarse = 3;
const leastGap = 96, widestBar = 26;

export class ParallelAxes {
  constructor(view) {
    this.view = view;
    this.canvas = byId("parallel-canvas");
    this.svg = select("#parallel-axes");
    this.shown = null;
  }

  offer() {
    const known = this.view.dimensions;
    this.shown ??= this.usual(known);
    const boxes = known.map((dimension) => {
      const box = make("input", { type: "checkbox", onchange: (event) => this.choose(dimension, event.target.checked) });
      box.checked = this.shown.has(dimension.label);
      return make("label", {}, box, ` ${dimension.label}`);
    });
    byId("parallel-choice").replaceChildren(...boxes);
    drawConstants(this.view.model);
    this.prepare();
  }
  // Objectives and parameters that vary, as many as fit.
  usual(known) {
    const fit = Math.floor((byId("parallel-scroll").clientWidth - 2 * side) / leastGap) + 1;
    const most = Math.min(usualAxes, Math.max(3, fit));
    return new Set(known.filter((d) => d.isObjective || d.isParameter).slice(0, most).map((d) => d.label));
  }
  choose(dimension, on) {
    if (on) this.shown.add(dimension.label);
    else this.shown.delete(dimension.label);
    if (!on) this.view.selection.set(dimension, null);
    this.prepare();
    this.view.selected();
  }

  // Axes that do not fit are reached by scrolling, except on paper.
  prepare() {
    const dimensions = this.view.dimensions.filter((dimension) => this.shown.has(dimension.label));
    const gaps = Math.max(1, dimensions.length - 1), box = byId("parallel-scroll").clientWidth;
    const width = onPaper() ? box : Math.max(box, 2 * side + gaps * leastGap);
    Object.assign(this, fitted(this.canvas, width, height + 2 * top), { width });
    this.gap = (width - 2 * side) / gaps;
    this.axes = dimensions.map((dimension, i) => this.axisOf(dimension, Math.round(side + i * this.gap)));
    this.others = null;
    this.drawAxes();
    drawFields(this);
    this.draw();
  }

  axisOf(dimension, x) {
    const scale = scaleFor(dimension, dimension.logFirst, [height, 0]);
    const most = Math.round(height * this.factor);
    const fine = positions(dimension, scale.copy().range([most, 0]), most);
    const rough = fine.map((at) => (at < 0 ? -1 : Math.floor(at / (coarse * this.factor))));
    return { dimension, x, scale, fine, rough };
  }

  drawAxes() {
    this.svg.attr("width", this.width).attr("height", height + 2 * top).selectAll("*").remove();
    for (const axis of this.axes) {
      const room = (axis === this.axes[0] ? side : Math.max(this.gap - widestBar, side)) - 14;
      const ticks = legibleTicks(axis.dimension, axis.scale, { most: 6, room });
      axis.unit = ticks.unit;
      const group = this.svg.append("g").attr("transform", `translate(${axis.x},${top})`);
      group.call(axisLeft(axis.scale).tickValues(ticks.ticks).tickFormat(ticks.text).tickSizeOuter(0));
      axis.bars = group.insert("g", ":first-child");
      axis.range = group.append("rect").attr("class", "range").attr("x", -6).attr("width", 12);
      const handle = group.append("rect").attr("class", "handle").attr("x", -14).attr("y", -6).attr("width", 28)
        .attr("height", height + 12);
      this.brush(handle.node(), axis);
    }
    this.drawRanges();
  }

  // Dragging sets a range, a click without moving removes it.
  brush(node, axis) {
    let from = null;
    const place = (event) => {
      const y = event.clientY - this.canvas.getBoundingClientRect().top - top;
      return Math.min(Math.max(y, 0), height);
    };
    const apply = (event) => {
      const [a, b] = [from, place(event)].sort((l, r) => r - l).map((y) => axis.scale.invert(y));
      const ends = axis.dimension.named ? { low: Math.ceil(a), high: Math.floor(b) } : { low: a, high: b };
      this.view.selection.set(axis.dimension, ends);
    };
    node.addEventListener("pointerdown", (event) => {
      from = place(event);
      node.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    node.addEventListener("pointermove", (event) => {
      if (from === null) return;
      this.view.dragging(() => apply(event), this);
    });
    node.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const moved = Math.abs(place(event) - from) > 3;
      if (moved) apply(event);
      else this.view.selection.set(axis.dimension, null);
      from = null;
      fillField(this.view, axis);
      this.drawRanges();
      this.view.selected();
    });
  }

  drawRanges() {
    for (const axis of this.axes) {
      const range = this.view.selection.get(axis.dimension);
      axis.range.style("display", range ? null : "none");
      if (!range) continue;
      const pad = axis.dimension.named ? 0.4 : 0;
      const [low, high] = axis.scale.domain();
      const a = axis.scale(Math.min(Math.max(range.low - pad, low), high));
      const b = axis.scale(Math.min(Math.max(range.high + pad, low), high));
      axis.range.attr("y", Math.min(a, b)).attr("height", Math.max(2, Math.abs(a - b)));
    }
  }

  // Bars: how many rows have each value, all and selected ones; only for parameters with few values.
  drawShares() {
    for (const axis of this.axes) {
      const { column } = axis.dimension;
      if (!axis.dimension.isParameter || !column.texts || column.texts.length > 24) continue;
      const all = new Uint32Array(column.texts.length), some = new Uint32Array(column.texts.length);
      const { rows } = this.view.model, { mask } = this.view.selection;
      for (let i = 0; i < rows.length; ++i) {
        const code = column.codes[rows[i]];
        ++all[code];
        some[code] += mask[i];
      }
      const { absent } = axis.dimension;
      const most = all.reduce((high, here, code) => (code === absent ? high : Math.max(high, here)), 1);
      const bars = [...all].flatMap((count, i) => (i === axis.dimension.absent ? [] : [["all", i, count], ["some", i, some[i]]]));
      const drawn = axis.bars.selectAll("rect").data(bars);
      drawn.enter().append("rect").attr("class", (d) => `share-${d[0]}`).attr("x", 3)
        .attr("y", (d) => axis.scale(column.values[d[1]]) - (d[0] === "all" ? 5 : 3))
        .attr("height", (d) => (d[0] === "all" ? 10 : 6)).merge(drawn).attr("width", (d) => (widestBar * d[2]) / most);
    }
  }

  // For a gap: the number of rows per pair of positions on its two axes.
  bins(left, right, mask, size) {
    const { rows } = this.view.model;
    const counts = new Uint32Array(size * size), places = [];
    const [a, b] = [left.dimension.column.codes, right.dimension.column.codes];
    const [from, to] = size === this.roughSize() ? [left.rough, right.rough] : [left.fine, right.fine];
    for (let i = 0; i < rows.length; ++i) {
      if (mask && !mask[i]) continue;
      const row = rows[i];
      const at = from[a ? a[row] : row], end = to[b ? b[row] : row];
      if (at < 0 || end < 0) continue;
      const place = at * size + end;
      if (counts[place]++ === 0) places.push(place);
    }
    return { counts, places };
  }
  roughSize() {
    return Math.floor(height / coarse) + 1;
  }
  fineSize() {
    return Math.round(height * this.factor) + 1;
  }

  lines(mask, tint, rough) {
    const size = rough ? this.roughSize() : this.fineSize();
    const grain = rough ? coarse * this.factor : 1;
    const density = new Density(this.canvas.width, this.canvas.height);
    const few = [];
    for (let g = 0; g + 1 < this.axes.length; ++g) {
      const [left, right] = [this.axes[g], this.axes[g + 1]];
      const { counts, places } = this.bins(left, right, mask, size);
      const [x0, x1] = [left.x, right.x].map((x) => Math.round(x * this.factor));
      const y = (bin) => Math.min(Math.round((bin + 0.5 * (grain > 1)) * grain + top * this.factor), density.height - 1);
      if (places.length <= strokes / 8) few.push({ x0, x1, lines: places.map((p) => [y(Math.floor(p / size)), y(p % size), counts[p]]) });
      else for (const p of places) density.line(x0, y(Math.floor(p / size)), x1, y(p % size), counts[p]);
    }
    const canvas = canvasOf(density.toned(tint, 0.12));
    this.stroke(canvas.getContext("2d"), few, tint);
    return canvas;
  }
  stroke(context, gaps, tint) {
    context.strokeStyle = tint;
    context.lineWidth = this.factor;
    for (const { x0, x1, lines } of gaps) {
      const most = lines.reduce((sum, line) => Math.max(sum, line[2]), 1);
      for (const [y0, y1, count] of lines) {
        context.globalAlpha = 0.18 + 0.6 * (Math.log1p(count) / Math.log1p(most)) / Math.max(1, Math.sqrt(lines.length / 40));
        context.beginPath();
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
        context.stroke();
      }
    }
  }

  draw(rough = false) {
    const { context, factor } = this;
    if (!this.axes) return;
    this.others ??= this.lines(null, colour.other, false);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const { active, mask } = this.view.selection;
    context.globalAlpha = 0.55;
    context.drawImage(this.others, 0, 0);
    context.globalAlpha = 1;
    if (active) context.drawImage(this.lines(mask, colour.selection, rough), 0, 0);
    context.setTransform(factor, 0, 0, factor, 0, top * factor);
    this.drawMembers();
    this.drawShares();
  }

  drawMembers() {
    const { model } = this.view;
    const chosen = new Set(model.members.length <= 300 ? model.members : []);
    for (const row of chosen) if (this.view.selection.meets(row)) this.line(row, colour.front, 1, 0.75);
    for (const [name, row] of this.view.pinned()) this.line(row, colour[`pin${name}`], 3, 1);
  }
  line(row, tint, wide, alpha) {
    const { context } = this;
    Object.assign(context, { strokeStyle: tint, lineWidth: wide, globalAlpha: alpha });
    context.beginPath();
    let open = false;
    for (const axis of this.axes) {
      const value = axis.dimension.number(row);
      if (Number.isNaN(value)) {
        open = false;
        continue;
      }
      if (open) context.lineTo(axis.x, axis.scale(value));
      else context.moveTo(axis.x, axis.scale(value));
      open = true;
    }
    context.stroke();
    context.globalAlpha = 1;
  }
}
