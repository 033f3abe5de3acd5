// The conditions of a table (tests/data/conditions.json) as the page of the report takes them: T, F or U by row.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, path] = process.argv.slice(2);
const { parseCondition } = await import(pathToFileURL(`${modules}/condition.js`));
const { unitOf } = await import(pathToFileURL(`${modules}/quantities.js`));
const table = JSON.parse(readFileSync(path, "utf-8"));
const columns = [...table.parameters, ...table.metrics];

function named(name) {
  const about = columns.find((one) => one.name === name);
  if (!about) return undefined;
  const value = (row) => table.rows[row][name];
  const column = { load: async () => {}, missing: (row) => value(row) === null };
  if (about.kind === "flag") return { kind: "truth", of: (row) => value(row) === true, column };
  if (about.kind === "choice")
    return { kind: "choice", texts: ["", ...about.choices], of: (row) => about.choices.indexOf(value(row)) + 1, column };
  const { dimension, si } = unitOf(about.unit || "1");
  const number = { kind: "number", dimension, of: (row) => (value(row) === null ? NaN : value(row) * si), column };
  if (about.kind) return number;
  const bounds = (row) => table.rows[row].bounds?.[name];
  const end = (at, side) => ({
    ...number,
    of: (row) => (bounds(row)?.[at] ?? value(row)) * si,
    column: { load: async () => {}, missing: (row) => value(row) === null || bounds(row)?.[2].split("_").at(side) === "none" },
  });
  return { ...number, ends: { lower: end(0, 0), upper: end(1, -1) } };
}

const met = (text) => {
  const condition = parseCondition(text, named, columns.map(({ name }) => name));
  return table.rows.map((_, row) => condition.met(row));
};
for (const { text } of table.cases) {
  const [yes, no] = [met(text), met(`not (${text})`)];
  console.log(yes.map((is, row) => (is ? "T" : no[row] ? "F" : "U")).join(""));
}
