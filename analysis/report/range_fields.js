// Fields below the axes: names and typed ranges, equal to the drawn ones; and the parameters without an axis.
import { breakable, byId, make } from "./dom.js";
import { counted, parsed, quantity } from "./units.js";

const narrow = 118, widest = 138, roomBetween = 8;

export function drawFields(parallel) {
  const box = byId("parallel-fields");
  const wide = Math.min(parallel.axes.length > 1 ? parallel.gap - roomBetween : widest, widest);
  box.classList.toggle("narrow", wide < narrow);
  box.style.width = `${parallel.width}px`;
  box.replaceChildren(...parallel.axes.map((axis) => field(parallel, axis, wide)));
  box.style.height = `${Math.max(0, ...[...box.children].map((child) => child.offsetHeight)) + 4}px`;
}

function field(parallel, axis, wide) {
  const { dimension } = axis;
  const edit = () => typed(parallel, axis);
  const input = (end, text) => make("input", {
    type: "text", size: 7, placeholder: text, "aria-label": `${dimension.label} ${text}`, onchange: edit, class: end });
  axis.low = input("low", dimension.named ? "from" : "min");
  axis.high = input("high", dimension.named ? "to" : "max");
  const title = `${dimension.label}: ${dimension.about.meaning}`;
  const unit = axis.unit ? make("small", {}, ` ${axis.unit}`) : null;
  const name = make("span", { class: "axis-name", title }, ...breakable(dimension.label), unit);
  const box = make("div", { class: "axis-field", role: "group", "aria-label": `range of ${dimension.label}` },
    name, axis.low, axis.high);
  box.style.left = `${axis.x - wide / 2}px`;
  box.style.width = `${wide}px`;
  fillField(parallel.view, axis);
  return box;
}

export function fillField(view, { dimension, low, high }) {
  const range = view.selection.get(dimension);
  const text = (value) => {
    if (!range || !Number.isFinite(value)) return "";
    return dimension.named ? dimension.entryText(Math.round(value)) : quantity(value, dimension.unit, 6);
  };
  low.value = text(range?.low);
  high.value = text(range?.high);
}

function read(input, dimension, open) {
  const text = input.value.trim();
  const { named, column, unit } = dimension;
  const number = () => (named ? column.texts.indexOf(text) : parsed(text, unit));
  const value = text ? number() : open;
  const wrong = Number.isNaN(value) || (dimension.named && text && value < 0);
  const wanted = dimension.named ? "value here" : `number in ${dimension.unit || "plain units"}`;
  input.setAttribute("aria-invalid", Boolean(wrong));
  input.title = wrong ? `'${text}' is not a ${wanted}` : "";
  if (wrong) byId("range-error").textContent = `${dimension.label}: ${input.title}`;
  return wrong ? open : value;
}
function typed(parallel, { dimension, low, high }) {
  byId("range-error").textContent = "";
  const [least, most] = [read(low, dimension, -Infinity), read(high, dimension, Infinity)];
  const open = least === -Infinity && most === Infinity;
  parallel.view.selection.set(dimension, open ? null : { low: least, high: most });
  parallel.drawRanges();
  parallel.view.selected();
}

// Parameters with a single value have no axis; they are in a list that can be opened.
export function drawConstants(model) {
  const same = model.constants(), box = byId("constants");
  box.hidden = !same.length;
  const have = same.length === 1 ? "has" : "have";
  byId("constants-count").textContent = `${counted(same.length, "parameter")} ${have} one value in all designs`;
  const line = ([name, value]) => [make("dt", {}, name), make("dd", {}, value)];
  byId("constants-list").replaceChildren(...same.flatMap(line));
}
