// Columns as the C++ writer packed them: a list of values and a code per row, or words. They are unpacked on demand.
export async function inflated(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const inflatedText = async (text) => new TextDecoder().decode(await inflated(text));

// Shuffled numbers of eight bytes: the first byte of all numbers, then the second byte of all, ...
function unshuffled(bytes, count) {
  const words = new Uint8Array(count * 8);
  for (let b = 0; b < 8; ++b) for (let i = 0, from = b * count; i < count; ++i) words[i * 8 + b] = bytes[from + i];
  return words.buffer;
}

function codesIn(bytes, rows, values) {
  if (values <= 1) return new Uint8Array(rows);
  if (values <= 256) return bytes.subarray(0, rows);
  const codes = new Uint16Array(rows);
  for (let i = 0; i < rows; ++i) codes[i] = bytes[i] | (bytes[rows + i] << 8);
  return codes;
}

export class Column {
  constructor(head) {
    this.head = head;
    this.of = head.of;
    this.index = head.index;
    this.texts = head.texts;
    this.rows = head.rows;
  }

  // Unpacks the column once. Then `values` has the distinct values and `codes` an index per row, or codes is null and
  // there is a value per row.
  load() {
    this.loading ??= this.unpack();
    return this.loading;
  }

  async unpack() {
    const { coding, data, rows, values } = this.head;
    const element = document.getElementById(`data-${data}`);
    const bytes = await inflated(element.textContent);
    element.remove();
    if (coding === "codes") {
      const listed = this.texts ? 0 : values * 8;
      this.codes = codesIn(bytes.subarray(listed), rows, values);
      this.values = this.texts ? this.listedNumbers() : ascending(unshuffled(bytes, values));
      return;
    }
    const buffer = unshuffled(bytes, rows);
    this.codes = null;
    if (coding === "words") this.values = new Float64Array(buffer);
    else this.ids = summed(new BigUint64Array(buffer));
  }

  // The values of whole-number parameters; for names, their positions in the list.
  listedNumbers() {
    const numeric = (this.head.list ?? []).some((value) => typeof value === "number");
    return Float64Array.from(this.texts, (_, i) => (numeric ? this.head.list[i] ?? NaN : i));
  }

  entry(row) {
    return this.codes ? this.codes[row] : row;
  }
  number(row) {
    return this.values[this.entry(row)];
  }
  text(row) {
    return this.texts[this.codes[row]];
  }
}

const ascending = (buffer) => new Float64Array(summed(new BigUint64Array(buffer)).buffer);
function summed(steps) {
  for (let i = 1; i < steps.length; ++i) steps[i] += steps[i - 1];
  return steps;
}
