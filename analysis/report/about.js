// What the page says once: the head, how the front grew, why points have no metrics, who made the file.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { byId, make } from "./dom.js";
import { count, quantity } from "./units.js";

export function drawHead(model) {
  const { facts } = model;
  byId("title").textContent = facts.title;
  byId("statement").textContent = `${facts.statement[0].toUpperCase()}${facts.statement.slice(1)}.`;
  const objectives = model.objectives().map((d) => `${d.label} (${d.better === "maximize" ? "more" : "less"} is better)`);
  const facts_of = [["architecture", facts.architecture], ["objectives", objectives.join(", ")],
    ["points", facts.points ? count(facts.points) : "not known"],
    ["answers", `${count(facts.evaluated)}, ${count(facts.feasible)} feasible`],
    ["front", `${count(facts.columns.length ? model.members.length : 0)} designs, ${model.fidelity}`],
    ["state", facts.state || "complete"], ["digest", facts.digest.slice(0, 12)]];
  byId("facts-list").replaceChildren(...facts_of.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  byId("sample").textContent = [sampleText(facts), leftOutText(model), explainedText(facts)].filter(Boolean).join(" ");
  byId("sample").hidden = !byId("sample").textContent;
}

const needs = { front: "on the front", within: "that their intervals leave a chance to be on it", failed: "without metrics", other: "of the rest" };

function sampleText({ rows, evaluated }) {
  const parts = [];
  if (rows.shown < rows.of) {
    const shown = rows.needs.filter(([, , of]) => of > 0).map(([need, here, of]) => `${here === of ? "all" : count(here) + " of"} ${count(of)} ${needs[need]}`);
    parts.push(`This page has ${count(rows.shown)} of ${count(rows.of)} points: ${shown.join(", ")}; those left out were drawn by lot.`);
  }
  if (rows.of < evaluated) parts.push(`The file keeps ${count(rows.of)} of the ${count(evaluated)} points that were evaluated (--keep front).`);
  return parts.join(" ");
}

function leftOutText(model) {
  const names = model.leftOut();
  return names.length ? `Of designs on the front alone this page has ${names.join(", ")}; pimdse report --metrics all has them of all.` : "";
}

// How far the time went in which designs on the front were explained.
function explainedText({ explained }) {
  const { asked, answered, seconds, unanswered, why } = explained;
  if (why) return `Designs on the front are not explained: ${why}.`;
  if (answered === asked && !unanswered) return "";
  const changes = unanswered ? ` and ${count(unanswered)} changes beside them not evaluated` : "";
  return `${count(answered)} of the ${count(asked)} designs on the front are explained${changes}, in ${seconds} s (pimdse report --explain-time gives more).`;
}

export function drawHistory({ facts }) {
  const box = byId("history");
  const points = facts.history.filter(([, share]) => share !== null);
  if (points.length < 2) {
    box.replaceChildren(make("p", { class: "note" }, "The file has no history of its front that could be drawn."));
    return;
  }
  const [width, height, left, bottom] = [460, 210, 52, 42];
  const x = scaleLinear().domain([0, points[points.length - 1][0]]).range([left, width - 44]);
  const y = scaleLinear().domain([Math.min(...points.map((p) => p[1])), 1]).nice().range([height - bottom, 8]);
  const members = scaleLinear().domain([0, Math.max(...points.map((p) => p[2]))]).nice().range([height - bottom, 8]);
  if (points.every((p) => p[1] <= y.domain()[1])) y.domain([y.domain()[0], Math.max(...points.map((p) => p[1])) || 1]).nice();
  const svg = select(box).append("svg").attr("width", width).attr("height", height).attr("role", "img")
    .attr("aria-label", `share of the box that the front dominates: ${points[0][1].toPrecision(3)} at first, ${points[points.length - 1][1].toPrecision(3)} in the end`);
  const path = (of, scale) => `M${points.map((p) => `${x(p[0])},${scale(p[of])}`).join("L")}`;
  svg.append("path").attr("class", "members-line").attr("d", path(2, members));
  svg.append("path").attr("class", "share-line").attr("d", path(1, y));
  svg.append("g").attr("transform", `translate(0,${height - bottom})`).call(axisBottom(x).ticks(5, "~s"));
  svg.append("g").attr("transform", `translate(${left},0)`).call(axisLeft(y).ticks(5));
  const right = svg.append("g").attr("class", "right").attr("transform", `translate(${width - 44},0)`);
  members.ticks(4).filter(Number.isInteger).forEach((tick) => right.append("text").attr("x", 5).attr("y", members(tick)).attr("dy", "0.32em").text(tick));
  svg.append("text").attr("class", "axis-title").attr("x", (left + width - 44) / 2).attr("y", height - 3).text("answers, in the order of the points");
  byId("history-key").hidden = false;
}

export function drawFailures({ facts }) {
  const box = byId("failures");
  if (!facts.failures.length) {
    box.replaceChildren(make("p", { class: "note" }, "Every point has its metrics."));
    return;
  }
  const rows = facts.failures.map((kind) => make("tr", {}, make("th", { scope: "row" }, kind.rule), make("td", {}, count(kind.points)),
    make("td", {}, `${quantity((100 * kind.points) / facts.evaluated, "", 2)} %`), make("td", {}, example(kind))));
  const head = make("tr", {}, ...["rule or failure", "points", "share", "one of them"].map((text) => make("th", { scope: "col" }, text)));
  box.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}
function example(kind) {
  if (kind.point === undefined) return "–";
  return make("details", {}, make("summary", {}, `${kind.point}: ${kind.reason || "no reason given"}`), make("code", { class: "command" }, kind.command));
}

export function drawProvenance({ facts }) {
  const said = { file: facts.file, digest: facts.digest, ...facts.provenance, seed: facts.seed };
  const text = (value) => (Array.isArray(value) ? value.join(" ") : String(value));
  byId("provenance").replaceChildren(...Object.entries(said).filter(([, value]) => text(value)).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, text(value))]));
  byId("space").textContent = facts.space;
  const inputs = (facts.inputs ?? []).map(([name, sum]) => make("li", {}, `${name} ${sum.slice(0, 12)}`));
  byId("inputs").replaceChildren(...inputs);
}
