// The devices that serve a model together: what a design has, in words, and as a picture.
import { make } from "./dom.js";
import { quantity } from "./units.js";

const names = ["devices", "tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel", "micro_batches", "link", "stage_link", "link_bandwidth"];
const mostStages = 8, mostCopies = 3, mostDevices = 16;
const square = 9, gap = 3, edge = 6, between = 30, perRow = 4;

// The group of a design; null for one device.
export function groupOf(model, row) {
  const prefix = model.machine ? `${model.machineOf(row)}.` : "";
  const found = {};
  for (const dimension of model.parameterDimensions()) {
    const name = names.find((one) => dimension.name === one || dimension.name === prefix + one);
    if (name) found[name] = dimension.named ? dimension.text(row) : dimension.number(row);
  }
  if (!(found.devices > 1)) return null;
  const stages = found.pipeline_parallel, experts = found.expert_parallel, copies = found.data_parallel;
  const tensor = found.tensor_parallel || found.devices / (stages * experts * copies);
  const stageLink = found.stage_link === "link" ? found.link : found.stage_link;
  return { devices: found.devices, stages, experts, copies, tensor, parts: found.micro_batches, link: found.link, stageLink, bandwidth: found.link_bandwidth };
}

export function inWords({ devices, stages, experts, copies, tensor, parts, link, stageLink, bandwidth }) {
  const shares = [[copies, "copies"], [stages, "stages"], [experts, "expert"], [tensor, "tensor"]];
  const words = shares.filter(([number]) => number > 1).map(([number, what]) => `${number} ${what}`).join(" × ");
  const own = (name) => (name === "own" ? "own link" : name) + (bandwidth > 0 ? `, ${quantity(bandwidth, "B/s", 3)}` : "");
  return [`${devices} devices: ${words}`, parts > 1 ? `${parts} micro-batches` : "",
    experts * tensor > 1 ? `joined by ${own(link)}` : "", stages > 1 ? `stages by ${stageLink === "own" ? "own link" : stageLink}` : ""].filter(Boolean).join("; ");
}

// Whether a part of a breakdown belongs to the links.
export const isOfLinks = (part) => part === "links" || part.startsWith("links/");

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// A row for each copy, a box for each stage, a square for each device; lines in the colour of links join stages.
export function picture(group, pin) {
  const width = group.tensor * group.experts;
  const drawn = Math.min(width, mostDevices), columns = Math.min(drawn, perRow), lines = Math.ceil(drawn / perRow);
  const boxWidth = columns * (square + gap) - gap + 2 * edge + (width > drawn ? 30 : 0);
  const boxHeight = lines * (square + gap) - gap + 2 * edge;
  const stages = Math.min(group.stages, mostStages), copies = Math.min(group.copies, mostCopies);
  const step = boxWidth + between, down = boxHeight + 8;
  const parts = [];
  const text = (x, y, said) => parts.push(svg("text", { x, y }, said));
  for (let copy = 0; copy < copies; ++copy) {
    for (let stage = 0; stage < stages; ++stage) {
      const x = stage * step + 1, y = copy * down + 1;
      if (stage) parts.push(svg("line", { class: "wire", x1: x - between, x2: x, y1: y + boxHeight / 2, y2: y + boxHeight / 2 }));
      parts.push(svg("rect", { class: width > 1 ? "joined" : "alone", x, y, width: boxWidth, height: boxHeight, rx: 4 }));
      for (let i = 0; i < drawn; ++i) {
        const at = { x: x + edge + (i % perRow) * (square + gap), y: y + edge + Math.floor(i / perRow) * (square + gap) };
        parts.push(svg("rect", { class: `device ${pin}`, ...at, width: square, height: square }));
      }
      if (width > drawn) text(x + boxWidth - 31, y + boxHeight / 2 + 4, `× ${width / drawn}`);
    }
    if (group.stages > stages) text(stages * step - between + 8, copy * down + boxHeight / 2 + 5, `… ${group.stages} stages`);
  }
  const height = copies * down + (group.copies > copies ? 14 : 0);
  if (group.copies > copies) text(1, height - 3, `… ${group.copies} copies`);
  const whole = stages * step - between + 2 + (group.stages > stages ? 90 : 0);
  return svg("svg", { class: "group", viewBox: `0 0 ${Math.max(whole, 90)} ${height}`, width: Math.max(whole, 90), height, role: "img", "aria-label": inWords(group) }, ...parts);
}

// What is shown of the pinned designs that have several devices.
export function groups(model, pins) {
  return pins.map(([name, row]) => [name, groupOf(model, row)]).filter(([, group]) => group)
    .map(([name, group]) => make("div", { class: "devices" },
      make("p", {}, make("span", { class: `pin${name}` }, name), ` ${inWords(group)}`), picture(group, name)));
}
