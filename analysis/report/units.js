// Numbers with readable units, as in the tables of the program.
const prefixes = { f: 1e-15, p: 1e-12, n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
// The prefixes that make sense for a unit: no bytes are counted in thousandths.
const small = ["f", "p", "n", "u", "m", ""], large = ["", "k", "M", "G", "T", "P"], all = [...small, ...large.slice(1)];
const prefixed = { s: small, m: small, J: all, W: all, Hz: large, "B/s": large, "FLOP/s": large };
const binary = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const withPrefixes = (unit, those) => Object.fromEntries(those.map((prefix) => [prefix + unit, prefixes[prefix]]));

function scales(unit) {
  if (unit === "m2") return { mm2: 1e-6 };
  if (unit === "kg") return { ug: 1e-9, mg: 1e-6, g: 1e-3, kg: 1 };
  if (unit === "B") return binary;
  return Object.hasOwn(prefixed, unit) ? withPrefixes(unit, prefixed[unit]) : null;
}

// A typed number in SI, "2 ms" of a time or a number in `unit`; NaN if the text is neither.
export function parsed(text, unit) {
  const [, number, typed] = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(.*?)\s*$/i.exec(text) ?? [];
  const name = typed?.replace("²", "2").replace(/[µμ]/, "u") || unit;
  const known = { ...scales(unit), ...(unit === "B" ? withPrefixes("B", large) : {}), [unit]: 1 };
  return Object.hasOwn(known, name) ? Number(number) * known[name] : NaN;
}

function significant(value, digits) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const text = Number(value.toPrecision(digits));
  return Math.abs(text) >= 1e-4 && Math.abs(text) < 1e7 ? String(text) : text.toExponential();
}

// The multiple of a unit in which a number has one to three digits before the point: [name, factor].
export function scaleOf(value, unit) {
  const known = scales(unit);
  if (!known) return [unit === "1" ? "" : unit, 1];
  const entries = Object.entries(known);
  const size = Math.abs(value);
  let best = entries[0];
  for (const entry of entries) if (size >= entry[1] * (1 - 1e-12)) best = entry;
  return size === 0 ? [unit, 1] : best;
}

export function quantity(value, unit, digits = 4) {
  if (value === null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const [name, factor] = scaleOf(value, unit);
  const text = significant(factor === 1 ? value : value / factor, digits);
  return name ? `${text} ${name}` : text;
}

export const count = (value) => value.toLocaleString("en");
export const counted = (value, one) => `${count(value)} ${one}${value === 1 ? "" : "s"}`;
