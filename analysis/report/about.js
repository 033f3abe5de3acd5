// Parts that do not change: the facts of the head, why points have no metrics, and the provenance of the file.
import { byId, make } from "./dom.js";
import { drawHeadline, listed } from "./headline.js";
import { count, counted, quantity } from "./units.js";

export function drawHead(model) {
  const { facts } = model;
  drawHeadline(model);
  byId("statement").textContent = `${facts.statement[0].toUpperCase()}${facts.statement.slice(1)}.`;
  const facts_of = [["wanted", wanted(model)],
    ["points", facts.points ? count(facts.points) : "unknown"],
    ["results", `${count(facts.evaluated)}, ${count(facts.feasible)} feasible`],
    ["front", `${counted(model.members.length, "design")}, ${model.fidelity}`],
    ["state", stateText(facts)], ["digest", facts.digest.slice(0, 12)]];
  byId("facts-list").replaceChildren(...facts_of.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  byId("sample").textContent = [sampleText(facts), explainedText(facts)].filter(Boolean).join(" ");
  byId("sample").hidden = !byId("sample").textContent;
  drawLeftOut(model.leftOut());
}

function stateText({ state, missing }) {
  const but = missing ? `, ${count(missing)} planned points are not in the file` : "";
  return `${state || "complete"}${but}`;
}

// "less latency and area; more tokens_per_second"
function wanted(model) {
  const of = (better) => listed(model.objectives().filter((d) => d.better === better).map((d) => d.label));
  const parts = [["less", of("minimize")], ["more", of("maximize")]].filter(([, names]) => names);
  return parts.map((words) => words.join(" ")).join("; ");
}

const needs = { front: "on the front", within: "that may be on it within their intervals", failed: "without metrics", other: "of the rest" };

function sampleText({ rows, evaluated }) {
  const parts = [];
  if (rows.shown < rows.of) {
    const shown = rows.needs.filter(([, , of]) => of > 0).map(([need, here, of]) => `${here === of ? "all" : count(here) + " of"} ${count(of)} ${needs[need]}`);
    parts.push(`This page has ${count(rows.shown)} of ${count(rows.of)} points: ${shown.join(", ")}; the others were omitted at random.`);
  }
  if (rows.of < evaluated) parts.push(`The file keeps ${count(rows.of)} of the ${count(evaluated)} points that were evaluated (--keep front).`);
  return parts.join(" ");
}

function drawLeftOut(names) {
  byId("left-out").hidden = !names.length;
  const many = counted(names.length, "metric");
  byId("left-out-count").textContent = `${many} only for designs on the front (pimdse report --metrics all includes them for all designs)`;
  byId("left-out-names").textContent = names.join(", ");
}

// How many designs on the front were explained within the time limit.
function explainedText({ explained }) {
  const { asked, answered, seconds, unanswered, why } = explained;
  if (why) return `Designs on the front are not explained: ${why}.`;
  if (answered === asked && !unanswered) return "";
  const changes = unanswered ? `, and ${count(unanswered)} changes of them were not evaluated` : "";
  return `${count(answered)} of the ${count(asked)} designs on the front are explained${changes}; the time limit is ${seconds} s (pimdse report --explain-time sets it).`;
}

export function drawFailures({ facts }) {
  const box = byId("failures");
  if (!facts.failures.length) {
    box.replaceChildren(make("p", { class: "note" }, "Every point has its metrics."));
    return;
  }
  const rows = facts.failures.map((kind) => make("tr", {}, make("th", { scope: "row" }, kind.rule), make("td", {}, count(kind.points)),
    make("td", { class: "whole" }, `${quantity((100 * kind.points) / facts.evaluated, "", 2)} %`),
    make("td", {}, example(kind))));
  const head = make("tr", {}, ...["rule or failure", "points", "share", "example"].map((text) => make("th", { scope: "col" }, text)));
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
