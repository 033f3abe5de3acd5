// A small chart of a few lines: axes with units, limits as dashed lines with their texts.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { create } from "d3-selection";
import { legibleTicks } from "./scales.js";
import { textWidth } from "./text_width.js";

const height = 230, top = 16, bottom = 42, right = 12, mostTicks = 6;

// An axis is { title, unit, low, high, log }.
function scaleOf({ low, high, log }, range) {
  const end = high > low ? high : low + (Math.abs(low) || 1);
  return (log ? scaleLog().clamp(true) : scaleLinear()).domain([low, end]).range(range);
}
const ticksOf = (axis, scale, more) => legibleTicks({ named: false, isParameter: false, unit: axis.unit }, scale, { most: mostTicks, ...more });
const titleOf = ({ title }, { unit }) => (unit ? `${title} (${unit})` : title);

// Lines are { points: [[x, y], ...], class, stepped }, limits { x or y, text, class }. `told`: what the chart shows, in
// words.
export function chart({ width, told, x, y, lines, limits }) {
  const svg = create("svg").attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", told);
  const up = scaleOf(y, [height - bottom, top]);
  const yTicks = ticksOf(y, up);
  const left = Math.ceil(yTicks.widest) + 32;
  const across = scaleOf(x, [left, width - right]);
  const xTicks = ticksOf(x, across, { across: true });
  const axis = (shift, what, ticks) => svg.append("g").attr("transform", `translate(${shift})`)
    .call(what.tickValues(ticks.ticks).tickFormat(ticks.text).tickSizeOuter(0));
  axis([0, height - bottom], axisBottom(across), xTicks);
  axis([left, 0], axisLeft(up), yTicks);
  svg.append("text").attr("class", "axis-title").attr("x", (left + width - right) / 2).attr("y", height - 6).text(titleOf(x, xTicks));
  svg.append("text").attr("class", "axis-title").attr("transform", `translate(12,${(top + height - bottom) / 2}) rotate(-90)`).text(titleOf(y, yTicks));
  for (const line of lines) svg.append("path").attr("class", `curve ${line.class}`).attr("d", pathOf(line, across, up));
  for (const limit of limits) drawLimit(svg, limit, across, up, { left, width });
  return svg.node();
}

function pathOf({ points, stepped }, across, up) {
  const at = points.map(([x, y]) => [across(x).toFixed(1), up(y).toFixed(1)]);
  return at.map(([x, y], i) => (i === 0 ? `M${x},${y}` : stepped ? `H${x}V${y}` : `L${x},${y}`)).join("");
}

// A vertical line at x, or a horizontal one at y, over the whole chart. `row`: the line of its text, from below, where
// curves of shares and of goodput leave room.
function drawLimit(svg, { x, y, text, class: name, row = 0 }, across, up, { left, width }) {
  const line = svg.append("line").attr("class", `limit ${name}`);
  if (y !== undefined) return line.attr("x1", left).attr("x2", width - right).attr("y1", up(y)).attr("y2", up(y));
  const at = across(x);
  line.attr("x1", at).attr("x2", at).attr("y1", top).attr("y2", height - bottom);
  const fits = at + 4 + textWidth(text) < width;
  return svg.append("text").attr("class", `limit-text ${name}`).attr("x", at + (fits ? 4 : -4)).attr("y", height - bottom - 6 - 13 * row)
    .attr("text-anchor", fits ? "start" : "end").text(text);
}
