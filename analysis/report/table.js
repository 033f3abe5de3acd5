// The selected rows as a table; only visible rows have elements.
import { breakable, byId, make } from "./dom.js";
import { count, counted } from "./units.js";

const rowHeight = 26, spare = 6, onPaper = 40, tallest = 330;

export class Table {
  constructor(view) {
    this.view = view;
    this.scroller = byId("table-box");
    this.body = byId("table-body");
    this.order = { dimension: null, sign: 1 };
    this.scroller.addEventListener("scroll", () => this.view.later(() => this.fill()));
    this.body.addEventListener("click", (event) => this.pick(event.target.closest("tr")));
    this.body.addEventListener("keydown", (event) => this.key(event));
    addEventListener("beforeprint", () => this.paper(true));
    addEventListener("afterprint", () => this.paper(false));
  }

  offer() {
    const heads = [{ text: "design", sorts: null }, ...this.view.dimensions.map((d) => ({ text: d.label, sorts: d }))];
    this.seen = new Map();
    byId("table-head").replaceChildren(...heads.map((head) => this.head(head)));
    this.order.dimension ??= this.view.dimensions[0];
    this.order.dimension = this.view.dimensions.find((d) => d.label === this.order.dimension.label) ?? null;
    this.sort();
  }
  head({ text, sorts }) {
    const now = this.order.dimension === sorts && sorts ? (this.order.sign > 0 ? "ascending" : "descending") : "none";
    const button = make("button", { type: "button", title: sorts ? sorts.about.meaning : "its id in the space",
      onclick: () => this.sortBy(sorts) }, ...breakable(text));
    const assumed = sorts?.about.assumed ? make("abbr", { title: "depends on assumed constants" }, " *") : null;
    return make("th", { scope: "col", "aria-sort": now }, button, assumed);
  }
  sortBy(dimension) {
    const again = this.order.dimension === dimension;
    this.order = { dimension, sign: again ? -this.order.sign : 1 };
    this.offer();
  }

  // Codes are ranks, so that rows are sorted by counting; values per row are compared.
  sort() {
    const rows = this.view.selection.chosen();
    const { dimension, sign } = this.order;
    this.sorted = dimension ? sortedBy(rows, dimension) : rows;
    if (sign < 0) this.sorted.reverse();
    this.scroller.setAttribute("aria-rowcount", this.sorted.length + 1);
    this.say();
    const whole = (this.sorted.length + 1) * rowHeight + 20;
    this.scroller.style.height = `${Math.min(whole, tallest)}px`;
    this.fill();
  }

  say() {
    const all = this.sorted.length;
    const cut = this.printed && all > onPaper ? `, of which ${onPaper} are printed` : "";
    byId("table-count").textContent = `${count(all)} of ${counted(this.view.model.rows.length, "design")}${cut}`;
  }
  paper(on) {
    this.printed = on;
    this.say();
    this.fill();
    this.fitPaper(on);
  }
  // On paper, the table has the columns with an axis, scaled to the width of the page.
  fitPaper(on) {
    const table = this.body.parentElement, { shown } = this.view.parallel;
    const aside = this.view.dimensions.map((dimension) => on && !shown.has(dimension.label));
    const mark = (cell, i) => cell.classList.toggle("aside", aside[i]);
    for (const { cells } of table.rows) [...cells].slice(1).forEach(mark);
    table.style.zoom = "";
    if (on) table.style.zoom = Math.min(1, this.scroller.clientWidth / table.scrollWidth);
  }

  fill() {
    const { sorted } = this;
    const fits = Math.ceil(this.scroller.clientHeight / rowHeight) + 2 * spare;
    const first = this.printed ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - spare);
    const last = Math.min(sorted.length, first + (this.printed ? onPaper : fits));
    const focused = document.activeElement?.closest?.("tr")?.dataset.row;
    const rows = [];
    for (let i = first; i < last; ++i) rows.push(this.row(sorted[i], i));
    rows.forEach((element, i) => (element.tabIndex = i ? -1 : 0));  // a single tab stop; arrow keys move between rows
    this.seen = new Map(rows.map((element) => [Number(element.dataset.row), element]));
    const space = (rest) => make("tr", { class: "spacer", "aria-hidden": "true" }, make("td"));
    const [above, below] = [space(), space()];
    above.style.height = `${first * rowHeight}px`;
    below.style.height = `${(sorted.length - last) * rowHeight}px`;
    this.body.replaceChildren(above, ...rows, below);
    if (focused) this.body.querySelector(`tr[data-row="${focused}"]`)?.focus();
  }

  // Visible rows keep their element, so that a click that has begun still reaches it.
  row(row, i) {
    const element = this.seen.get(row) ?? this.made(row);
    const pinned = this.view.pinned().find((pin) => pin[1] === row);
    const member = this.view.model.front.text(row) === "front";
    const mark = element.querySelector("span");
    mark.className = pinned ? `pin${pinned[0]}` : "member";
    mark.textContent = pinned ? `${pinned[0]} ` : member ? "◆ " : "";
    element.setAttribute("aria-rowindex", i + 2);
    element.toggleAttribute("aria-current", Boolean(pinned));
    return element;
  }
  made(row) {
    const crossing = this.view.model.crossingOf(row);
    const mark = crossing ? make("abbr", { title: `it ${crossing}` }, " *") : null;
    const name = make("th", { scope: "row" }, make("span"), this.view.model.id(row), mark);
    const cells = this.view.dimensions.map((dimension) => make("td", {}, dimension.text(row)));
    return make("tr", { tabindex: "0", "data-row": row }, name, ...cells);
  }

  pick(element) {
    if (element?.dataset.row) this.view.show(Number(element.dataset.row));
  }
  key(event) {
    const element = event.target.closest("tr");
    if (event.key === "Enter" || event.key === " ") this.pick(element);
    else if (event.key === "ArrowDown") element.nextElementSibling?.focus();
    else if (event.key === "ArrowUp") element.previousElementSibling?.focus();
    else return;
    event.preventDefault();
  }
}

function sortedBy(rows, dimension) {
  const { codes, values } = dimension.column;
  if (!codes) return rows.sort((a, b) => values[a] - values[b] || a - b);
  const starts = new Uint32Array(values.length + 1);
  for (const row of rows) ++starts[codes[row] + 1];
  for (let i = 1; i <= values.length; ++i) starts[i] += starts[i - 1];
  const sorted = new Uint32Array(rows.length);
  for (const row of rows) sorted[starts[codes[row]]++] = row;
  return sorted;
}
