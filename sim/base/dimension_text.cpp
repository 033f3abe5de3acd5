#include "sim/base/dimension_text.hpp"

#include <fmt/format.h>
#include <array>
#include <string_view>
#include <utility>

namespace pimdse::sim {

std::string unit_of(Dimension dimension) {
    if (dimension == Dimension{.second = -1}) return "Hz or 1/s";
    if (dimension == Dimension{.second = -1, .joule = 1}) return "W";
    if (dimension == Dimension{.metre = 2}) return "mm2";
    std::string above, below;
    auto const add = [&](int power, std::string_view unit) {
        for (int i = 0; i < power; ++i) above += fmt::format("{}{}", above.empty() ? "" : "*", unit);
        for (int i = 0; i > power; --i) below += fmt::format("/{}", unit);
    };
    add(dimension.operation, "FLOP");
    add(dimension.joule, "J");
    add(dimension.byte, "B");
    add(dimension.metre, "m");
    add(dimension.second, "s");
    return (above.empty() ? "1" : above) + below;
}

std::string dimension_name(Dimension dimension) {
    constexpr std::array<std::pair<Dimension, std::string_view>, 12> names{
        {{{}, "plain number"},
         {{.second = 1}, "time"},
         {{.second = -1}, "frequency"},
         {{.joule = 1}, "energy"},
         {{.second = -1, .joule = 1}, "power"},
         {{.byte = 1}, "data"},
         {{.second = -1, .byte = 1}, "bandwidth"},
         {{.metre = 2}, "area"},
         {{.operation = 1}, "operations"},
         {{.second = -1, .operation = 1}, "throughput"},
         {{.metre = 1}, "length"},
         {{.joule = 1, .byte = -1}, "energy per data"}}};
    for (auto const& [known, name] : names) {
        if (known == dimension) return std::string(name);
    }
    return "quantity in " + unit_of(dimension);
}

std::string a_dimension(Dimension dimension) {
    auto const name = dimension_name(dimension);
    if (name == "data" || name == "operations") return name;
    bool const vowel = std::string_view("aeo").find(name.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + name;
}

namespace {

/// What to write behind a number: one of several units is multiplied by one each of the others.
std::string behind_a_number(Dimension dimension) {
    auto text = unit_of(dimension);
    for (auto at = text.find('*'); at != std::string::npos; at = text.find('*', at + 3)) text.replace(at, 1, " * 1 ");
    return text;
}

}  // namespace

std::string units_differ(Dimension a, Dimension b, std::string_view done) {
    auto const& measured = a.is_number() ? b : a;
    bool const lacks = a.is_number() || b.is_number();
    return fmt::format(
        "{} and {} cannot be {} (units differ){}", dimension_name(a), dimension_name(b), done,
        lacks ? fmt::format(". Does the number lack its unit, such as {}?", behind_a_number(measured)) : "");
}

}  // namespace pimdse::sim
