// The winner of each question among several machines, and the assumptions that change it (pimdse flips).
import { byId, make } from "./dom.js";
import { listed } from "./headline.js";
import { count, counted, quantity } from "./units.js";

const machine = (name) => name ?? "none";
const asked = ({ scenario, metric, under }) => [scenario, metric, under].filter(Boolean).join(", ");
const number = (text) => Number.parseFloat(text);

export function drawFlips({ facts }) {
  const { flips } = facts;
  byId("flips-section").hidden = !flips;
  if (!flips) return;
  const of = flips.candidates === flips.points ? "" : `, each with the ${count(flips.candidates)} designs that were among the best of their machine`;
  byId("flips-lead").textContent = `Winners among ${counted(flips.points, "design")} at analytic level, assuming ${flips.assumptions}. ` +
    `${counted(flips.variations.length, "other assumption")} ${flips.variations.length === 1 ? "was" : "were"} tried, one at a time${of}.`;
  byId("flips-words").replaceChildren(...[survivors(flips), deciding(flips), without(flips)].filter(Boolean)
    .map((words) => make("li", {}, words)));
  byId("flips-head").replaceChildren(...["question", "winner", "best value", "its peak power and silicon", "ahead of the next", "another machine wins"]
    .map((text) => make("th", { scope: "col" }, text)));
  byId("flips-body").replaceChildren(...flips.winners.map((winner) => row(winner, flips)));
}

const same = (a) => (b) => a.scenario === b.scenario && a.metric === b.metric && a.under === b.under;

function survivors({ winners }) {
  const robust = winners.filter((winner) => winner.survives_all);
  if (!robust.length) return "No winner survives all of them.";
  const of = new Map();
  for (const winner of robust) of.set(machine(winner.machine), [...(of.get(machine(winner.machine)) ?? []), asked(winner)]);
  const told = [...of].map(([name, questions]) => `${name} (${questions.join("; ")})`);
  return `${robust.length} of ${counted(winners.length, "winner")} ${robust.length === 1 ? "survives" : "survive"} all of them: ${listed(told)}.`;
}

// The assumptions by the number of winners that they change, largest first.
function deciding({ flips, winners }) {
  const changed = new Map();
  for (const flip of flips) changed.set(flip.assumption, (changed.get(flip.assumption) ?? new Set()).add(asked(flip)));
  const order = [...changed].sort((a, b) => b[1].size - a[1].size);
  if (!order.length) return "";
  const told = order.map(([name, questions]) => `${name} ${questions.size}`);
  return `Winners that change, of ${count(winners.length)}, by assumption: ${told.join(", ")}.`;
}

function without({ flips, variations }) {
  const changing = new Set(flips.map((flip) => flip.assumption));
  const quiet = [...new Set(variations.map((variation) => variation.assumption))].filter((name) => !changing.has(name));
  return quiet.length ? `No winner changes with ${listed(quiet)}.` : "";
}

function row(winner, { flips }) {
  const best = winner.machine && winner.machines[winner.machine].value;
  const next = winner.runner_up && winner.machines[winner.runner_up].value;
  const ratio = winner.better === "higher" ? best / next : next / best;
  return make("tr", {}, make("th", { scope: "row" }, asked(winner)), make("td", {}, machine(winner.machine)),
    make("td", { class: "whole" }, winner.machine ? quantity(best, winner.unit) : "–"),
    make("td", { class: "whole" }, winner.machine ? needs(winner.machines[winner.machine]) : "–"),
    make("td", { class: "whole" }, winner.runner_up ? `${ratio.toFixed(2)} × ${winner.runner_up}` : "–"),
    make("td", {}, ...changes(flips.filter(same(winner)))));
}

// "181 W, 5460 mm2"; files of older programs lack both.
const needs = (best) => [[best.peak_power, "W"], [best.silicon, "m2"]].filter(([value]) => value != null)
  .map(([value, unit]) => quantity(value, unit)).join(", ") || "–";

// "umdam: view deployed; sram_leakage from 36.6 mW/MiB up", a line for each machine that wins then.
function changes(flips) {
  if (!flips.length) return ["under none"];
  const by = new Map();
  for (const flip of flips) {
    const name = machine(flip.after), told = by.get(name) ?? new Map();
    const known = told.get(direction(flip));
    if (!known || nearer(flip, known)) told.set(direction(flip), flip);
    by.set(name, told);
  }
  return [...by].map(([name, told]) => make("div", {}, make("b", {}, name), `: ${[...told.values()].map(condition).join("; ")}`));
}

// If several values are beyond a break-even, the nearest one is shown.
const rises = (flip) => number(flip.to) > number(flip.from);
const direction = (flip) => `${flip.assumption} ${flip.break_even ? rises(flip) : flip.to}`;
const nearer = (a, b) => Math.abs(a.break_even?.value - number(a.from)) < Math.abs(b.break_even?.value - number(b.from));

function condition({ break_even: even, ...flip }) {
  if (!even) return `${flip.assumption} ${flip.to}`;
  const value = Number(even.value.toPrecision(3)) + (even.unit === "1" ? "" : ` ${even.unit}`);
  return `${flip.assumption} from ${value} ${rises(flip) ? "up" : "down"} (assumed: ${flip.from})`;
}
