#include "dse/task/shown_value.hpp"

#include "models/contract/parameter_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <array>
#include <cstdint>

namespace pimdse::dse::task {
namespace {

constexpr int digits = 6;

/// Whole multiples of 1024 bytes have a name.
std::string shown_bytes(double bytes) {
    constexpr double kibi = 1024.0;
    bool const whole =
        bytes >= kibi && bytes < 0x1p63 && bytes == static_cast<double>(static_cast<std::int64_t>(bytes));
    if (whole && static_cast<std::int64_t>(bytes) % 1024 == 0) return sim::print_quantity(bytes, "B", digits);
    return whole ? fmt::format("{:.0f} B", bytes) : sim::print_quantity(bytes, "B", digits);
}

std::string shown_quantity(models::Parameter const& parameter, double si) {
    static constexpr std::array<std::string_view, 8> names{"s", "Hz", "J", "W", "B", "B/s", "FLOP/s", "m"};
    auto const dimension = sim::parse_unit(parameter.unit).dimension;
    for (auto const name : names) {
        if (sim::parse_unit(name).dimension != dimension) continue;
        return name == "B" ? shown_bytes(si) : sim::print_quantity(si, name, digits);
    }
    return models::print_value(parameter, models::Value::quantity(si));
}

}  // namespace

std::string shown_value(models::Parameter const& parameter, models::Value const& value) {
    if (value.kind() == models::Kind::quantity && !parameter.unit.empty())
        return shown_quantity(parameter, value.as_quantity());
    if (value.kind() == models::Kind::integer && parameter.unit == "B")
        return shown_bytes(static_cast<double>(value.as_integer()));
    return models::print_value(parameter, value);
}

}  // namespace pimdse::dse::task
