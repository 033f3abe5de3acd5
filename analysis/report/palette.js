// Colours by name, for scripts and styles: canvases cannot use styles, and paper is always light.
import palettes from "./palette.json";

const dark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

export const onPaper = () => printing;

export const colour = {};

function apply() {
  Object.assign(colour, palettes[dark.matches && !printing ? "dark" : "light"]);
  const style = document.documentElement.style;
  const { ramp, series, ...single } = colour;
  for (const [name, value] of Object.entries(single)) style.setProperty(`--${name}`, value);
  style.colorScheme = dark.matches && !printing ? "dark" : "light";
}

export function watchPalette(redraw) {
  const change = (paper) => () => {
    printing = paper;
    document.documentElement.classList.toggle("paper", paper);
    apply();
    redraw();
  };
  dark.addEventListener("change", () => change(printing)());
  addEventListener("beforeprint", change(true));
  addEventListener("afterprint", change(false));
}

// "#rrggbb" as [red, green, blue].
export function channels(text) {
  const bits = parseInt(text.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
}

// A colour of the ramp for a share from 0 to 1; NaN, which is never drawn, has any colour.
export function ramped(share) {
  const { ramp } = colour;
  const at = Math.min(Math.max(share || 0, 0), 1) * (ramp.length - 1);
  const left = Math.min(Math.floor(at), ramp.length - 2);
  const [from, to] = [channels(ramp[left]), channels(ramp[left + 1])];
  return from.map((value, i) => Math.round(value + (to[i] - value) * (at - left)));
}

apply();
