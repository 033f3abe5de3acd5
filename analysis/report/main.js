// Assembles the page. `View` applies the changes of the user and redraws at most once per frame.
import { drawFailures, drawHead, drawProvenance } from "./about.js";
import { Best, bestFirst } from "./best.js";
import { csvOf } from "./csv.js";
import { Details } from "./details.js";
import { byId, options, save } from "./dom.js";
import { drawFlips } from "./flips.js";
import { FrontPlot } from "./front_plot.js";
import { drawHistory } from "./history.js";
import { Model } from "./model.js";
import { watchPalette } from "./palette.js";
import { ParallelAxes } from "./parallel.js";
import { drawRobust } from "./robust.js";
import { Selection } from "./selection.js";
import { drawTraffic, Services } from "./services.js";
import { Table } from "./table.js";
import { count, counted } from "./units.js";

class View {
  constructor(model) {
    this.model = model;
    this.first = this.second = undefined;
    this.waiting = new Map();
    this.selection = new Selection(model);
    this.dimensions = model.dimensions();
    this.best = new Best(this);
    this.front = new FrontPlot(this);
    this.parallel = new ParallelAxes(this);
    this.table = new Table(this);
    this.details = new Details(this);
    this.services = new Services(this);
  }

  // Runs the last work with this key before the next frame.
  later(work, key = work) {
    if (!this.waiting.size) requestAnimationFrame(() => this.frame());
    this.waiting.set(key, work);
  }
  frame() {
    const works = [...this.waiting.values()];
    this.waiting.clear();
    works.forEach((work) => work());
  }
  measured(name, work) {
    const start = performance.now();
    work();
    performance.measure(name, { start, end: performance.now() });
  }

  // Draws everything at the start and after a change of scenario or fidelity.
  offer() {
    this.dimensions = this.model.dimensions();
    this.selection.update();
    drawHead(this.model);
    this.best.offer();
    this.front.offer();
    this.parallel.offer();
    this.table.offer();
    this.details.draw();
    this.services.draw();
    drawRobust(this);
    this.announce();
  }
  resize() {
    this.front.prepare();
    this.parallel.prepare();
    this.table.fill();
    this.services.draw();
    drawHistory(this.model);
  }

  dragging(apply, parallel) {
    this.later(() => this.measured("step", () => {
      apply();
      parallel.drawRanges();
      parallel.draw(true);
      this.front.draw();
      this.announce();
    }), "drag");
  }
  selected() {
    this.waiting.delete("drag");
    this.measured("release", () => {
      this.parallel.draw();
      this.front.draw();
      this.table.sort();
      this.announce();
    });
  }
  announce() {
    const all = counted(this.model.rows.length, "design");
    const { active, count: chosen } = this.selection;
    byId("announcement").textContent = active ? `${count(chosen)} of ${all} selected` : `${all}, all selected`;
    byId("clear").disabled = !active;
  }

  clear() {
    this.selection.clear();
    byId("range-error").textContent = "";
  }

  pinned() {
    return [["A", this.first], ["B", this.second]].filter((pin) => pin[1] !== undefined);
  }
  current() {
    return this.keepFirst ? this.second ?? this.first : this.first;
  }
  show(row) {
    if (this.keepFirst) this.second = row === this.first ? undefined : row;
    else this.first = row;
    this.pinsChanged();
  }
  forget() {
    this.first = this.second = undefined;
    this.keepFirst = false;
    this.pinsChanged();
  }
  pinsChanged() {
    this.front.draw();
    this.parallel.draw();
    this.table.fill();
    this.details.draw();
    this.services.draw();
  }
}

function offerChoices(view) {
  const { model } = view, { facts } = model;
  const scenario = byId("scenario"), fidelity = byId("fidelity");
  options(scenario, [["", "all (aggregate)"], ...facts.scenarios.map((name) => [name, name])], "");
  scenario.parentElement.hidden = !facts.scenarios.length;
  options(fidelity, model.fidelities.texts.map((name) => [name, name]), model.fidelity);
  fidelity.parentElement.hidden = model.fidelities.texts.length < 2;
  scenario.addEventListener("change", async () => {
    model.scenario = scenario.value;
    await loadAll(model);
    view.clear();
    view.offer();
  });
  fidelity.addEventListener("change", () => {
    model.fidelity = fidelity.value;
    model.chooseRows();
    view.clear();
    view.offer();
  });
}

function loadAll(model) {
  return model.load([...new Set([...model.dimensions().map((d) => d.column), ...model.metrics.flatMap(Object.values)])]);
}

function watch(view) {
  byId("clear").addEventListener("click", () => {
    view.clear();
    view.parallel.prepare();
    view.selected();
  });
  byId("csv").addEventListener("click", () => save(`${view.model.facts.file.replace(/\.[^.]*$/, "")}.csv`, "text/csv", csvOf(view)));
  byId("print").addEventListener("click", () => print());
  watchPalette(() => view.resize());
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) view.later(() => view.resize(), "resize");
    width = innerWidth;
  });
}

async function start() {
  const model = new Model(JSON.parse(byId("facts").textContent));
  await model.loadBasics();
  await model.loadShown();
  model.chooseRows();
  drawFailures(model);
  drawHistory(model);
  drawProvenance(model);
  drawFlips(model);
  drawTraffic(model);
  document.body.classList.toggle("nothing", model.rows.length === 0);
  const view = new View(model);
  view.first = bestFirst(model);
  offerChoices(view);
  view.offer();
  watch(view);
  document.body.dataset.ready = Math.round(performance.now());
  await Promise.all([loadAll(model), model.loadReasons(), model.loadServices()]);
  if (view.pinned().length) view.details.draw();
  view.services.draw();
  view.best.draw();
  view.front.draw();
  document.body.dataset.whole = Math.round(performance.now());
}

start().catch((error) => {
  byId("announcement").textContent = `This page could not be shown: ${error.message}`;
  throw error;
});
