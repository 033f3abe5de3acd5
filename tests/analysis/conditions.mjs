// The conditions of a table (tests/data/conditions.json) on the page of the report, as one JSON text: for each case its
// tree and its truth value per row (T, F or U), and for each text that must be refused the message.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, path] = process.argv.slice(2);
const { ConditionError, conditionOf, parsed } = await import(pathToFileURL(`${modules}/condition.js`));
const { unitOf } = await import(pathToFileURL(`${modules}/quantities.js`));
const table = JSON.parse(readFileSync(path, "utf-8"));
const columns = [...table.parameters, ...table.metrics];
const names = columns.map(({ name }) => name);

function named(name) {
  const about = columns.find((one) => one.name === name);
  if (!about) return undefined;
  const of = (row) => table.rows[row][name];
  const column = { load: async () => {}, missing: (row) => of(row) === null };
  if (about.kind === "flag") return { kind: "truth", of, column };
  if (about.kind === "choice") return { kind: "choice", texts: ["", ...about.choices], of, column };
  const { dimension, si } = unitOf(about.unit || "1");
  const number = { kind: "number", dimension, scale: about.kind === "quantity" ? 1 : si, of, column };
  if (about.kind) return number;
  const bounds = (row) => table.rows[row].bounds?.[name];
  const end = (at, side) => ({
    ...number,
    of: (row) => bounds(row)?.[at] ?? of(row),
    column: { load: async () => {}, missing: (row) => of(row) === null || bounds(row)?.[2].split("_").at(side) === "none" },
  });
  return { ...number, isMetric: true, ends: { lower: end(0, 0), upper: end(1, -1) } };
}

function truth(tree) {
  const [yes, no] = [tree, ["not", tree]].map((one) => conditionOf(one, named));
  return table.rows.map((_, row) => (yes.met(row) ? "T" : no.met(row) ? "F" : "U")).join("");
}
function refusal(text) {
  try {
    return `accepted as ${JSON.stringify(parsed(text, named, names))}`;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return error.message;
  }
}
const cases = table.cases.map(({ text, tree }) => ({ tree: parsed(text, named, names), truth: truth(tree ?? parsed(text, named, names)) }));
console.log(JSON.stringify({ cases, refused: table.refused.map(refusal) }));
