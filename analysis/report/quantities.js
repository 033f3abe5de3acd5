// Quantities as in space files and on the command line: a number and a unit with prefixes, products and quotients.
// A dimension has the exponents of second, joule, byte, metre, FLOP, USD and kilogram.
const plain = [0, 0, 0, 0, 0, 0, 0], time = [1, 0, 0, 0, 0, 0, 0], data = [0, 0, 1, 0, 0, 0, 0];
const bases = {
  s: [time, 1], Hz: [[-1, 0, 0, 0, 0, 0, 0], 1], J: [[0, 1, 0, 0, 0, 0, 0], 1], W: [[-1, 1, 0, 0, 0, 0, 0], 1], B: [data, 1], bit: [data, 0.125],
  b: [data, 0.125], m: [[0, 0, 0, 1, 0, 0, 0], 1], FLOP: [[0, 0, 0, 0, 1, 0, 0], 1], FLOPS: [[-1, 0, 0, 0, 1, 0, 0], 1],
  Wh: [[0, 1, 0, 0, 0, 0, 0], 3600], USD: [[0, 0, 0, 0, 0, 1, 0], 1], g: [[0, 0, 0, 0, 0, 0, 1], 1e-3], gCO2e: [[0, 0, 0, 0, 0, 0, 1], 1e-3],
};
const counted = ["1", "cycle", "cycles", "token", "tokens", "element", "elements", "vectors", "sequences", "steps",
  "instructions", "slots", "flits"];
const others = { min: [time, 60], h: [time, 3600], year: [time, 31557600], years: [time, 31557600], "%": [plain, 0.01], ...Object.fromEntries(counted.map((name) => [name, [plain, 1]])) };
const prefixes = { f: 1e-15, p: 1e-12, n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const binary = { K: 2 ** 10, k: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };
const names = new Map([[plain, "plain number"], [time, "time"], [bases.Hz[0], "frequency"], [bases.J[0], "energy"],
  [bases.W[0], "power"], [data, "data"], [[-1, 0, 1, 0, 0, 0, 0], "bandwidth"], [[0, 0, 0, 2, 0, 0, 0], "area"], [bases.m[0], "length"],
  [bases.FLOP[0], "operations"], [bases.FLOPS[0], "throughput"], [bases.USD[0], "money"], [bases.g[0], "mass"], [[0, 1, -1, 0, 0, 0, 0], "energy per data"]]);

export const plainNumber = plain;
export const sameDimension = (a, b) => a.every((power, i) => power === b[i]);
export const combined = (a, b, times) => a.map((power, i) => power + times * b[i]);
export function dimensionName(dimension) {
  for (const [known, name] of names) if (sameDimension(known, dimension)) return name;
  return `quantity in ${unitWith(dimension)}`;
}
// A common unit of this dimension.
export function unitWith(dimension) {
  for (const [unit, usual] of [["Hz or 1/s", bases.Hz[0]], ["W", bases.W[0]], ["mm2", [0, 0, 0, 2, 0, 0, 0]]])
    if (sameDimension(usual, dimension)) return unit;
  const powers = [["USD", dimension[5]], ["kg", dimension[6]], ["FLOP", dimension[4]], ["J", dimension[1]], ["B", dimension[2]], ["m", dimension[3]], ["s", dimension[0]]];
  const above = powers.flatMap(([unit, power]) => Array(Math.max(0, power)).fill(unit)).join("*");
  return (above || "1") + powers.map(([unit, power]) => `/${unit}`.repeat(Math.max(0, -power))).join("");
}

const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);
const scaled = ([dimension, si], factor) => ({ dimension, si: si * factor });

function plainUnit(text) {
  const known = own(bases, text) ?? own(others, text);
  if (known) return scaled(known, 1);
  const [first, rest] = [text[0] ?? "", text.slice(1)];
  if (rest[0] === "i" && own(binary, first) && ["B", "bit", "b"].includes(rest.slice(1))) return scaled(bases[rest.slice(1)], binary[first]);
  return own(prefixes, first) && own(bases, rest) ? scaled(bases[rest], prefixes[first]) : null;
}

function factorOf(text) {
  const found = plainUnit(text);
  if (found) return found;
  const [, stem, power] = /^(.*?)\^?([23])$/.exec(text) ?? [];
  const unit = stem ? plainUnit(stem) : null;
  return unit && { dimension: unit.dimension.map((p) => p * power), si: unit.si ** power };
}

// "GB/s" as { dimension, si }; null if the text is not a unit.
export function unitOf(text) {
  const letters = text.replace(/²/g, "2").replace(/³/g, "3").replace(/[µμ]/g, "u");
  const result = { dimension: plain, si: 1 };
  let sign = 1;
  for (const part of letters.split(/([*/])/)) {
    if (part === "*" || part === "/") {
      sign = part === "/" ? -1 : 1;
      continue;
    }
    const factor = factorOf(part.trim());
    if (!factor) return null;
    result.dimension = combined(result.dimension, factor.dimension, sign);
    result.si = sign > 0 ? result.si * factor.si : result.si / factor.si;
  }
  return result;
}

// A typed number in SI. `unit` is the unit of the quantity and the default; NaN if the text is not such a quantity.
export function parsed(text, unit) {
  const found = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(.*?)\s*$/i.exec(text);
  if (!found) return NaN;
  if (!found[2] || found[2] === unit) return Number(found[1]);
  const [typed, wanted] = [unitOf(found[2]), unitOf(unit || "1")];
  return typed && wanted && sameDimension(typed.dimension, wanted.dimension) ? Number(found[1]) * (typed.si / wanted.si) : NaN;
}
