// Creation of elements. Texts from files are inserted as text only, never as markup.
export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A name that may be broken after a dot, an @ or an underscore.
export function breakable(name) {
  return name.split(/(?<=[._@])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));
}

export function options(select, list, chosen) {
  select.replaceChildren(...list.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

// Sets a canvas to the size of its box in screen pixels. Returns its context and the factor.
export function fitted(canvas, width, height) {
  const factor = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [width, height].map((size) => Math.max(1, Math.round(size * factor)));
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return { context: canvas.getContext("2d"), factor };
}

export function save(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
