// Many marks on one canvas: counts per pixel, and a tone for each count.
import { channels } from "./palette.js";

export class Density {
  constructor(width, height) {
    Object.assign(this, { width, height, counts: new Uint32Array(width * height) });
  }

  // Marks a square of `size` pixels around a position.
  mark(x, y, size) {
    const from = size >> 1;
    for (let dy = -from; dy < size - from; ++dy) {
      for (let dx = -from; dx < size - from; ++dx) this.add(x + dx, y + dy, 1);
    }
  }
  add(x, y, count) {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.counts[y * this.width + x] += count;
  }
  // One pixel per column from (from, y0) to (to, y1), so that steep lines are dashed.
  line(from, y0, to, y1, count) {
    const { counts, width } = this;
    let y = y0 * 65536 + 32768;
    const step = Math.round(((y1 - y0) * 65536) / (to - from));
    for (let x = from; x <= to; ++x, y += step) counts[(y >> 16) * width + x] += count;
  }

  // An image, darkest at the largest count; the smallest count has the opacity `least`, so that it is visible.
  toned(colour, least = 0.25) {
    const { counts } = this, { length } = counts;
    let most = 1;
    for (let i = 0; i < length; ++i) if (counts[i] > most) most = counts[i];
    const coarser = Math.max(0, 32 - Math.clz32(most) - 12);
    const tones = new Uint32Array((most >>> coarser) + 1);
    const [red, green, blue] = channels(colour);
    for (let i = 0; i < tones.length; ++i) {
      const share = most === 1 ? 1 : Math.log1p(Math.max(1, i << coarser)) / Math.log1p(most);
      tones[i] = red | (green << 8) | (blue << 16) | ((255 * (least + (1 - least) * share)) << 24);
    }
    const image = new ImageData(this.width, this.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < length; ++i) if (counts[i] !== 0) pixels[i] = tones[counts[i] >>> coarser];
    return image;
  }
}

// An image as a canvas, which can be drawn over another canvas.
export function canvasOf(image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
