// Why designs are on the front, as `pimdse explain` prints it: slack of each objective, distance from conditions, best
// change of each parameter. A column for each of the designs A and B.
import { make } from "./dom.js";
import { count, quantity } from "./units.js";

const binding = 0.01;

export function reasonTables(view, pins) {
  const { model } = view;
  if (!model.reasons) return [];  // still being unpacked
  const known = pins.map(([name, row]) => ({ name, row, reason: model.reasonOf(row) }));
  if (!known.some(({ reason }) => reason)) return [make("p", { class: "note" }, whyNone(model, pins[0][1]))];
  const tables = new Tables(view, known);
  return [tables.standing(), tables.slack(), tables.extremes(), tables.conditions(), tables.changes()].filter(Boolean);
}

function whyNone(model, row) {
  const { explained, file } = model.facts;
  if (explained.why) return `It is not explained why this design is on the front: ${explained.why}.`;
  const member = model.front.text(row) === "front";
  const command = `pimdse explain ${file} ${model.id(row)}`;
  return member ? `The time was up before this design was explained (pimdse report --explain-time): ${command}` : `Why it is not on the front: ${command}`;
}

const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;
// The relative improvement of a value as a signed change of the value.
function changed(gain, better) {
  if (gain === 0) return "same";
  return gain === null ? "–" : `${gain > 0 === (better === "higher") ? "+" : "−"}${percent(Math.abs(gain))}`;
}

class Tables {
  constructor(view, known) {
    Object.assign(this, { view, model: view.model, known });
  }

  // A table with a line per key and a cell per design.
  table(caption, keys, head, cell) {
    const titles = [make("th", { scope: "col" }, ""), ...this.known.map(({ name, row }) => make("th", { scope: "col", class: `pin${name}` }, `${name}: ${this.model.id(row)}`))];
    const rows = keys.map((key) => make("tr", {}, head(key), ...this.known.map(({ reason }) => make("td", {}, ...(reason ? cell(reason, key) : ["–"])))));
    return make("table", { class: "reasons" }, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...titles)), make("tbody", {}, ...rows));
  }
  // The keys of all designs, in the order of their first occurrence.
  keys(of) {
    return [...new Set(this.known.flatMap(({ reason }) => (reason ? of(reason) : [])))];
  }
  // A button that shows a point, if this page has the point.
  point(id) {
    const row = this.model.rowOf(id);
    if (row === undefined) return `point ${id}`;
    return make("button", { type: "button", onclick: () => this.view.show(row) }, `point ${id}`);
  }

  standing() {
    const lines = {
      "dominated by": () => ["no design"],
      "it dominates": ({ covers }) => [`${count(covers)} of ${count(this.model.facts.explained.among)} designs`],
      "in every objective at once": ({ behind }) => [behind === null ? "no other design" : behind < 0 ? `it may be ${percent(-behind)} worse` : "it must not be worse"],
      "nearest on the front": ({ rivals }) => (rivals.length ? rivals.flatMap((id) => [this.point(id), " "]) : ["none"]),
      certificate: ({ certificate }) => [certificate ? certificate.way : "", ...(certificate?.by ? [" ", this.point(certificate.by)] : [])],
    };
    const keys = Object.keys(lines).filter((key) => key !== "certificate" || this.known.some(({ reason }) => reason?.certificate));
    return this.table("why it is on the front", keys, (key) => make("th", { scope: "row" }, key), (reason, key) => lines[key](reason));
  }

  slack() {
    const keys = this.keys((reason) => reason.objectives.map((objective) => objective.name));
    return this.table("how far an objective may change, all else equal", keys, (key) => make("th", { scope: "row" }, key), (reason, key) => {
      const { turn, unit } = reason.objectives.find((objective) => objective.name === key);
      if (!turn) return ["any value: no other design is as good in the other objectives"];
      return [`up to ${quantity(turn.at, unit)}, ${turn.share === null ? "–" : percent(turn.share)}, then `, this.point(turn.by)];
    });
  }

  // Metrics that are not objectives, and in which a design is among the worst or far behind the best on the front.
  extremes() {
    const keys = this.keys((reason) => (reason.extremes ?? []).map(({ metric }) => metric));
    if (!keys.length) return null;
    return this.table("far from the best in metrics that are not objectives", keys, (key) => make("th", { scope: "row" }, key), (reason, key) => {
      const found = (reason.extremes ?? []).find(({ metric }) => metric === key);
      if (!found) return [""];
      const best = found.times_best_on_front > 1 ? [`; the best on the front has ${quantity(found.best_on_front, found.unit)}: `, this.point(found.best_point)] : [];
      return [`${quantity(found.value, found.unit)}, at least as bad: ${percent(found.share_not_better)} of the designs`, ...best];
    });
  }
  conditions() {
    const keys = this.keys((reason) => reason.constraints.map((condition) => condition.name));
    if (!keys.length) return null;
    const expr = (key) => this.known.flatMap(({ reason }) => reason?.constraints ?? []).find((condition) => condition.name === key).expr;
    return this.table("conditions of the space", keys, (key) => make("th", { scope: "row" }, key, make("small", {}, ` ${expr(key)}`)), (reason, key) => {
      const condition = reason.constraints.find((one) => one.name === key);
      if (!condition) return ["for another machine"];
      if (condition.holds === null) return ["unknown"];
      if (condition.slack === null) return [condition.holds ? "met" : "missed"];
      const text = `${condition.holds ? "met" : "missed"} by ${percent(Math.abs(condition.slack))}`;
      return Math.abs(condition.slack) <= binding ? [make("span", { class: "tight" }, `${text}: binding`)] : [text];
    });
  }

  changes() {
    const keys = this.keys((reason) => reason.changes.map((change) => change.parameter));
    if (!keys.length) return null;
    return this.table("best single change of each parameter", keys, (key) => make("th", { scope: "row" }, key), (reason, key) => {
      const change = reason.changes.find((one) => one.parameter === key);
      return change ? [this.changeText(change, reason), " ", this.point(change.point)] : ["no other value"];
    });
  }
  changeText(change, { objectives }) {
    const unit = this.model.facts.parameters.find(({ name }) => name === change.parameter || name.endsWith(`.${change.parameter}`))?.unit ?? "";
    const text = (value) => (typeof value === "number" ? quantity(value, unit) : String(value));
    const step = `${text(change.from)} → ${text(change.to)}: `;
    if (change.status !== "ok") return `${step}${change.status}${change.rule ? `, ${change.rule}` : ""}`;
    const gains = objectives.map(({ name, better }, i) => `${name} ${changed(change.gains[i], better)}`).join(", ");
    const where = change.covered_by === 0 ? "on the front" : change.behind > 0 ? `${percent(change.behind)} behind the front` : "just behind the front";
    return `${step}${gains}; ${where}`;
  }
}
