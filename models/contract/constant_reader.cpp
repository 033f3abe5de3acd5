#include "models/contract/constant_reader.hpp"

#include "models/contract/constant_slopes.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/decimal.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::models {
namespace {

/// Reads the range of an assumed constant, which has the unit of its value.
void read_range(TableReader& reader, Constant& constant) {
    auto const* node = reader.node("range");
    if (node == nullptr) return;
    auto const* list = node->as_array();
    bool const numbers = list != nullptr && list->size() == 2 && (*list)[0].is_number() && (*list)[1].is_number();
    if (!numbers) return reader.mistake("range", "'range' is not a pair of numbers (the lowest and the highest value)");
    constant.range_lower = (*list)[0].value_or(0.0);
    constant.range_upper = (*list)[1].value_or(0.0);
    if (!constant.assumed)
        reader.mistake("range", "'range' is accepted only for a constant that is assumed (assumed = true)");
    if (!(constant.range_lower <= constant.si && constant.si <= constant.range_upper))
        reader.mistake("range", fmt::format("'range' = [{:g}, {:g}] does not contain 'value' = {:g}",
                                            constant.range_lower, constant.range_upper, constant.si));
}

/// Checks what a plain number acts as.
void check_acts_as(TableReader& reader, Constant const& constant) try {
    if (constant.acts_as.empty()) return;
    if (!constant.unit.empty() && constant.unit != "1")
        reader.mistake("acts_as", fmt::format("'acts_as' is accepted only for a plain number (this constant is in {})",
                                              constant.unit));
    if (!slope_as(constant.acts_as, sim::parse_unit("W").dimension))
        reader.mistake("acts_as", fmt::format("'acts_as' = '{}' tells nothing about metrics (write the unit of an "
                                              "energy, a power or an area, such as W or 1/mm2)",
                                              constant.acts_as));
} catch (sim::InputError const& error) {
    reader.mistake("acts_as", error.what());
}

constexpr int max_decades = 30;

double ten_to(int decades) { return sim::Decimal{1, decades}.nearest(); }

struct MaxOfKind {
    sim::Dimension dimension;
    int decades;
};

/// A thousand times what the largest installation has, or more.
double max_of(sim::Dimension dimension) {
    constexpr std::array kinds{MaxOfKind{{}, 15},
                               MaxOfKind{{.second = 1}, 12},
                               MaxOfKind{{.second = -1}, 18},
                               MaxOfKind{{.joule = 1}, 12},
                               MaxOfKind{{.second = -1, .joule = 1}, 12},
                               MaxOfKind{{.byte = 1}, 21},
                               MaxOfKind{{.second = -1, .byte = 1}, 21},
                               MaxOfKind{{.second = -1, .operation = 1}, 27},
                               MaxOfKind{{.metre = 1}, 6},
                               MaxOfKind{{.metre = 2}, 9},
                               MaxOfKind{{.money = 1}, 15},
                               MaxOfKind{{.mass = 1}, 15}};
    auto const found = std::ranges::find(kinds, dimension, &MaxOfKind::dimension);
    return ten_to(found == kinds.end() ? max_decades : found->decades);
}

}  // namespace

Constant read_constant(std::string_view name, toml::table const& table, std::filesystem::path const& file,
                       std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    Constant constant;
    constant.unit = reader.text("unit");
    constant.source = reader.text("source");
    constant.assumed = reader.flag_or("assumed", false);
    constant.si = reader.number("value");
    read_range(reader, constant);
    constant.file = file.string();
    constant.line = table.source().begin.line;
    (void)reader.text_or("note", "");
    constant.technology = reader.text_or("technology", "");
    constant.acts_as = reader.text_or("acts_as", "");
    (void)reader.text_or("formerly", "");  // a former name (Constants::replace_by)
    check_acts_as(reader, constant);
    if (reader.node("technology_scale") != nullptr) constant.technology_scale = reader.number("technology_scale");
    reader.refuse_unknown_keys();
    if (constant.source.empty() && table.contains("source")) {
        reader.mistake("source", "'source' is empty (every number needs a source)");
    }
    try {
        auto const unit = sim::parse_unit(constant.unit.empty() ? "1" : constant.unit);
        for (double* value : {&constant.si, &constant.range_lower, &constant.range_upper})
            *value = sim::in_si(*value, unit);
        for (double const* value : {&constant.si, &constant.range_lower, &constant.range_upper})
            if (auto const why = beyond_magnitudes(*value, constant.unit); !why.empty())
                reader.mistake(value == &constant.si ? "value" : "range", fmt::format("constant '{}' = {}", name, why));
    } catch (sim::InputError const& error) {
        reader.mistake("unit", error.what());
    }
    return constant;
}

double max_magnitude() { return ten_to(max_decades); }

std::string beyond_magnitudes(double si, std::string_view unit) {
    auto const one = sim::parse_unit(unit.empty() ? "1" : unit);
    double const magnitude = std::abs(si), min = ten_to(-max_decades), max = max_of(one.dimension);
    if (magnitude == 0.0 || (magnitude >= min && magnitude <= max)) return "";
    auto const after = unit.empty() || unit == "1" ? "" : fmt::format(" {}", unit);
    return fmt::format("{:g}{} is beyond what {} can be (0, or {:g} to {:g}{})", si / one.in_si, after,
                       sim::a_dimension(one.dimension), min / one.in_si, max / one.in_si, after);
}

}  // namespace pimdse::models
