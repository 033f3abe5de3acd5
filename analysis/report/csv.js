// The selected rows as CSV: SI numbers with all digits, names as text.
export function csvOf(view) {
  const { model } = view;
  const told = [...model.objectives(), ...model.robustDimensions(), ...model.metricDimensions(), ...model.parameterDimensions()];
  const dimensions = told.filter((d) => d.column.values);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cell = (dimension, row) => {
    if (dimension.named) return quoted(dimension.text(row));
    const value = dimension.number(row);
    return Number.isNaN(value) ? "" : String(value);
  };
  const head = ["point", "front", ...dimensions.map((d) => d.name)].map(quoted).join(",");
  const lines = Array.from(view.table.sorted, (row) =>
    [model.id(row), model.front.text(row) === "front" ? 1 : 0, ...dimensions.map((d) => cell(d, row))].join(","));
  return `${[head, ...lines].join("\n")}\n`;
}
