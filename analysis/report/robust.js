// How sure the front is when constants of the machines are known within ranges only (pimdse explore --uncertain).
import { byId, make } from "./dom.js";
import { listed } from "./headline.js";
import { counted, quantity } from "./units.js";

export function drawRobust(view) {
  const { uncertain } = view.model.facts;
  byId("robust-section").hidden = !uncertain;
  if (!uncertain) return;
  byId("robust-statement").textContent = uncertain.statement;
  byId("robust-words").replaceChildren(...items(words(uncertain)));
  byId("robust-remarks").replaceChildren(...items(uncertain.remarks));
  fill("robust-machines", uncertain.machines.length > 1 ? machineTable(uncertain) : null);
  fill("robust-flips", uncertain.flips.length ? flipTable(view, uncertain.flips) : null);
  const effective = uncertain.constants.filter((constant) => constant.effective);
  byId("robust-constants").hidden = !effective.length;
  byId("robust-constants-count").textContent = `${counted(effective.length, "constant")} that change a result, and their ranges`;
  fill("robust-constants-body", constantTable(effective));
}

// A number in SI in the unit of the constant: "0.3507 pJ".
function valueOf({ unit, unit_si: size }, si) {
  const number = Number((si / size).toPrecision(4));
  return unit === "1" ? String(number) : `${number} ${unit}`;
}

function fill(id, element) {
  byId(id).hidden = !element;
  byId(id).replaceChildren(...(element ? [element] : []));
}

const items = (texts) => texts.map((text) => make("li", {}, text));

function words({ decisions, flips, machines }) {
  const several = machines.length > 1;
  const none = several && !flips.length ? ["No constant alone makes another machine the best in an objective."] : [];
  const infeasible = machines.filter(({ infeasible_share: share }) => share > 0).map(({ machine, infeasible_share: share }) =>
    `In ${percent(share)} of the draws, no design of ${machine} that may be on a front is feasible.`);
  return [...decided(decisions, several), ...none, ...infeasible];
}

// "Whatever the draw, every design of umdam on the front has weights int8 and 4 channels.", a sentence per machine.
function decided(decisions, several) {
  const by = new Map();
  for (const { machine, parameter, value } of decisions) by.set(machine, [...(by.get(machine) ?? []), `${parameter} ${value}`]);
  return [...by].map(([machine, settings]) =>
    `In every draw, all designs${several ? ` of ${machine}` : ""} on the front have ${listed(settings)}.`);
}

const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;
const numeric = (text) => make("td", { class: "whole" }, text);

function table(caption, heads, rows) {
  return make("table", {}, caption ? make("caption", {}, caption) : null,
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows));
}

function machineTable({ draws, machines, objectives }) {
  const rows = machines.map(({ machine, front_share: present, best_share: best }) => make("tr", {},
    make("th", { scope: "row" }, machine), numeric(percent(present)), ...objectives.map((name) => numeric(percent(best[name])))));
  return table(`share of ${counted(draws, "draw")}`, ["machine", "on the front", ...objectives.map((name) => `best ${name}`)], rows);
}

// "channel_die from 69.8 mm2 up: umdam instead of lpddr5x_pim".
function flipTable(view, flips) {
  const { metrics } = view.model.facts;
  const rows = flips.map((flip) => {
    const { unit } = metrics.find((metric) => metric.name === flip.objective) ?? {};
    const from = `from ${valueOf(flip, flip.break_even)} ${flip.break_even > flip.nominal ? "up" : "down"}`;
    return make("tr", {}, make("th", { scope: "row" }, flip.constant), numeric(valueOf(flip, flip.nominal)), numeric(from),
      make("td", {}, flip.objective), make("td", {}, make("b", {}, flip.after), ` (${quantity(flip.new_value, unit)}) `, point(view, flip.new_best)),
      make("td", {}, `${flip.before} (${quantity(flip.old_value, unit)}) `, point(view, flip.old_best)));
  });
  const heads = ["constant", "assumed", "another machine is best", "objective", "best then", "best as assumed"];
  return table("constants that make another machine the best, and both designs there", heads, rows);
}

// A button that shows a point, if this page has the point.
function point(view, id) {
  const row = view.model.rowOf(id);
  return row === undefined ? `point ${id}` : make("button", { type: "button", onclick: () => view.show(row) }, `point ${id}`);
}

function constantTable(constants) {
  const rows = constants.map((one) => make("tr", {}, make("th", { scope: "row" }, one.name),
    ...[one.nominal, one.lower, one.upper].map((si) => numeric(valueOf(one, si)))));
  return table("", ["constant", "assumed", "least", "greatest"], rows);
}
