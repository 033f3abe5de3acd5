// Positions of values: one per distinct value, so that rows cost an index each.
import { scaleLinear, scaleLog } from "d3-scale";
import { quantity, scaleOf } from "./units.js";

const mostListed = 12;

export function scaleFor(dimension, log, range) {
  const [low, high] = dimension.extent();
  if (dimension.named) return scaleLinear().domain([low - 0.5, high + 0.5]).range(range);
  if (log) return scaleLog().domain(low === high ? [low / 2, high * 2] : [low, high]).range(range);
  const room = low === high ? Math.abs(low) || 1 : 0;
  return scaleLinear().domain([low - room, high + room]).range(range);
}

// Where each entry of a column is, rounded; -1 where it is nowhere.
export function positions(dimension, scale, most) {
  const { values } = dimension.column;
  const at = new Int32Array(values.length);
  for (let i = 0; i < values.length; ++i) {
    const place = i === dimension.absent ? NaN : Math.round(scale(values[i]));
    at[i] = place >= 0 && place <= most ? place : -1;
  }
  return at;
}

// Ticks of an axis: places and texts, in one unit for all where they are near each other.
export function ticksOf(dimension, scale, most) {
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
  if (scale.base || listed) return { ticks, text: (value) => quantity(value, dimension.unit, 3) };
  const shown = scale.copy().domain([low / factor, high / factor]).ticks(most);  // round in the unit that is shown
  return { ticks: shown.map((tick) => tick * factor), text: (value) => String(Number((value / factor).toPrecision(6))), unit: name };
}
