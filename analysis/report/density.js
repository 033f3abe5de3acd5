// Many marks on one canvas: counts per pixel, then a tone for each count.
import { channels } from "./palette.js";

export class Density {
  constructor(width, height) {
    Object.assign(this, { width, height, counts: new Uint32Array(width * height) });
  }

  // A square of `size` pixels around a place.
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

  // The darkest where most are; the least that is there can be seen.
  toned(colour, least = 0.25) {
    let most = 1;
    for (const count of this.counts) if (count > most) most = count;
    const tones = new Uint8Array(Math.min(most, 4096) + 1);
    const last = tones.length - 1;
    for (let i = 1; i <= last; ++i) {
      const share = most === 1 ? 1 : Math.log1p((i / last) * most) / Math.log1p(most);
      tones[i] = 255 * (least + (1 - least) * share);
    }
    const [red, green, blue] = channels(colour);
    const pixel = red | (green << 8) | (blue << 16);
    const image = new ImageData(this.width, this.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; ++i) {
      const count = this.counts[i];
      if (count) pixels[i] = pixel | (tones[most > 4096 ? Math.max(1, Math.ceil((count / most) * last)) : count] << 24);
    }
    return image;
  }
}

// An image as a canvas, which can be drawn over another one.
export function canvasOf(image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
