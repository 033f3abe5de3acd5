// Growth of the front: the share of the box around all results that it dominates, and its number of designs.
import { axisBottom, axisLeft, axisRight } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { byId, make } from "./dom.js";
import { textWidth } from "./text_width.js";
import { count, counted } from "./units.js";

const height = 210, top = 10, bottom = 42, widest = 720, ticks = 5;

const least = (points, of) => points.reduce((low, point) => Math.min(low, point[of]), Infinity);
const most = (points, of) => points.reduce((high, point) => Math.max(high, point[of]), -Infinity);

// Scale of the shares, up to 1; a constant share has space below it.
function sharesOf(points) {
  const [low, high] = [least(points, 1), most(points, 1)];
  const end = high <= 1 && 1 - high < 0.5 * (high - low || 1) ? 1 : high;
  const begin = low < end ? low : end - (Math.abs(end) || 1) / 2;
  return scaleLinear().domain([begin, end]).nice(ticks).range([height - bottom, top]);
}
function membersOf(points) {
  return scaleLinear().domain([0, most(points, 2) || 1]).nice(4).range([height - bottom, top]);
}

const room = (texts) => Math.ceil(Math.max(...texts.map(textWidth))) + 14;

function drawn(svg, points, width) {
  const shares = sharesOf(points), members = membersOf(points);
  const whole = members.ticks(4).filter(Number.isInteger);
  const left = room(shares.ticks(ticks).map(shares.tickFormat(ticks)));
  const right = width - room(whole.map(members.tickFormat(4)));
  const x = scaleLinear().domain([0, points[points.length - 1][0]]).range([left, right]);
  const path = (of, scale) => `M${points.map((point) => `${x(point[0])},${scale(point[of])}`).join("L")}`;
  svg.append("path").attr("class", "members-line").attr("d", path(2, members));
  svg.append("path").attr("class", "share-line").attr("d", path(1, shares));
  const axis = (shift, what) => svg.append("g").attr("transform", `translate(${shift})`).call(what);
  const fit = Math.max(2, Math.floor((right - left) / 80));
  axis([0, height - bottom], axisBottom(x).ticks(fit).tickFormat(count));
  axis([left, 0], axisLeft(shares).ticks(ticks));
  axis([right, 0], axisRight(members).tickValues(whole).tickFormat(members.tickFormat(4)));
  svg.append("text").attr("class", "axis-title").attr("x", (left + right) / 2).attr("y", height - 5)
    .text("results, in the order of ids");
}

export function drawHistory({ facts }) {
  const box = byId("history");
  const points = facts.history.filter(([, share]) => share !== null);
  byId("history-key").hidden = points.length < 2;
  if (points.length < 2) return box.replaceChildren(make("p", { class: "note" }, inWords(points)));
  box.replaceChildren();
  const width = Math.min(widest, Math.max(240, box.clientWidth));
  const [first, last] = [points[0][1], points[points.length - 1][1]].map((share) => share.toPrecision(3));
  const svg = select(box).append("svg").attr("width", width).attr("height", height).attr("role", "img")
    .attr("aria-label", `share of the box that the front dominates: ${first} at first, ${last} in the end`);
  return drawn(svg, points, width);
}

// With more than three objectives, files record the growth every 65,536 results.
function inWords([only]) {
  if (!only) return "The file does not record how its front grew.";
  const [answers, share, members] = only;
  return `After ${counted(answers, "result")} the front had ${counted(members, "design")} and dominated ` +
    `${Number((100 * share).toPrecision(3))} % of the box around all results. ` +
    "The file has no earlier record.";
}
