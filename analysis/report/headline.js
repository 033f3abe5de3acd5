// The head of the page: title and question of the space, machines, file.
import { byId, make } from "./dom.js";

export function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export function machinesOf({ command, architecture }) {
  const architectureOf = (replayed) => replayed.split(" ")[0];  // without the options of the command
  const told = ([name, replayed]) => (name === architectureOf(replayed) ? name : `${name} (${architectureOf(replayed)})`);
  const names = Object.entries(command.machines).map(told);
  return names.length ? names : [architecture];
}

// The title given to pimdse report, else that of the space, else machines and objectives.
export function headline(model) {
  const { facts } = model;
  if (facts.title) return facts.title;
  const objectives = model.objectives().map((objective) => objective.name);
  return facts.space_title || `${listed(machinesOf(facts))}: ${listed(objectives)}`;
}

export function drawHeadline(model) {
  const { facts } = model;
  const title = headline(model), own = facts.space_title;
  byId("title").textContent = title;
  document.title = `${title} (${facts.file})`;
  const machines = machinesOf(facts);
  const parts = [own === title ? "" : own, facts.question].filter(Boolean);
  byId("question").textContent = parts.join(" – ");
  byId("question").hidden = !parts.length;
  const name = (text) => make("span", { class: "dim" }, text);
  byId("origin").replaceChildren(name(machines.length > 1 ? "machines " : "machine "), listed(machines), name(" file "),
    facts.file);
  byId("assumptions").textContent = facts.assumptions;
  byId("assumptions").hidden = !facts.assumptions;
}
