#include "dse/base/durable_file.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/verb.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/weight_layout.hpp"
#include "sim/base/json.hpp"

#include <ranges>

namespace pimdse::dse::cli {
namespace {

using models::LayoutCheck;
using models::WeightLayout;
using models::WeightPlace;
using sim::Json;

/// An element of a matrix.
struct Element {
    std::int64_t row = 0, column = 0;
};

WeightLayout const& named(std::vector<WeightLayout> const& layouts, std::string const& name) {
    auto const found = std::ranges::find(layouts, name, &WeightLayout::matrix);
    if (found != layouts.end()) return *found;
    std::vector<std::string> names;
    for (auto const& layout : layouts) names.push_back(layout.matrix);
    throw UsageError("unknown matrix '{}'.{}", name, sim::suggestion(name, names));
}

std::optional<Element> element_in(CommandLine const& values, WeightLayout const& layout) {
    if (values.contains("row") != values.contains("col")) throw UsageError("--row and --col belong together");
    if (!values.contains("row")) return std::nullopt;
    return Element{number_of<std::int64_t>(values, "row", {0, layout.inputs - 1}),
                   number_of<std::int64_t>(values, "col", {0, layout.outputs - 1})};
}

TextTable table_of(std::vector<WeightLayout> const& layouts) {
    bool const placed = std::ranges::any_of(layouts, [](WeightLayout const& each) { return each.start.has_value(); });
    std::vector<std::string> head{"matrix", "rows", "columns", "tile", "tiles", "stored"};
    if (placed) head.emplace_back("from");
    TextTable table(head);
    for (auto const& layout : layouts) {
        std::vector<std::string> cells{layout.matrix,
                                       fmt::to_string(layout.inputs),
                                       fmt::to_string(layout.outputs),
                                       fmt::format("{} x {}", layout.tile_inputs, layout.tile_outputs),
                                       fmt::to_string(layout.tiles),
                                       sim::print_quantity(static_cast<double>(layout.bytes), "B")};
        if (placed) cells.push_back(fmt::format("{} B", layout.start.value_or(0)));
        table.add(cells);
    }
    return table;
}

TextTable table_of(WeightPlace const& place) {
    TextTable table({"field", "value"});
    for (auto const& [field, value] : place.fields) table.add({field, fmt::to_string(value)});
    table.add({"address", fmt::format("{} B", place.address)});
    return table;
}

TextTable table_of(LayoutCheck const& check) {
    TextTable table({"product of whole numbers", "value"});
    table.add({"outputs compared", fmt::to_string(check.outputs)});
    table.add({"tiles read by the NPU", fmt::to_string(check.npu_tiles)});
    table.add({"outputs of the NPU that are wrong", fmt::to_string(check.npu_wrong)});
    table.add({"commands of the banks", fmt::to_string(check.mac_commands)});
    table.add({"banks of a channel per command", fmt::format("{:.4g}", check.banks_per_command)});
    table.add({"sums read from the banks", fmt::to_string(check.sums_read)});
    table.add({"outputs of the banks that are wrong", fmt::to_string(check.pim_wrong)});
    return table;
}

Json json_of(WeightLayout const& layout) {
    Json text{{"matrix", layout.matrix},
              {"rows", layout.inputs},
              {"columns", layout.outputs},
              {"tile_rows", layout.tile_inputs},
              {"tile_columns", layout.tile_outputs},
              {"burst_rows", layout.burst_inputs},
              {"tiles", layout.tiles},
              {"bytes", layout.bytes}};
    if (layout.start) text["start"] = *layout.start;
    return text;
}

Json json_of(WeightPlace const& place, Element const& element) {
    Json fields;
    for (auto const& [field, value] : place.fields) fields[field] = value;
    return {{"row", element.row}, {"column", element.column}, {"address", place.address}, {"fields", fields}};
}

Json json_of(LayoutCheck const& check) {
    return {{"outputs", check.outputs},
            {"npu_tiles", check.npu_tiles},
            {"npu_wrong", check.npu_wrong},
            {"mac_commands", check.mac_commands},
            {"banks_per_command", check.banks_per_command},
            {"sums_read", check.sums_read},
            {"pim_wrong", check.pim_wrong}};
}

std::uint64_t field(WeightPlace const& place, std::string_view name) {
    auto const found = std::ranges::find(place.fields, name, &std::pair<std::string, std::uint64_t>::first);
    return found == place.fields.end() ? 0 : found->second;
}

/// The DRAM column of a burst: a field of its own, or the part above the interleaving with the part below.
std::uint64_t dram_column(WeightLayout const& layout, WeightPlace const& place) {
    bool const whole = std::ranges::any_of(place.fields, [](auto const& each) { return each.first == "column"; });
    if (whole) return field(place, "column");
    return field(place, "colm") * static_cast<std::uint64_t>(layout.tile_inputs / layout.burst_inputs) +
           field(place, "coll");
}

/// A picture (SVG) of the tile with this element: a column of cells per column of the matrix, a cell per burst. Colour:
/// channel; text: bank, and row and column of the DRAM.
std::string picture_of(WeightLayout const& layout, Element const& element) {
    constexpr int wide = 46, tall = 26, left = 70, top = 60;
    auto const first_row = element.row / layout.tile_inputs * layout.tile_inputs;
    auto const first_column = element.column / layout.tile_outputs * layout.tile_outputs;
    auto const rows = std::min(layout.tile_inputs, layout.inputs - first_row);
    auto const columns = std::min(layout.tile_outputs, layout.outputs - first_column);
    auto const bursts = (rows + layout.burst_inputs - 1) / layout.burst_inputs;
    std::string cells;
    for (std::int64_t c = 0; c < columns; ++c) {
        cells +=
            fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left + c * wide + wide / 2, top - 8, first_column + c);
        for (std::int64_t b = 0; b < bursts; ++b) {
            auto const k = first_row + b * layout.burst_inputs;
            auto const place = layout.place(k, first_column + c);
            bool const here =
                element.column == first_column + c && element.row >= k && element.row < k + layout.burst_inputs;
            auto const bank =
                fmt::format("{}.{}.{}", field(place, "rank"), field(place, "bank_group"), field(place, "bank"));
            cells += fmt::format(
                "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"hsl({4} 60% 85%)\" "
                "stroke=\"{5}\"/><text x=\"{6}\" y=\"{7}\">{8}</text><text x=\"{6}\" y=\"{9}\">{10}:{11}</text>\n",
                left + c * wide, top + b * tall, wide, tall, 67 * field(place, "channel") % 360, here ? "#000" : "#fff",
                left + c * wide + wide / 2, top + b * tall + 11, bank, top + b * tall + 22, field(place, "row"),
                dram_column(layout, place));
        }
    }
    for (std::int64_t b = 0; b < bursts; ++b)
        cells += fmt::format("<text x=\"{}\" y=\"{}\">{} to {}</text>\n", left / 2, top + b * tall + tall / 2 + 4,
                             first_row + b * layout.burst_inputs,
                             std::min(first_row + (b + 1) * layout.burst_inputs, first_row + rows) - 1);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
        "font-size=\"9\" text-anchor=\"middle\">\n"
        "<text x=\"{}\" y=\"20\" font-size=\"13\" text-anchor=\"start\">A tile of {}: columns of the matrix from left "
        "to right, its rows from top to bottom. Colour: channel; cell: rank.group.bank, DRAM "
        "row:column</text>\n{}</svg>\n",
        left + columns * wide + 10, top + bursts * tall + 10, 10, layout.matrix, cells);
}

Json json_of(std::vector<WeightLayout> const& layouts, std::optional<WeightPlace> const& place, Element const& element,
             std::optional<LayoutCheck> const& check) {
    Json text{{"matrices", layouts | std::views::transform([](auto const& one) { return json_of(one); })}};
    if (place) text["place"] = json_of(*place, element);
    if (check) text["check"] = json_of(*check);
    return text;
}

}  // namespace

int run_layout(CommandLine const& values) {
    Format const format = format_of(values);
    auto const requested = point_request(values);
    auto const& architecture = *requested.machine.architecture;
    if (architecture.weight_layouts == nullptr)
        throw UsageError("{} does not state where it stores weights (umdam and upmem do)", architecture.name);
    auto const layouts = architecture.weight_layouts(requested.machine.inputs, requested.point);
    if (layouts.refused) {
        std::cerr << fmt::format("pimdse: infeasible: {}: {}\n", layouts.refused->rule, layouts.refused->reason);
        return no_feasible_point;
    }
    auto shown = layouts.matrices;
    bool const one = values.contains("matrix");
    if (one) shown = {named(layouts.matrices, values.text("matrix"))};
    if (!one)
        for (auto const* flag : {"row", "col", "picture", "check"})
            if (values.contains(flag)) throw UsageError("--{} needs --matrix", flag);
    for (auto const* flag : {"check", "picture"})
        if (values.contains(flag) && !shown.front().check)
            throw UsageError("--{} needs tiles of weights, which {} does not have (umdam has)", flag,
                             architecture.name);
    auto const given = one ? element_in(values, shown.front()) : std::nullopt;
    auto const element = given.value_or(Element{});
    auto const place = given ? std::optional(shown.front().place(element.row, element.column)) : std::nullopt;
    std::optional<LayoutCheck> check;
    if (values.contains("check")) check.emplace(shown.front().check());
    if (values.contains("picture")) {
        auto const picture = picture_of(shown.front(), element);
        base::replace_file(values.text("picture"), std::as_bytes(std::span(picture)));
    }
    if (format == Format::json) {
        print_json(json_of(shown, place, element, check));
    } else {
        print_table(place ? table_of(*place) : table_of(shown), format);
        if (check) print_table(table_of(*check), format);
    }
    return check && !check->holds() ? mismatch : complete;
}

}  // namespace pimdse::dse::cli
