// The contents of the page: facts, columns, and the selected scenario and fidelity.
import { Column, inflatedText } from "./data.js";
import { byId } from "./dom.js";
import { quantity } from "./units.js";

// A parameter or metric as an axis.
export class Dimension {
  constructor(about, column, better) {
    Object.assign(this, { name: about.name, about, column, better, unit: about.unit ?? "" });
    const list = column.head.list;
    this.named = Boolean(list) && !list.some((value) => typeof value === "number");
    this.isParameter = column.of === "parameter";
    this.isOfDraws = column.of === "robust";
  }

  get label() {
    return this.ownName ?? this.about.base ?? this.name;
  }
  // The least and the greatest finite value.
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
  // The entry of rows of machines without this parameter; -1 if there is none.
  get absent() {
    const list = this.column.head.list;
    return list && list.length && list[list.length - 1] === null ? list.length - 1 : -1;
  }
  // Whether the designs that have a value have different ones.
  get varies() {
    const { head } = this.column;
    return !head.only && (head.coding !== "codes" || head.numbers - (this.absent >= 0) > 1);
  }
  // Why the scale cannot be logarithmic, or "". It is by default if values spread over more than a factor of 30.
  logRefusal() {
    if (this.named) return "these are names";
    return this.extent()[0] > 0 ? "" : "some values are zero or less";
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
    this.columns = facts.columns.map((head) => new Column(head));
    this.size = facts.rows.shown;
    this.reasons = null;  // until unpacked
    this.services = null;
    this.members = [];
    this.scenario = "";
    this.fidelity = facts.fidelity;
    const one = (of) => this.columns.find((column) => column.of === of);
    for (const of of ["point", "status", "rule", "front", "machine", "crossing"]) this[of] = one(of);
    this.fidelities = one("fidelity");
    this.parameters = this.columns.filter((column) => column.of === "parameter");
    this.robust = this.columns.filter((column) => column.of === "robust");
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
    return this.load([...few, ...this.parameters, ...this.robust].filter(Boolean));
  }
  // The explanations of designs on the front, by id.
  async loadReasons() {
    this.reasons = JSON.parse(await inflatedText(byId("explanations").textContent));
  }
  // The curves of designs that serve traffic, by id; null if no scenario has traffic.
  async loadServices() {
    const element = byId("services");
    if (element) this.services = JSON.parse(await inflatedText(element.textContent));
  }
  reasonOf(row) {
    const known = this.front.text(row) === "front" && this.fidelity === this.facts.fidelity;
    return known ? this.reasons?.[this.id(row)] : undefined;
  }
  loadShown() {
    return this.load(this.dimensions().map((dimension) => dimension.column));
  }
  // The feasible rows of the selected fidelity.
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

  // The metric in the selected scenario, if there is one.
  metricHere(index) {
    const { base } = this.facts.metrics[index];
    const found = this.facts.metrics.findIndex((metric) => metric.base === base && metric.scenario === this.scenario);
    return found < 0 ? index : found;
  }
  metricDimension(index) {
    const about = this.facts.metrics[index];
    return new Dimension(about, this.metrics[index].value, about.better);
  }
  // An objective that is a metric of one scenario (energy@chat) stays the same in all scenarios.
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
    const all = this.parameters.map((column) => new Dimension(this.facts.parameters[column.index], column, "none"));
    const unread = this.facts.traffic?.of_batches ?? [];  // each request of the traffic has lengths of its own
    return all.filter((dimension) => dimension.varies || !unread.includes(dimension.name));
  }
  // Parameters that vary: the machine, then those with values in most designs of the front.
  variedParameters() {
    const varied = this.parameterDimensions().filter((dimension) => dimension.varies);
    const users = new Map(varied.map((dimension) => [dimension, this.usersOf(dimension)]));
    return varied.sort((a, b) => users.get(b) - users.get(a));
  }
  usersOf({ absent, column }) {
    if (absent < 0) return this.members.length;
    return this.members.filter((row) => column.codes[row] !== absent).length;
  }
  // What draws of uncertain constants say of a design; none if the file has no draws.
  robustDimensions() {
    return this.robust.map((column) => new Dimension({ ...column.head, unit: "1" }, column, column.head.better));
  }
  // All axes: objectives, what draws say, parameters that vary, and other metrics that all designs have.
  dimensions() {
    const metrics = this.metricDimensions().filter((dimension) => dimension.varies);
    return [...this.objectives(), ...this.robustDimensions(), ...this.variedParameters(), ...metrics];
  }
  // Parameters with a single value: [name, value].
  constants() {
    const same = this.parameterDimensions().filter((d) => !d.varies && d.column.texts?.[0]);
    const text = (d) => (d.named ? d.entryText(0) : quantity(d.column.values[0], d.unit, 6));
    return same.map((dimension) => [dimension.label, text(dimension)]);
  }
  // Metrics that this page has only for designs on the front.
  leftOut() {
    return this.metrics.flatMap(({ value }, index) => (value.head.only ? [this.facts.metrics[index].name] : []));
  }

  interval(dimension, row) {
    if (dimension.column.of !== "value") return null;
    const ends = this.metrics[dimension.column.index];
    if (!ends.low || !ends.low.values) return null;
    const [low, high] = [ends.low.number(row), ends.high.number(row)];
    return low === high || Number.isNaN(low) ? null : [low, high, ends.kind.text(row)];
  }

  // Limits that a design meets by its estimates, but not by its intervals; "" if there are none.
  crossingOf(row) {
    return this.crossing ? this.crossing.text(row) : "";
  }
  id(row) {
    return String(this.point.ids[row]);
  }
  // The row of a feasible design; undefined if it is not on the page.
  rowOf(id) {
    const { ids } = this.point;
    const wanted = BigInt(id);
    return this.rows.find((row) => ids[row] === wanted);
  }
  machineOf(row) {
    return this.machine ? this.machine.text(row) : "";
  }
  // The command that evaluates a design, from the text of each value in the facts.
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
