// Conditions that are typed on the page, in the language of space files (docs/spaces.md, Conditions). `parsed` makes the
// tree that `pimdse condition` prints (dse/space/expression_tree.hpp), and `evaluator` evaluates a tree. A missing value
// is unknown (Kleene's three-valued logic): truth values are 1, 0 or, if unknown, NaN.
import { combined, dimensionName, plainNumber, sameDimension, unitOf, unitWith } from "./quantities.js";

const known = (compare) => (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : Number(compare(a, b)));
const operators = {
  or: (a, b) => (a === 1 || b === 1 ? 1 : a + b), and: (a, b) => (a === 0 || b === 0 ? 0 : a * b), not: (a) => 1 - a,
  "<=": known((a, b) => a <= b), ">=": known((a, b) => a >= b), "==": known((a, b) => a === b),
  "!=": known((a, b) => a !== b), "<": known((a, b) => a < b), ">": known((a, b) => a > b),
  "+": (a, b) => a + b, "-": (a, b) => (b === undefined ? -a : a - b), "*": (a, b) => a * b, "/": (a, b) => a / b,
};
// Binary operators, those that bind least first; `not` binds between `and` and comparisons, a sign most of all.
const comparisons = ["<=", ">=", "==", "!=", "<", ">", "="];
const levels = [["or"], ["and"], ["not"], comparisons, ["+", "-"], ["*", "/"]];
const done = { "+": "added", "-": "subtracted", "*": "multiplied and divided", "/": "multiplied and divided" };
const deepest = 64;
const knownUnits = "s, Hz, J, W, B, bit, m2, FLOP, USD, g with SI prefixes, KiB/MiB/GiB, cycles, tokens";

export class ConditionError extends Error {}

// A function that gives the value of a tree for a row. `valueOf(leaf)` is such a function for a parameter or metric.
export function evaluator(tree, valueOf) {
  if (!Array.isArray(tree)) return typeof tree === "object" ? valueOf(tree) : () => tree;
  const operator = operators[tree[0]];
  const [a, b] = tree.slice(1).map((operand) => evaluator(operand, valueOf));
  return b ? (row) => operator(a(row), b(row)) : (row) => operator(a(row));
}

// { columns, met(row) } of a tree: the columns that must be loaded, and whether a row meets it. `named` as in `parsed`.
export function conditionOf(tree, named) {
  const columns = new Set();
  const value = evaluator(tree, (leaf) => {
    const found = named(leaf.metric ?? leaf.parameter);
    const { column, of } = leaf.end ? found.ends[leaf.end] : found;
    const scale = leaf.scale ?? 1;
    columns.add(column);
    if (found.kind === "choice") return (row) => (column.missing(row) ? NaN : of(row));
    return (row) => (column.missing(row) ? NaN : Number(of(row)) * scale);
  });
  return { columns: [...columns], met: (row) => value(row) === 1 };
}

// The tree of a condition. Throws ConditionError with one sentence. `named(name)` describes a parameter or metric:
// { kind, column, of(row) } with kind "number" (also `dimension` and `scale`, SI units in one of the column's), "truth"
// or "choice" (also `texts`); undefined if there is none. column.missing(row) is true if the row has no value. A metric
// has `isMetric` and `ends`, the ends of its interval. `absent` is a sentence on why the page lacks the values. `names`
// are all names, for suggestions.
export function parsed(text, named, names) {
  return new Parser(text, named, names).whole();
}

// Parts are { kind, tree }; numbers also have `dimension` and `zero`, choices `about`. A text must name a value of a
// choice.
class Parser {
  constructor(text, named, names) {
    Object.assign(this, { text, named, names, at: 0, nested: 0 });
  }
  fail(why) {
    throw new ConditionError(`Condition: ${why}${why.endsWith("?") ? "" : "."}`);
  }
  whole() {
    const part = this.operation(0);
    if (!this.atEnd()) this.fail(`'${this.rest()}' is not understood here`);
    if (part.kind !== "truth") this.fail("it is not a condition (compare it with something, such as <= 16 GiB)");
    return part.tree;
  }

  rest() {
    return this.text.slice(this.at);
  }
  atEnd() {
    while (this.text[this.at] === " ") ++this.at;
    return this.at === this.text.length;
  }
  take(pattern) {
    const found = this.atEnd() ? null : pattern.exec(this.rest());
    if (found) this.at += found[0].length;
    return found?.[0];
  }
  takeSymbol(symbols) {
    const found = this.atEnd() ? undefined : symbols.find((symbol) => this.rest().startsWith(symbol));
    if (!found || (/\w/.test(found) && /^[\w.]/.test(this.rest().slice(found.length)))) return undefined;
    this.at += found.length;
    return found;
  }
  deeper(inner) {
    if (++this.nested > deepest) this.fail("it is nested too deeply");
    const part = inner();
    --this.nested;
    return part;
  }

  operation(level) {
    const symbols = levels[level];
    if (!symbols) return this.sign();
    if (symbols[0] === "not") return this.takeSymbol(symbols) ? this.negation(level) : this.operation(level + 1);
    let left = this.operation(level + 1);
    for (let symbol; (symbol = this.takeSymbol(symbols)); ) {
      left = this.joined(symbol, left, this.operation(level + 1));
      if (symbols === comparisons) return left;
    }
    if (symbols === comparisons) this.refuseText(left);
    return left;
  }
  negation(level) {
    const { kind, tree } = this.deeper(() => this.operation(level));
    if (kind !== "truth") this.fail("'not' must stand before a condition");
    return { kind, tree: ["not", tree] };
  }
  joined(symbol, a, b) {
    if (symbol === "or" || symbol === "and") {
      if (a.kind !== "truth" || b.kind !== "truth") this.fail(`both sides of '${symbol}' must be conditions`);
      return { kind: "truth", tree: [symbol, a.tree, b.tree] };
    }
    if (comparisons.includes(symbol)) {
      if (a.kind === "choice") b = this.choiceNamed(b, a, symbol);
      else if (b.kind === "choice") a = this.choiceNamed(a, b, symbol);
      else this.needSame(a, b, "compared");
      return { kind: "truth", tree: [symbol === "=" ? "==" : symbol, a.tree, b.tree] };
    }
    this.needNumbers(a, b, done[symbol]);
    const product = symbol === "*" || symbol === "/";
    if (!product) this.needSame(a, b, done[symbol]);
    const dimension = product ? combined(a.dimension, b.dimension, symbol === "*" ? 1 : -1) : a.zero ? b.dimension : a.dimension;
    return { kind: "number", dimension, tree: [symbol, a.tree, b.tree] };
  }
  // The value of a choice that a text names; that of a file of one's own also without its folder.
  choiceNamed({ kind, tree }, { about, name }, symbol) {
    if (!["==", "=", "!="].includes(symbol)) this.fail("names of choices can only be compared with == or !=");
    if (kind !== "text") this.fail("a choice can only be compared with one of its names");
    const listed = about.texts.filter(Boolean);
    const files = tree.endsWith(".toml") ? listed.filter((file) => file.endsWith(`/${tree.replace(/^\.\//, "")}`)) : [];
    if (listed.includes(tree) || files.length === 1) return { kind, tree: listed.includes(tree) ? tree : files[0] };
    return this.fail(`'${tree}' is not a value of ${name} here (there are ${few(listed)})`);
  }
  refuseText(...parts) {
    for (const { kind, tree } of parts)
      if (kind === "text") this.fail(`'${tree}' is neither a parameter nor a metric${near(tree, this.names)}`);
  }
  needNumbers(a, b, what) {
    this.refuseText(a, b);
    if (a.kind !== "number" || b.kind !== "number") this.fail(`only numbers can be ${what}`);
  }
  needSame(a, b, what) {
    this.refuseText(a, b);
    if (a.kind === "truth" && b.kind === "truth") return;
    if (a.kind !== "number" || b.kind !== "number") this.fail(`a condition and a number cannot be ${what}`);
    if (a.zero || b.zero || sameDimension(a.dimension, b.dimension)) return;
    const [one, other] = [a, b].map(({ dimension }) => sameDimension(dimension, plainNumber));
    const unit = unitWith(one ? b.dimension : a.dimension).replaceAll("*", " * 1 ");
    const missing = one || other ? `. Does the number lack its unit, such as ${unit}?` : "";
    this.fail(`${dimensionName(a.dimension)} and ${dimensionName(b.dimension)} cannot be ${what} (units differ)${missing}`);
  }

  sign() {
    if (!this.takeSymbol(["-"])) return this.atom();
    const inner = this.deeper(() => this.sign());
    this.needNumbers(inner, inner, "negated");
    return { ...inner, tree: ["-", inner.tree] };
  }
  atom() {
    if (this.atEnd()) this.fail("it ends too early");
    if (this.takeSymbol(["("])) {
      const inner = this.deeper(() => this.operation(0));
      if (!this.takeSymbol([")"])) this.fail("a ')' is missing");
      return inner;
    }
    const quoted = this.take(/^(?:"[^"]*"|'[^']*')/);
    if (quoted) return { kind: "text", tree: quoted.slice(1, -1) };
    if (/["']/.test(this.text[this.at])) this.fail("a quote is not closed");
    if (/[\d.]/.test(this.text[this.at])) return this.number();
    const name = this.take(/^[A-Za-z_%][\w.]*(?:@[\w.-]*)?/);
    return name ? this.column(name) : this.fail(`'${this.rest()}' is not understood here`);
  }
  number() {
    const digits = this.take(/^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/);
    if (!digits) this.fail("a number is malformed");
    const comma = /^,(\d+)/.exec(this.rest());
    if (comma) this.fail(`${digits}${comma[0]} has a decimal comma (numbers are written with a point). Write ${digits}.${comma[1]}?`);
    const { dimension, si } = this.unit();
    const tree = Number(digits) * si;
    if (!Number.isFinite(tree)) this.fail("a number is malformed");
    return { kind: "number", dimension, zero: tree === 0, tree };
  }
  // The unit after a number, such as GiB, GB/s or 1/s; that of a plain number if no word follows.
  unit() {
    if (this.atEnd()) return unitOf("1");
    const first = this.rest().startsWith("1/") && this.unitAt(2) ? "1" : this.wordAt(0);
    if (!first || first === "and" || first === "or") return unitOf("1");
    if (unitOf(first) === null) this.fail(`unknown unit '${first}' (known: ${knownUnits})`);
    let length = first.length;
    while (this.rest()[length] === "/" && this.unitAt(length + 1)) length += 1 + this.wordAt(length + 1).length;
    this.at += length;
    return unitOf(this.text.slice(this.at - length, this.at));
  }
  unitAt(place) {
    const word = this.wordAt(place);
    return word && unitOf(word);
  }
  // The longest word that may be a name or, with letters such as those of mm² and µs, a unit.
  wordAt(place) {
    const found = [/^[A-Za-z_%][\w.]*/, /^(?!\d)[\dA-Za-z%^\u0080-\uffff]+/].map((word) => word.exec(this.rest().slice(place))?.[0] ?? "");
    return found[0].length > found[1].length ? found[0] : found[1];
  }
  column(name) {
    if (name === "true" || name === "false") return { kind: "truth", tree: Number(name === "true") };
    const [, metric, end] = /^(.*)\.(upper|lower)$/.exec(name) ?? [];
    const about = this.named(name), whole = about ? undefined : metric && this.named(metric);
    const found = about ?? whole?.ends?.[end];
    if (!found) return { kind: "text", tree: name };
    if (found.absent) this.fail(found.absent);
    const tree = (about ?? whole).isMetric ? { metric: about ? name : metric } : { parameter: name };
    if (found.kind === "number" && found.scale !== 1) tree.scale = found.scale;
    if (!about) tree.end = end;
    return { kind: found.kind, dimension: found.dimension, about: found, name, tree };
  }
}

const few = (words) => `${words.slice(0, 12).join(", ")}${words.length > 12 ? ` and ${words.length - 12} more` : ""}`;

// ". Did you mean 'latency'?" with the name that needs the fewest changes, if these are few.
function near(word, names) {
  const ranked = names.map((name) => [edits(word, name), name]).sort((a, b) => a[0] - b[0]);
  return ranked.length && ranked[0][0] <= Math.max(1, word.length / 3) ? `. Did you mean '${ranked[0][1]}'?` : "";
}
function edits(a, b) {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const now = [i];
    for (let j = 1; j <= b.length; ++j) now[j] = Math.min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    before = now;
  }
  return before[b.length];
}
