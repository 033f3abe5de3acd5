// The rows that meet all ranges, drawn or typed.
export class Selection {
  constructor(model) {
    this.model = model;
    this.ranges = new Map();
    this.update();
  }

  get active() {
    return this.ranges.size > 0;
  }

  // Sets a range; null removes it.
  set(dimension, range) {
    if (range) this.ranges.set(dimension.name, { dimension, ...range });
    else this.ranges.delete(dimension.name);
    this.update();
  }
  get(dimension) {
    return this.ranges.get(dimension.name);
  }
  clear() {
    this.ranges.clear();
    this.update();
  }
  meets(row) {
    for (const { dimension, low, high } of this.ranges.values()) {
      const value = dimension.number(row);
      if (!(value >= low && value <= high)) return false;
    }
    return true;
  }

  // Computes the mask of the model's rows.
  update() {
    this.mask = new Uint8Array(this.model.rows.length).fill(1);
    for (const range of this.ranges.values()) this.narrow(range);
    this.count = 0;
    for (const chosen of this.mask) this.count += chosen;
  }

  narrow({ dimension, low, high }) {
    const { values, codes } = dimension.column;
    const inside = new Uint8Array(values.length);
    for (let i = 0; i < values.length; ++i)
      inside[i] = i !== dimension.absent && values[i] >= low && values[i] <= high ? 1 : 0;
    const { rows } = this.model;
    for (let i = 0; i < rows.length; ++i) this.mask[i] &= inside[codes ? codes[rows[i]] : rows[i]];
  }

  chosen() {
    const { rows } = this.model;
    const list = new Uint32Array(this.count);
    for (let i = 0, at = 0; i < rows.length; ++i) if (this.mask[i]) list[at++] = rows[i];
    return list;
  }
}
