// Positions of values, one per distinct value: rows then only need an index.
import { scaleLinear, scaleLog } from "d3-scale";
import { shortened, textWidth } from "./text_width.js";
import { quantity, scaleOf } from "./units.js";

const mostListed = 12;

// `part`: the ends of the values that are shown, where that is not all of them.
export function scaleFor(dimension, log, range, part) {
  if (part) return (log ? scaleLog() : scaleLinear()).domain(part).range(range);
  const [low, high] = dimension.extent();
  if (dimension.named) return scaleLinear().domain([low - 0.5, high + 0.5]).range(range);
  if (log) return scaleLog().domain(low === high ? [low / 2, high * 2] : [low, high]).range(range);
  const room = low === high ? Math.abs(low) || 1 : 0;
  return scaleLinear().domain([low - room, high + room]).range(range);
}

// The scale with `pixels` of space at both ends.
export function padded(scale, pixels) {
  const [from, to] = scale.range(), inward = from < to ? pixels : -pixels;
  const inner = scale.copy().range([from + inward, to - inward]);
  return scale.copy().domain([inner.invert(from), inner.invert(to)]);
}

// The rounded position of each entry of a column; -1 if it is outside.
export function positions(dimension, scale, most) {
  const { values } = dimension.column;
  const at = new Int32Array(values.length);
  for (let i = 0; i < values.length; ++i) {
    const place = i === dimension.absent ? NaN : Math.round(scale(values[i]));
    at[i] = place >= 0 && place <= most ? place : -1;
  }
  return at;
}

const lineHeight = 12, between = 8;

// Ticks, with texts where these fit. `across`: along a horizontal axis. `room`: the space of one text.
export function legibleTicks(dimension, scale, { most, across = false, room = Infinity }) {
  const found = ticksOf(dimension, scale, most), [first, last] = scale.domain();
  found.ticks = found.ticks.filter((tick) => tick >= first && tick <= last);
  const places = found.ticks.map((tick) => scale(tick)).sort((a, b) => a - b);
  const nearest = places.slice(1).reduce((least, place, i) => Math.min(least, place - places[i]), Infinity);
  const each = across && dimension.named ? Math.max(nearest - between, 24) : room;
  const texts = new Map();
  let free = -Infinity, widest = 0;
  for (const tick of [...found.ticks].sort((a, b) => scale(a) - scale(b))) {
    const text = shortened(String(found.text(tick)), each);
    const half = (across ? textWidth(text) + between : lineHeight) / 2;
    if (scale(tick) - half < free) continue;
    free = scale(tick) + half;
    widest = Math.max(widest, textWidth(text));
    texts.set(tick, text);
  }
  return { ...found, widest, text: (tick) => texts.get(tick) ?? "" };
}

// Positions and texts of the ticks of an axis, in a common unit if they are close to each other.
function ticksOf(dimension, scale, most) {
  if (dimension.named) {
    const [low, high] = dimension.extent();
    const step = Math.max(1, Math.ceil((high - low + 1) / most));
    const ticks = [];
    for (let i = low; i <= high; i += step) ticks.push(i);
    return { ticks, text: (entry) => dimension.entryText(entry) };
  }
  let ticks = scale.ticks(most);
  if (scale.base && ticks.length > most) {
    const powers = ticks.filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9);
    ticks = powers.length > 1 ? powers : ticks.filter((_, i) => i % Math.ceil(ticks.length / most) === 0);
  }
  const listed = dimension.isParameter && dimension.column.texts && dimension.column.texts.length <= Math.max(most, mostListed);
  if (listed) ticks = Array.from(dimension.column.values).filter(Number.isFinite);
  const [low, high] = scale.domain();
  const [name, factor] = scaleOf(Math.max(Math.abs(low), Math.abs(high)), dimension.unit);
  if (scale.base || listed) return inOneUnit(ticks, dimension.unit);
  const shown = scale.copy().domain([low / factor, high / factor]).ticks(most);  // round numbers in the unit that is shown
  return { ticks: shown.map((tick) => tick * factor), text: (value) => String(Number((value / factor).toPrecision(6))), unit: name };
}

// In a common unit, or each tick in its own unit if that makes numbers shorter.
function inOneUnit(ticks, unit) {
  const names = new Set(ticks.filter((tick) => tick !== 0).map((tick) => scaleOf(tick, unit)[0]));
  if (names.size !== 1) return { ticks, text: (value) => quantity(value, unit, 3) };
  const [name] = names, [, factor] = scaleOf(ticks.find((tick) => tick !== 0), unit);
  return { ticks, unit: name, text: (value) => quantity(factor === 1 ? value : value / factor, "", 3) };
}
