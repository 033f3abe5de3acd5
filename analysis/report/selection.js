// The rows that meet all ranges, drawn or typed, and the condition.
export class Selection {
  constructor(model) {
    this.model = model;
    this.ranges = new Map();
    this.condition = null;
    this.update();
  }

  // As conditionOf makes it, with its columns loaded; null removes it.
  setCondition(condition) {
    this.condition = condition;
    this.conditionMask = null;
    this.update();
  }
  get active() {
    return this.ranges.size > 0 || this.condition !== null;
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
    this.setCondition(null);
  }
  meets(row) {
    for (const { dimension, low, high } of this.ranges.values()) {
      const value = dimension.number(row);
      if (!(value >= low && value <= high)) return false;
    }
    return !this.condition || this.condition.met(row);
  }

  // Computes the mask of the model's rows: first for the condition, then for each range.
  update() {
    const { rows } = this.model;
    this.mask = this.met(rows);
    for (const range of this.ranges.values()) this.narrow(range);
    this.count = 0;
    for (const chosen of this.mask) this.count += chosen;
  }

  // The mask of the condition, kept while ranges change.
  met(rows) {
    if (!this.condition) return new Uint8Array(rows.length).fill(1);
    if (this.conditionRows !== rows) this.conditionMask = null;
    this.conditionRows = rows;
    this.conditionMask ??= Uint8Array.from(rows, this.condition.met);
    return this.conditionMask.slice();
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
