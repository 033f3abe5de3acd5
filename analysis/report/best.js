// The answer: a sentence, and the best design of each machine; of a space with one machine, the best in each objective.
import { breakable, byId, make, options } from "./dom.js";
import { count, counted } from "./units.js";

// Beside the objectives, as far as a space has them: what decides whether a machine can be had, and what it serves.
export const told = ["ttft_p99", "tpot_p99", "latency", "itl", "peak_power", "energy_per_good_token", "energy_per_token",
  "cost_per_million_tokens", "cost", "silicon", "area"];
const mostTold = 7, mostWords = 4;

const sign = (objective) => (objective.better === "maximize" ? -1 : 1);
const machines = (model) => model.machine?.texts ?? [""];

// The best feasible row of a machine in an objective; of equal ones that on the front. Undefined if there is none.
function bestOf(model, objective, machine) {
  const member = (row) => model.front.text(row) === "front";
  let best;
  for (const row of model.rows) {
    const value = sign(objective) * objective.number(row);
    if (Number.isNaN(value) || (machine && model.machineOf(row) !== machine)) continue;
    const lead = best === undefined ? -1 : value - sign(objective) * objective.number(best);
    if (lead < 0 || (lead === 0 && member(row) && !member(best))) best = row;
  }
  return best;
}

export const bestFirst = (model) => bestOf(model, model.objectives()[0]);

const ownName = (label, machine) => (machine && label.startsWith(`${machine}.`) ? label.slice(machine.length + 1) : label);

// "device h100, weights int8": the parameters that vary.
function words(model, row) {
  const machine = model.machineOf(row);
  const parts = model.variedParameters().filter((d) => d.label !== "machine" && d.text(row) !== "–");
  return parts.map((d) => `${ownName(d.label, machine)} ${d.text(row)}`).join(", ");
}

const nearShare = 0.01;

// "12: ranks, tasklets": feasible designs of the machine that lose at most a percent in every objective, and what differs.
function near(model, row) {
  const objectives = model.objectives(), machine = model.machineOf(row), varied = model.variedParameters();
  const loses = (d, other) => sign(d) * (d.number(other) - d.number(row)) > nearShare * Math.abs(d.number(row));
  let others = 0;
  const differ = new Set();
  for (const other of model.rows) {
    if (other === row || model.machineOf(other) !== machine || objectives.some((d) => loses(d, other))) continue;
    ++others;
    for (const d of varied) if (d.text(other) !== d.text(row)) differ.add(ownName(d.label, machine));
  }
  return others ? `${count(others)}: ${[...differ].slice(0, mostWords).join(", ")}` : "–";
}

function sentence(model) {
  if (!model.rows.length) return "";
  const best = model.objectives().map((objective) => [objective, bestOf(model, objective)]).filter(([, row]) => row !== undefined);
  const which = (row) => [model.machineOf(row), words(model, row).split(", ").slice(0, mostWords).join(", ")].filter(Boolean).join(": ");
  const parts = best.map(([objective, row]) => `design ${model.id(row)} (${which(row)}) has the ${sign(objective) > 0 ? "least" : "most"} ${objective.label}, ${objective.text(row)}`);
  return `Of ${counted(model.rows.length, "feasible design")}, ${parts.join("; ")}.`;
}

// The reason that most designs of a machine have no metrics for.
function whyNot(model, machine) {
  const rules = new Map();
  let all = 0;
  const ok = model.status.texts.indexOf("ok");
  for (let row = 0; row < model.size; ++row) {
    if (model.machineOf(row) !== machine || model.status.codes[row] === ok) continue;
    ++all;
    rules.set(model.rule.text(row), (rules.get(model.rule.text(row)) ?? 0) + 1);
  }
  const [rule, points] = [...rules].sort((a, b) => b[1] - a[1])[0] ?? ["", 0];
  return all ? `none of ${counted(all, "design")}: ${count(points)} break ${rule}` : "not evaluated";
}

export class Best {
  constructor(view) {
    this.view = view;
    byId("best-objective").addEventListener("change", () => this.draw());
  }

  offer() {
    const { model } = this.view, objectives = model.objectives(), { answer } = model.facts;
    byId("answer-section").hidden = !model.rows.length && !answer;
    byId("answer").textContent = answer?.sentence || sentence(model);
    byId("answer-notes").replaceChildren(...(answer?.notes ?? []).map((text) => make("li", {}, text)));
    const chosen = byId("best-objective");
    options(chosen, objectives.map((d) => [d.name, d.label]), objectives.some((d) => d.name === chosen.value) ? chosen.value : objectives[0].name);
    chosen.parentElement.hidden = objectives.length < 2 || machines(model).length < 2;
    this.draw();
  }

  // [name of the line, row] in the order of the objective; machines without a feasible design have no row.
  lines() {
    const { model } = this.view, objectives = model.objectives();
    if (machines(model).length < 2) return objectives.map((d) => [`${sign(d) > 0 ? "least" : "most"} ${d.label}`, bestOf(model, d)]);
    const objective = objectives.find((d) => d.name === byId("best-objective").value) ?? objectives[0];
    const value = ([, row]) => (row === undefined ? Infinity : sign(objective) * objective.number(row));
    return machines(model).map((machine) => [machine, bestOf(model, objective, machine)]).sort((a, b) => value(a) - value(b));
  }

  columns(rows) {
    const { model } = this.view, objectives = model.objectives();
    const others = model.metricDimensions().filter((d) => d.column.values && told.includes(d.about.base) && rows.some((row) => d.text(row) !== "–"));
    others.sort((a, b) => told.indexOf(a.about.base) - told.indexOf(b.about.base));
    return [...objectives, ...others].slice(0, Math.max(mostTold, objectives.length));
  }

  draw() {
    const { model } = this.view, lines = this.lines(), { cannot: reasons = {}, slack = {} } = model.facts.answer ?? {};
    const left = (name) => slack[name] ?? (machines(model).length < 2 ? Object.values(slack)[0] : undefined) ?? {};
    const limits = Object.keys(Object.values(slack)[0] ?? {});
    const columns = this.columns(lines.map(([, row]) => row).filter((row) => row !== undefined));
    const head = ["", ...columns.map((d) => d.label), ...limits.map((limit) => `left to ${limit}`), "near", "design"].map((text) => make("th", { scope: "col" }, ...breakable(text)));
    const line = ([name, row]) => {
      const heading = make("th", { scope: "row" }, name);
      if (row === undefined) return make("tr", { class: "without" }, heading, make("td", { colspan: columns.length + limits.length + 2 }, reasons[name] ?? whyNot(model, name)));
      const show = make("button", { type: "button", onclick: () => this.view.show(row) }, model.id(row));
      show.setAttribute("aria-label", `Show design ${model.id(row)}`);
      return make("tr", {}, heading, ...columns.map((d) => make("td", { class: "number" }, d.text(row))), ...limits.map((limit) => make("td", { class: "number" }, left(name)[limit] ?? "–")), make("td", {}, near(model, row)),
        make("td", {}, show, ` ${words(model, row)}`));
    };
    byId("best-head").replaceChildren(...head);
    byId("best-body").replaceChildren(...lines.map(line));
  }
}
