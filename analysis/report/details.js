// One design, or two side by side: values with intervals, breakdowns of time, energy and area, the command.
import { byId, make } from "./dom.js";
import { groups, isOfLinks } from "./group.js";
import { reasonTables } from "./reasons.js";
import { quantity } from "./units.js";

const kinds = [["time", "seconds", "s", "where the time goes"], ["energy", "joules", "J", "where the energy goes"],
  ["area", "square_metres", "m2", "where the area goes"], ["silicon", "square_metres", "m2", "where the silicon goes"]];
const mostBars = 12;

export class Details {
  constructor(view) {
    this.view = view;
    byId("pin").addEventListener("click", () => this.pin());
    byId("unpin").addEventListener("click", () => this.view.forget());
  }

  pin() {
    this.view.keepFirst = !this.view.keepFirst;
    this.draw();
  }

  draw() {
    const pins = this.view.pinned();
    const [first, second] = pins.map((pin) => pin[1]);
    byId("pin").setAttribute("aria-pressed", Boolean(this.view.keepFirst));
    byId("pin").disabled = pins.length === 0;
    byId("unpin").disabled = pins.length === 0;
    byId("details-hint").textContent = this.hint(pins.length);
    byId("details-body").replaceChildren(...(pins.length ? this.parts(pins, first, second) : []));
    byId("chosen").textContent = pins.map((pin) => this.spoken(pin)).join("; ");
  }

  parts(pins, first, second) {
    const values = (of, caption) => this.values(first, second, of, caption);
    return [...groups(this.view.model, pins), values(this.chosenFirst(first, second), "objectives and parameters"), ...this.crossings(pins), ...reasonTables(this.view, pins),
      ...this.underDraws(values), values(this.others(), "other metrics"), ...this.bars(first, second), ...pins.map((pin) => this.command(pin))];
  }
  underDraws(values) {
    const told = this.view.model.robustDimensions();
    return told.length ? [values(told, "under uncertain constants")] : [];
  }
  crossings(pins) {
    const { model } = this.view;
    const told = pins.filter(([, row]) => model.crossingOf(row));
    return told.map(([name, row]) => make("p", { class: "crossing" }, `${name} ${model.crossingOf(row)}.`));
  }
  hint(pins) {
    const where = "in the plot, in the table, or by arrow keys in the plot";
    if (!pins) return `Choose a design: ${where}.`;
    if (pins > 1) return "The next design replaces B.";
    if (this.view.keepFirst) return `Now choose B: ${where}.`;
    return "The next design replaces A; to compare two designs, keep A first.";
  }
  // For screen readers.
  spoken([name, row]) {
    const { model } = this.view;
    const values = model.objectives().map((objective) => `${objective.label} ${objective.text(row)}`);
    return `${name} is design ${model.id(row)}: ${values.join(", ")}`;
  }

  columns(first, second) {
    return [["A", first], ...(second === undefined ? [] : [["B", second]])];
  }
  chosenFirst(first, second) {
    const { model } = this.view;
    return [...model.objectives(), ...this.parameters(this.columns(first, second))];
  }
  values(first, second, dimensions, caption) {
    const { model } = this.view;
    const two = second !== undefined, columns = this.columns(first, second);
    const heads = columns.map(([name, row]) => {
      const member = model.front.text(row) === "front" ? " ◆" : "";
      return make("th", { scope: "col", class: `pin${name}` }, `${name}: ${model.id(row)}${member}`);
    });
    const head = make("tr", {}, make("th", { scope: "col" }, ""), ...heads, two ? make("th", { scope: "col" }, "B against A") : null);
    const rows = dimensions.map((d) => this.line(d, columns));
    return make("table", { class: "values" }, make("caption", {}, caption), make("thead", {}, head),
      make("tbody", {}, ...rows.filter(Boolean)));
  }
  others() {
    return this.view.model.metricDimensions().filter((d) => d.column.values);
  }
  // Parameters that vary, or that differ from their default in one of the designs whose machine has them.
  parameters(columns) {
    return this.view.model.parameterDimensions().filter((d) => {
      return d.varies || columns.some(([, row]) => d.text(row) !== "–" && d.column.text(row) !== d.about.default);
    });
  }
  line(dimension, columns) {
    const { model } = this.view;
    const texts = columns.map(([, row]) => dimension.text(row));
    if (texts.every((text) => text === "–")) return null;
    const cells = columns.map(([, row], i) => {
      const interval = model.interval(dimension, row);
      const range = interval && `${quantity(interval[0], dimension.unit)} to ${quantity(interval[1], dimension.unit)} (${interval[2].replace("_", ", ")})`;
      const caution = dimension.label === "saturated" && dimension.number(row) === 1 ? "times describe the length of the traffic" : "";
      return make("td", {}, texts[i], ...[range, caution].filter(Boolean).map((said) => make("small", {}, said)));
    });
    const difference = columns.length > 1 ? make("td", {}, this.difference(dimension, columns)) : null;
    const name = make("th", { scope: "row", title: dimension.about.meaning }, dimension.label, dimension.about.assumed ? make("abbr", { title: "depends on assumed constants" }, " *") : null);
    return make("tr", { class: dimension.isParameter ? "parameter" : "" }, name, ...cells, difference);
  }
  difference(dimension, [[, a], [, b]]) {
    if (dimension.named) return dimension.text(a) === dimension.text(b) ? "the same" : "other";
    const [from, to] = [dimension.number(a), dimension.number(b)];
    if (from === to) return "the same";
    if (Number.isNaN(from) || Number.isNaN(to)) return "–";
    if (from <= 0 || to <= 0) return quantity(to - from, dimension.unit, 3);
    const share = to / from - 1;
    if (share > 1) return `× ${Number((to / from).toPrecision(3))}`;
    return `${share > 0 ? "+" : "−"}${Number(Math.abs(100 * share).toPrecision(2))} %`;
  }

  // The breakdown in the selected scenario, or in the first one.
  breakdown(row) {
    const spending = this.view.model.reasonOf(row)?.breakdown;
    return spending && (spending.find((one) => one.scenario === this.view.model.scenario) ?? spending[0]);
  }
  bars(first, second) {
    const both = [first, second].filter((row) => row !== undefined).map((row) => this.breakdown(row));
    if (!both.some(Boolean)) return [];
    const { scenario, facts } = this.view.model;
    const note = facts.scenarios.length && !scenario ? `in ${both.find(Boolean).scenario}` : "";
    const bars = kinds.map(([kind, name, unit, title]) => this.barsOf(both, [kind, name], unit, `${title} ${note}`));
    return [this.limits(both, `what limits ${note}`), ...bars].filter(Boolean);
  }
  // For each phase the unit or memory that is busy longest, and the share of its roof that it attains.
  limits(both, title) {
    const phases = [...new Set(both.flatMap((found) => (found?.limits ?? []).map(({ phase }) => phase)))];
    if (!phases.length) return null;
    const text = (found, phase) => {
      const limit = (found?.limits ?? []).find((one) => one.phase === phase);
      if (!limit) return "–";
      const roof = limit.unit === "1" ? "the time" : quantity(limit.roof, limit.unit, 3);
      return `${limit.limiter}, ${Math.round(100 * limit.share)} % of ${roof}`;
    };
    const rows = phases.map((phase) => make("tr", {}, make("th", { scope: "row" }, phase), ...both.map((found) => make("td", {}, text(found, phase)))));
    return make("table", { class: "limits" }, make("caption", {}, title), make("tbody", {}, ...rows));
  }
  barsOf(both, [kind, name], unit, title) {
    const lists = both.map((found) => new Map((found?.[kind] ?? []).map((share) => [share.what, share[name]])));
    const names = [...new Set(lists.flatMap((list) => [...list.keys()]))];
    if (!names.length) return null;
    const amount = (list, part) => list.get(part) ?? 0;
    const most = (part) => Math.max(...lists.map((list) => amount(list, part)));
    names.sort((a, b) => most(b) - most(a));
    const longest = most(names[0]);
    const totals = lists.map((list) => [...list.values()].reduce((sum, value) => sum + value, 0));
    const shown = names.filter((part, i) => i < mostBars || isOfLinks(part));
    const rows = shown.map((part) => make("tr", { class: isOfLinks(part) ? "links" : undefined }, make("th", { scope: "row" }, part), ...lists.map((list, i) => {
      const bar = make("span", { class: `bar ${"AB"[i]}` });
      bar.style.width = `${Math.max(1, 70 * amount(list, part) / longest)}px`;
      return both[i] ? make("td", {}, bar, ` ${quantity(amount(list, part), unit, 3)} · ${Math.round(100 * amount(list, part) / totals[i])} %`) : make("td", {}, "–");
    })));
    const rest = names.length > shown.length ? `, ${names.length - shown.length} smaller parts left out` : "";
    return make("table", { class: "bars" }, make("caption", {}, `${title}${rest}`), make("tbody", {}, ...rows));
  }

  command([name, row]) {
    const text = this.view.model.command(row);
    const code = make("code", { class: "command" }, text);
    const button = make("button", { type: "button" }, "Copy");
    button.setAttribute("aria-label", `Copy the command of ${name}`);
    button.addEventListener("click", () => copy(text, code, button));
    return make("div", { class: "command-box" }, make("span", { class: `pin${name}` }, name), code, button);
  }
}

// If the page may not write to the clipboard, the text is selected, so that the user can copy it.
async function copy(text, code, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Marked";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
