// Conditions on designs in the language of space files and `pimdse front --where`: names, numbers with units, text for
// choices, + - * /, comparisons, and, or, not, parentheses; METRIC.upper and METRIC.lower are the ends of a metric's
// interval. A missing value is unknown (Kleene's three-valued logic):
// `true or unknown` is true, `false and unknown` is false, and a row meets what is true, not what is unknown.
import { combined, dimensionName, plainNumber, sameDimension, unitOf, unitWith } from "./quantities.js";

const compare = {
  "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "==": (a, b) => a === b, "!=": (a, b) => a !== b,
  "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b,
};
const deepest = 64;
const knownUnits = "s, Hz, J, W, B, bit, m2, FLOP with SI prefixes, KiB/MiB/GiB, cycles, tokens";

export class ConditionError extends Error {}

// Truths are 1, 0 and, unknown, NaN.
const and = (a, b) => (a === 0 || b === 0 ? 0 : a * b);
const or = (a, b) => (a === 1 || b === 1 ? 1 : a + b);
const unless = (unknown, truth) => (unknown ? NaN : Number(truth));

// { met(row), columns }: throws a ConditionError in one sentence. `named(name)` says what a name is: { kind: "number",
// dimension, of(row), column } or { kind: "truth" or "choice", texts, of(row), column }, or nothing; `known` lists names.
// column.missing(row) says where a value is missing. Of a metric, `ends` has `upper` and `lower` of the same form.
export function parseCondition(text, named, known) {
  return new Reader(text, named, known).condition();
}

// Recursive descent: or < and < not < comparison < sum < product < sign < atom. A part has `of(row)`.
class Reader {
  constructor(text, named, known) {
    Object.assign(this, { text, named, known, at: 0, nested: 0, columns: new Set() });
  }
  fail(why) {
    throw new ConditionError(`Condition: ${why}${why.endsWith("?") ? "" : "."}`);
  }
  condition() {
    const whole = this.disjunction();
    if (!this.atEnd()) this.fail(`'${this.rest()}' is not understood here`);
    if (whole.kind !== "truth") this.fail("it compares nothing (such as <= 16 GiB)");
    return { columns: [...this.columns], met: (row) => whole.of(row) === 1 };
  }

  rest() {
    return this.text.slice(this.at);
  }
  atEnd() {
    while (this.text[this.at] === " ") ++this.at;
    return this.at === this.text.length;
  }
  take(symbol) {
    const found = !this.atEnd() && this.text.startsWith(symbol, this.at);
    if (found) this.at += symbol.length;
    return found;
  }
  takeMatch(pattern) {
    const found = this.atEnd() ? null : pattern.exec(this.rest());
    if (found) this.at += found[0].length;
    return found?.[0];
  }
  takeWord(word) {
    return !this.atEnd() && new RegExp(`^${word}(?![\\w.])`).test(this.rest()) && this.take(word);
  }
  deeper(inner) {
    if (++this.nested > deepest) this.fail("it is nested too deeply");
    const part = inner();
    --this.nested;
    return part;
  }

  joined(word, inner, join) {
    let left = inner();
    while (this.takeWord(word)) {
      const [a, b] = [left, inner()];
      if (a.kind !== "truth" || b.kind !== "truth") this.fail(`both sides of '${word}' must be conditions`);
      left = { kind: "truth", of: (row) => join(a.of(row), b.of(row)) };
    }
    return left;
  }
  disjunction() {
    return this.joined("or", () => this.conjunction(), or);
  }
  conjunction() {
    return this.joined("and", () => this.negation(), and);
  }
  negation() {
    if (!this.takeWord("not")) return this.comparison();
    const inner = this.deeper(() => this.negation());
    if (inner.kind !== "truth") this.fail("'not' stands before a condition");
    return { kind: "truth", of: (row) => 1 - inner.of(row) };
  }

  comparison() {
    const left = this.sum();
    for (const symbol of Object.keys(compare)) if (this.take(symbol)) return this.compared(left, this.sum(), symbol);
    this.refuseText(left);
    return left;
  }
  compared(a, b, symbol) {
    if (a.kind === "choice" || b.kind === "choice") return this.chosen(a, b, symbol);
    this.refuseText(a, b);
    this.needSame(a, b, "compared");
    const of = (row) => {
      const [left, right] = [a.of(row), b.of(row)];
      return unless(Number.isNaN(left) || Number.isNaN(right), compare[symbol](left, right));
    };
    return { kind: "truth", of };
  }
  chosen(a, b, symbol) {
    if (!["==", "=", "!="].includes(symbol)) this.fail("names of choices are compared with == or != only");
    const [choice, word] = a.kind === "choice" ? [a, b] : [b, a];
    if (word.kind !== "text") this.fail("a choice is compared with one of its names");
    const code = choice.texts.indexOf(word.word);
    const listed = choice.texts.filter(Boolean);
    if (code < 0) this.fail(`'${word.word}' is no value of ${choice.name} here (there are ${few(listed)})`);
    const of = (row) => unless(choice.column.missing(row), (choice.of(row) === code) === (symbol !== "!="));
    return { kind: "truth", of };
  }
  refuseText(...parts) {
    for (const { kind, word } of parts)
      if (kind === "text") this.fail(`'${word}' names neither a parameter nor a metric.${near(word, this.known)}`);
  }
  needNumbers(a, b, what) {
    this.refuseText(a, b);
    if (a.kind !== "number" || b.kind !== "number") this.fail(`only numbers are ${what}`);
  }
  needSame(a, b, what) {
    if (a.kind === "truth" && b.kind === "truth") return;
    if (a.kind !== "number" || b.kind !== "number") this.fail(`a condition and a number cannot be ${what}`);
    if (a.zero || b.zero || sameDimension(a.dimension, b.dimension)) return;
    const [one, other] = [a, b].map(({ dimension }) => sameDimension(dimension, plainNumber));
    const measured = one ? b.dimension : a.dimension;
    const missing = one || other ? `. Does the number lack its unit, such as ${unitWith(measured).replaceAll("*", " * 1 ")}?` : "";
    this.fail(`${dimensionName(a.dimension)} and ${dimensionName(b.dimension)} cannot be ${what} (units differ)${missing}`);
  }

  sum() {
    let left = this.product();
    for (;;) {
      const plus = this.take("+");
      if (!plus && !this.take("-")) return left;
      const [a, b] = [left, this.product()];
      const what = plus ? "added" : "subtracted";
      this.needNumbers(a, b, what);
      this.needSame(a, b, what);
      const of = plus ? (row) => a.of(row) + b.of(row) : (row) => a.of(row) - b.of(row);
      left = { kind: "number", dimension: a.zero ? b.dimension : a.dimension, of };
    }
  }
  product() {
    let left = this.sign();
    for (;;) {
      const times = this.take("*");
      if (!times && !this.take("/")) return left;
      const [a, b] = [left, this.sign()];
      this.needNumbers(a, b, "multiplied and divided");
      const of = times ? (row) => a.of(row) * b.of(row) : (row) => a.of(row) / b.of(row);
      left = { kind: "number", dimension: combined(a.dimension, b.dimension, times ? 1 : -1), of };
    }
  }
  sign() {
    if (!this.take("-")) return this.atom();
    const inner = this.deeper(() => this.sign());
    this.needNumbers(inner, inner, "negated");
    return { ...inner, of: (row) => -inner.of(row) };
  }

  atom() {
    if (this.atEnd()) this.fail("it ends too early");
    if (this.take("(")) {
      const inner = this.deeper(() => this.disjunction());
      if (!this.take(")")) this.fail("a ')' is missing");
      return inner;
    }
    if (/["']/.test(this.text[this.at])) return this.quoted();
    if (/[\d.]/.test(this.text[this.at])) return this.number();
    const name = this.takeMatch(/^[A-Za-z_%][\w.]*(?:@[\w.-]*)?/);
    return name ? this.name(name) : this.fail(`'${this.rest()}' is not understood here`);
  }
  quoted() {
    const end = this.text.indexOf(this.text[this.at], this.at + 1);
    if (end < 0) this.fail("a quote is not closed");
    const word = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return { kind: "text", word };
  }
  number() {
    const digits = this.takeMatch(/^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/);
    if (!digits) this.fail("a number is malformed");
    const comma = /^,(\d+)/.exec(this.rest());
    if (comma) this.fail(`${digits}${comma[0]} has a decimal comma (numbers are written with a point). Write ${digits}.${comma[1]}?`);
    const unit = this.unit();
    const value = Number(digits) * unit.si;
    if (!Number.isFinite(value)) this.fail("a number is malformed");
    return { kind: "number", dimension: unit.dimension, zero: value === 0, of: () => value };
  }
  // The unit after a number, such as GiB, GB/s or 1/s; a plain number's where no word follows.
  unit() {
    const isUnit = (word) => Boolean(word) && word !== "and" && word !== "or" && unitOf(word) !== null;
    const one = /^ *(1)(?=\/([A-Za-z_%][\w.]*))/.exec(this.rest());
    const word = isUnit(one?.[2]) ? one : /^ *([A-Za-z_%][\w.]*)/.exec(this.rest());
    if (!word || word[1] === "and" || word[1] === "or") return { dimension: plainNumber, si: 1 };
    if (word !== one && !isUnit(word[1])) this.fail(`unknown unit '${word[1]}' (known: ${knownUnits})`);
    let text = word[1];
    this.at += word[0].length;
    for (;;) {
      const next = /^\/([A-Za-z_%][\w.]*)/.exec(this.rest());
      if (!isUnit(next?.[1])) return unitOf(text);
      text += next[0];
      this.at += next[0].length;
    }
  }
  name(name) {
    if (name === "true" || name === "false") return { kind: "truth", of: () => Number(name === "true") };
    const known = this.named(name) ?? this.intervalEnd(name);
    if (!known) return { kind: "text", word: name };
    if (known.absent) this.fail(known.absent);
    const { column } = known;
    this.columns.add(column);
    if (known.kind === "choice") return { ...known, name };
    return { ...known, name, of: (row) => (column.missing(row) ? NaN : Number(known.of(row))) };
  }
  intervalEnd(name) {
    const [, metric, end] = /^(.*)\.(upper|lower)$/.exec(name) ?? [];
    return metric && this.named(metric)?.ends?.[end];
  }
}

const few = (words) => `${words.slice(0, 12).join(", ")}${words.length > 12 ? ` and ${words.length - 12} more` : ""}`;

// " Did you mean 'latency'?" of the name that takes fewest changes, if that is few.
function near(word, names) {
  const ranked = names.map((name) => [edits(word, name), name]).sort((a, b) => a[0] - b[0]);
  return ranked.length && ranked[0][0] <= Math.max(1, word.length / 3) ? ` Did you mean '${ranked[0][1]}'?` : "";
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
