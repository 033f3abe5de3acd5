// The width of texts in plots, in CSS pixels, and shortened texts.
const context = new OffscreenCanvas(1, 1).getContext("2d");

export function textWidth(text, font = "11px system-ui, sans-serif") {
  context.font = font;
  return context.measureText(text).width;
}

// The text, shortened with an ellipsis if it does not fit.
export function shortened(text, room, font) {
  if (textWidth(text, font) <= room) return text;
  let length = text.length - 1;
  while (length > 1 && textWidth(`${text.slice(0, length)}…`, font) > room) --length;
  return `${text.slice(0, length).trimEnd()}…`;
}
