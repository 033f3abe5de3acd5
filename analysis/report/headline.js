// What the page is about, in the words of who asked: the title of the space, its question, its machines, then
// the file.
import { byId, make } from "./dom.js";

// A text of the space file's own table (title = "..."), or "" where it has none.
export function spaceText(space, key) {
  for (const line of space.split("\n")) {
    if (/^\s*\[\[?[\w\s."'-]+\]\]?\s*(#.*)?$/.test(line)) return "";  // of a machine or a scenario
    const found = line.match(/^\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/);
    if (found && found[1] === key) return unquoted(found[2]);
  }
  return "";
}
function unquoted(text) {
  if (text[0] === "'") return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}

const stem = (file) => file.replace(/\.[^.]*$/, "");
export function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export function machinesOf({ command, architecture }) {
  const told = ([name, known]) => (name === known ? name : `${name} (${known})`);
  const names = Object.entries(command.machines).map(told);
  return names.length ? names : [architecture];
}

// A title that was asked for, else the space's, else what is weighed on which machines.
export function headline(model) {
  const { facts } = model;
  if (facts.title !== stem(facts.file)) return facts.title;
  const objectives = model.objectives().map((objective) => objective.name);
  return spaceText(facts.space, "title") || `${listed(machinesOf(facts))}: ${listed(objectives)}`;
}

export function drawHeadline(model) {
  const { facts } = model;
  const title = headline(model), own = spaceText(facts.space, "title");
  byId("title").textContent = title;
  document.title = `${title} (${facts.file})`;
  const machines = machinesOf(facts);
  const parts = [own === title ? "" : own, spaceText(facts.space, "question")].filter(Boolean);
  byId("question").textContent = parts.join(" – ");
  byId("question").hidden = !parts.length;
  const name = (text) => make("span", { class: "dim" }, text);
  byId("origin").replaceChildren(name(machines.length > 1 ? "machines " : "machine "), listed(machines), name(" file "),
    facts.file);
}
