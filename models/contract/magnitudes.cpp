#include "models/contract/magnitudes.hpp"

#include "sim/base/decimal.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::models {
namespace {

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
