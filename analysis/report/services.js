// Designs that serve traffic: distributions of the times of requests, requests over time, goodput against the rate.
import { chart } from "./curve_chart.js";
import { byId, make } from "./dom.js";
import { counted, quantity } from "./units.js";

const narrowest = 330, gap = 12, decades = 3;

// The scenarios with traffic, in words.
export function drawTraffic({ facts }) {
  const scenarios = facts.traffic?.scenarios ?? [];
  byId("traffic").replaceChildren(...scenarios.map(({ name, text }) => make("p", {}, make("span", { class: "dim" }, `${name} `), `${text}.`)));
  byId("services-section").hidden = !scenarios.length;
}

// The value that a share of the values do not exceed: `values` are quantiles in equal steps.
const quantile = (values, share) => values[Math.max(0, Math.ceil(share * values.length - 1e-9) - 1)];
const extent = (lists) => [Math.min(...lists.flat()), Math.max(...lists.flat())];

export class Services {
  constructor(view) {
    this.view = view;
  }

  get scenario() {
    const { facts, scenario } = this.view.model;
    return facts.traffic.scenarios.find(({ name }) => name === scenario) ?? facts.traffic.scenarios[0];
  }
  curvesOf(row) {
    const { model } = this.view;
    const known = model.fidelity === model.facts.fidelity ? model.services?.[model.id(row)] : undefined;
    return known?.find(({ scenario }) => scenario === this.scenario.name);
  }

  draw() {
    const { model } = this.view;
    if (!model.facts.traffic || !model.services) return;
    const pins = this.view.pinned().map(([pin, row]) => ({ pin, row, curves: this.curvesOf(row) }));
    const drawn = pins.filter(({ curves }) => curves);
    byId("services-chosen").replaceChildren(...this.chosen(pins));
    byId("services-words").replaceChildren(...drawn.map((one) => make("p", {}, this.words(one))));
    byId("services-body").replaceChildren(...(drawn.length ? this.charts(drawn) : []));
    byId("services-key").hidden = !drawn.length;
  }

  // Buttons that show the designs of which the page has curves.
  chosen(pins) {
    const { model } = this.view, { traffic, explained } = model.facts;
    const ids = Object.keys(model.services);
    const buttons = ids.map((id) => [id, model.rowOf(id)]).filter(([, row]) => row !== undefined)
      .map(([id, row]) => make("button", { type: "button", onclick: () => this.view.show(row) }, `point ${id}`));
    const without = pins.filter(({ curves }) => !curves).map(({ pin, row }) => `${pin} (point ${model.id(row)})`);
    const late = ids.length < traffic.chosen ? `; the time limit is ${traffic.seconds} s (pimdse report --explain-time)` : "";
    const missing = without.length ? ` There are none of ${without.join(" and ")}.` : "";
    return [`Curves of ${ids.length} of the ${counted(explained.asked, "design")} on the front${late}.${missing} `, ...buttons.flatMap((button) => [button, " "])];
  }
  words({ pin, row, curves }) {
    const { requests, rejected, preemptions, saturated } = curves;
    const parts = [`${counted(requests, "request")}`, rejected ? `${rejected} rejected` : "", preemptions ? counted(preemptions, "preemption") : "",
      saturated ? "the queue grows for as long as requests arrive, so that times describe the length of the traffic" : ""];
    return make("span", {}, make("span", { class: `pin${pin}` }, `${pin}: ${this.view.model.id(row)}`), ` – ${parts.filter(Boolean).join(", ")}`);
  }

  charts(drawn) {
    const box = byId("services-body");
    const columns = Math.max(1, Math.min(4, Math.floor((box.clientWidth + gap) / (narrowest + gap))));
    const width = Math.floor((box.clientWidth - gap * (columns - 1)) / columns) || narrowest;
    const figures = [this.times(drawn, "ttft", "time to first token"), this.times(drawn, "tpot", "time per token after the first"),
      this.occupancy(drawn), this.knee(drawn)];
    return figures.filter(Boolean).map(([title, about]) => make("figure", {}, make("figcaption", {}, title), chart({ width, ...about })));
  }

  // The share of requests whose time is at most x.
  times(drawn, name, title) {
    const known = drawn.filter(({ curves }) => curves[name].length);
    if (!known.length) return null;
    const { share, [name]: limit } = this.scenario;
    const [low, most] = extent([...known.map(({ curves }) => curves[name]), ...(limit === null ? [] : [[limit]])]);
    const log = low > 0 && most / low > 30, high = most * (log ? 1.1 : 1.03);
    const lines = known.map(({ pin, curves }) => {
      const values = curves[name];
      return { class: pin, stepped: true, points: [[values[0], 0], ...values.map((value, i) => [value, (i + 1) / values.length]), [high, 1]] };
    });
    const limits = limit === null ? [] : [{ y: share, class: "share" }, { x: limit, text: `limit ${quantity(limit, "s", 3)}`, class: "slo" }];
    const told = known.map(({ pin, curves }) => `${pin}: half of the requests within ${quantity(quantile(curves[name], 0.5), "s", 3)}, 99 % within ${quantity(quantile(curves[name], 0.99), "s", 3)}`);
    return [title, { told: `${title}; ${told.join("; ")}`, x: { title: name.toUpperCase(), unit: "s", low: log ? low : 0, high, log }, y: { title: "share of requests", unit: "1", low: 0, high: 1, log: false }, lines, limits }];
  }

  // Each part of the time has the largest numbers in it; the last numbers are those at the end.
  occupancy(drawn) {
    const known = drawn.filter(({ curves }) => curves.end > 0);
    if (!known.length) return null;
    const steps = (numbers, end) => numbers.map((number, i) => [(end * i) / (numbers.length - 1), number]);
    const most = Math.max(1, ...known.flatMap(({ curves }) => [...curves.waiting, ...curves.running]));
    const lines = known.flatMap(({ pin, curves: { end, waiting, running } }) => [
      { class: pin, stepped: true, points: steps(running, end) },
      { class: `${pin} waiting`, stepped: true, points: steps(waiting, end) }]);
    const told = known.map(({ pin, curves }) => `${pin}: at most ${Math.max(...curves.running)} in service and ${Math.max(...curves.waiting)} waiting`);
    return ["requests in service, and waiting (dashed)", { told: `requests over time; ${told.join("; ")}`, x: { title: "time", unit: "s", low: 0, high: Math.max(...known.map(({ curves }) => curves.end)), log: false },
      y: { title: "requests", unit: "1", low: 0, high: most, log: false }, lines, limits: [] }];
  }

  // Goodput at rates around the largest one, both logarithmic; goodput of 0 is at the lower end.
  knee(drawn) {
    const known = drawn.filter(({ curves }) => curves.rates.length);
    if (!known.length) return null;
    const [low, high] = extent(known.map(({ curves }) => curves.rates.map(([rate]) => rate)));
    const goodputs = known.flatMap(({ curves }) => curves.rates.map(([, goodput]) => goodput));
    const most = Math.max(...goodputs) || 1;
    const least = Math.max(Math.min(low, ...goodputs.filter((goodput) => goodput > 0)), most / 10 ** decades);
    const offered = [Math.max(low, least), Math.min(high, most)];
    const lines = [{ class: "offered", points: offered.map((rate) => [rate, rate]) },
      ...known.map(({ pin, curves }) => ({ class: pin, points: curves.rates.map(([rate, goodput]) => [rate, Math.max(goodput, least)]) }))];
    const own = this.scenario.rate;
    const limits = known.filter(({ curves }) => curves.max_rate > 0)
      .map(({ pin, curves }, row) => ({ x: curves.max_rate, text: `max_rate ${quantity(curves.max_rate, "1/s", 3)}`, class: `max ${pin}`, row }));
    if (own >= low && own <= high) limits.push({ x: own, text: `traffic ${quantity(own, "1/s", 3)}`, class: "own", row: limits.length });
    const told = known.map(({ pin, curves }) => `${pin}: max_rate ${quantity(curves.max_rate, "1/s", 3)}, most goodput ${quantity(Math.max(...curves.rates.map(([, goodput]) => goodput)), "1/s", 3)}`);
    return ["goodput against the rate of arrivals", { told: `goodput against the rate; ${told.join("; ")}`, x: { title: "requests per second", unit: "1", low, high, log: true },
      y: { title: "goodput (1/s)", unit: "1", low: least, high: most, log: true }, lines, limits }];
  }
}

