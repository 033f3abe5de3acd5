// What the page knows: facts, columns, and what of them a person chose to look at.
import { Column, inflatedText } from "./data.js";
import { byId } from "./dom.js";
import { plainNumber, unitOf } from "./quantities.js";
import { quantity } from "./units.js";

// A parameter or metric along which rows differ.
export class Dimension {
  constructor(about, column, better) {
    Object.assign(this, { name: about.name, about, column, better, unit: about.unit ?? "" });
    const list = column.head.list;
    this.named = Boolean(list) && !list.some((value) => typeof value === "number");
    this.isParameter = column.of === "parameter";
  }

  get label() {
    return this.ownName ?? this.about.base ?? this.name;
  }
  // Finite ones; empty where there is nothing to show.
  extent() {
    return (this.column.ends ??= this.ends());
  }
  ends() {
    let low = Infinity, high = -Infinity;
    for (const value of this.column.values) {
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
    if (this.named && this.absent >= 0) high -= 1;
    return low <= high ? [low, high] : [0, 1];
  }
  // The entry that stands at rows of other machines; -1 where there is none.
  get absent() {
    const list = this.column.head.list;
    return list && list.length && list[list.length - 1] === null ? list.length - 1 : -1;
  }
  // More than one value, of the designs that have any.
  get varies() {
    const { head } = this.column;
    return !head.only && (head.coding !== "codes" || head.numbers - (this.absent >= 0) > 1);
  }
  // Spread over a factor of 30 and more is seen on a logarithmic scale; why it cannot be one, or "".
  logRefusal() {
    if (this.named) return "these are names";
    return this.extent()[0] > 0 ? "" : "there are values of zero or less";
  }
  get logFirst() {
    const [low, high] = this.extent();
    return !this.logRefusal() && high / low > 30;
  }
  entryText(entry) {
    if (this.column.texts && (this.named || this.unit !== "B")) return this.column.texts[entry] || "–";
    return quantity(this.column.values[entry], this.unit);
  }
  text(row) {
    return this.entryText(this.column.entry(row));
  }
  number(row) {
    return this.column.entry(row) === this.absent ? NaN : this.column.number(row);
  }
}

export class Model {
  constructor(facts) {
    this.facts = facts;
    this.columns = [];
    for (const head of facts.columns) this.columns.push(new Column(head, this.columns));
    this.size = facts.rows.shown;
    this.reasons = null;  // until they are unpacked
    this.members = [];
    this.scenario = "";
    this.fidelity = facts.fidelity;
    const one = (of) => this.columns.find((column) => column.of === of);
    for (const of of ["point", "status", "rule", "front", "machine", "crossing"]) this[of] = one(of);
    this.fidelities = one("fidelity");
    this.parameters = this.columns.filter((column) => column.of === "parameter");
    this.metrics = facts.metrics.map(() => ({}));
    for (const column of this.columns) {
      if (["value", "low", "high", "kind"].includes(column.of)) this.metrics[column.index][column.of] = column;
    }
  }

  load(columns) {
    return Promise.all(columns.map((column) => column.load()));
  }
  loadBasics() {
    const few = [this.point, this.status, this.rule, this.front, this.fidelities, this.machine, this.crossing];
    return this.load([...few, ...this.parameters].filter(Boolean));
  }
  // Why designs of the front are there, by id.
  async loadReasons() {
    this.reasons = JSON.parse(await inflatedText(byId("explanations").textContent));
  }
  reasonOf(row) {
    const known = this.front.text(row) === "front" && this.fidelity === this.facts.fidelity;
    return known ? this.reasons?.[this.id(row)] : undefined;
  }
  loadShown() {
    return this.load(this.dimensions().map((dimension) => dimension.column));
  }
  // Feasible rows of the fidelity looked at.
  chooseRows() {
    const rows = [];
    const ok = this.status.texts.indexOf("ok"), fidelity = this.fidelities.texts.indexOf(this.fidelity);
    for (let row = 0; row < this.size; ++row) {
      if (this.status.codes[row] === ok && this.fidelities.codes[row] === fidelity) rows.push(row);
    }
    this.rows = Uint32Array.from(rows);
    const member = this.front.texts.indexOf("front");
    this.members = rows.filter((row) => this.front.codes[row] === member);
  }

  // Of a metric the one in the chosen scenario, where there is one.
  metricHere(index) {
    const { base } = this.facts.metrics[index];
    const found = this.facts.metrics.findIndex((metric) => metric.base === base && metric.scenario === this.scenario);
    return found < 0 ? index : found;
  }
  metricDimension(index) {
    const about = this.facts.metrics[index];
    return new Dimension(about, this.metrics[index].value, about.better);
  }
  // An objective of one scenario (energy@chat) is that one whatever scenario is looked at.
  objectiveHere(index) {
    return this.facts.metrics[index].scenario ? index : this.metricHere(index);
  }
  objectives() {
    return this.facts.objectives.map(({ metric, better }) => {
      const { name, scenario } = this.facts.metrics[metric];
      const dimension = this.metricDimension(this.objectiveHere(metric));
      return Object.assign(dimension, { better, isObjective: true, ownName: scenario ? name : undefined });
    });
  }
  metricDimensions() {
    const chosen = new Set(this.facts.objectives.map((objective) => this.objectiveHere(objective.metric)));
    const here = new Set(this.facts.metrics.map((_, index) => this.metricHere(index)));
    return [...here].filter((index) => !chosen.has(index)).map((index) => this.metricDimension(index));
  }
  parameterDimensions() {
    return this.parameters.map((column) => new Dimension(this.facts.parameters[column.index], column, "none"));
  }
  // Those that vary: which machine, then those of the machines that most of the front is of.
  variedParameters() {
    const varied = this.parameterDimensions().filter((dimension) => dimension.varies);
    const users = new Map(varied.map((dimension) => [dimension, this.usersOf(dimension)]));
    return varied.sort((a, b) => users.get(b) - users.get(a));
  }
  usersOf({ absent, column }) {
    if (absent < 0) return this.members.length;
    return this.members.filter((row) => column.codes[row] !== absent).length;
  }
  // All that can stand on an axis: objectives, parameters that vary, other metrics; nothing that the front alone has.
  dimensions() {
    const metrics = this.metricDimensions().filter((dimension) => dimension.varies);
    return [...this.objectives(), ...this.variedParameters(), ...metrics];
  }
  // Parameters that have the same value in every design that has them: [name, value].
  constants() {
    const same = this.parameterDimensions().filter((d) => !d.varies && d.column.texts?.[0]);
    const text = (d) => (d.named ? d.entryText(0) : quantity(d.column.values[0], d.unit, 6));
    return same.map((dimension) => [dimension.label, text(dimension)]);
  }
  // Metrics that only designs on the front have here.
  leftOut() {
    return this.metrics.flatMap(({ value }, index) => (value.head.only ? [this.facts.metrics[index].name] : []));
  }

  // What a name in a condition stands for; see parseCondition.
  named(name) {
    const parameter = this.facts.parameters.findIndex((known) => known.name === name);
    if (parameter >= 0) return this.namedParameter(parameter);
    if (name === "machine" && this.machine) return { kind: "choice", texts: this.machine.texts, ...this.coded(this.machine) };
    const metric = this.facts.metrics.findIndex((known) => known.name === name);
    if (metric < 0) return undefined;
    const dimension = this.metricDimension(metric), { column } = dimension;
    if (column.head.only) return { absent: `this page has '${name}' of the front alone (pimdse report --metrics all has it of all)` };
    const number = this.numeric(dimension, unitOf(dimension.about.unit || "1")?.si ?? 1);
    return { ...number, ends: this.intervalEnds(metric, number) };
  }
  // Ends of a metric's interval as conditions read them; an end behind which nothing stands is missing.
  intervalEnds(metric, number) {
    const { low, high, kind } = this.metrics[metric];
    if (!low) return { upper: number, lower: number };
    if (low.head.told === "front") {
      const absent = `this page has the interval of '${this.facts.metrics[metric].name}' of the front alone`;
      return { upper: { absent }, lower: { absent } };
    }
    const scale = unitOf(this.facts.metrics[metric].unit || "1")?.si ?? 1;
    const end = (column, side) => ({
      ...number,
      of: (row) => column.number(row) * scale,
      column: {
        load: () => Promise.all([column.load(), kind.load(), number.column.load()]),
        missing: (row) => number.column.missing(row) || kind.text(row).split("_").at(side) === "none",
      },
    });
    return { upper: end(high, -1), lower: end(low, 0) };
  }
  coded(column) {
    return { of: (row) => column.codes[row], column: { load: () => column.load(), missing: () => false } };
  }
  namedParameter(index) {
    const about = this.facts.parameters[index];
    const column = this.parameters.find((known) => known.index === index);
    const dimension = new Dimension(about, column, "none");
    if (about.kind === "integer") return this.numeric(dimension, unitOf(about.unit || "1")?.si ?? 1);
    if (about.kind === "quantity") return this.numeric(dimension, 1);
    const missing = (row) => column.codes[row] === dimension.absent;
    const source = { load: () => column.load(), missing };
    if (about.kind !== "flag") return { kind: "choice", texts: column.texts, of: (row) => column.codes[row], column: source };
    return { kind: "truth", of: (row) => column.head.list[column.codes[row]] === true, column: source };
  }
  numeric(dimension, scale) {
    const { column } = dimension;
    return {
      kind: "number",
      dimension: unitOf(dimension.about.unit || "1")?.dimension ?? plainNumber,
      of: (row) => column.number(row) * scale,
      column: { load: () => column.load(), missing: (row) => Number.isNaN(dimension.number(row)) },
    };
  }
  names() {
    return [...this.facts.parameters, ...this.facts.metrics].map((about) => about.name);
  }

  interval(dimension, row) {
    const ends = this.metrics[dimension.column.index];
    if (dimension.isParameter || !ends.low || !ends.low.values) return null;
    const [low, high] = [ends.low.number(row), ends.high.number(row)];
    return low === high || Number.isNaN(low) ? null : [low, high, ends.kind.text(row)];
  }

  // Limits that a design meets by its estimates, and not by its intervals; "" where there is none.
  crossingOf(row) {
    return this.crossing ? this.crossing.text(row) : "";
  }
  id(row) {
    return String(this.point.ids[row]);
  }
  // The row of a feasible design; nothing where it is not on the page.
  rowOf(id) {
    const { ids } = this.point;
    const wanted = BigInt(id);
    return this.rows.find((row) => ids[row] === wanted);
  }
  machineOf(row) {
    return this.machine ? this.machine.text(row) : "";
  }
  // As the program writes it, from the words it gave for every value.
  command(row) {
    const { architecture, machines, scenarios } = this.facts.command;
    const machine = machines[this.machineOf(row)] ?? architecture;
    const words = this.parameters.map((column) => {
      if (column.head.words) return column.head.words[column.codes[row]];
      const { name, unit } = this.facts.parameters[column.index];
      return ` --set '${name}=${column.number(row)} ${unit}'`;
    });
    return `pimdse evaluate ${machine} --fidelity ${this.fidelities.text(row)}${words.join("")}${scenarios}`;
  }
}
