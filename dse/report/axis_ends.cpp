#include "dse/report/axis_ends.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pimdse::dse::report {
namespace {

using models::Value;
using Points = std::vector<std::vector<Value>>;

/// The number of a value; nullopt for choices, flags and orders.
std::optional<double> number_of(Value const& value) {
    if (value.kind() == models::Kind::integer) return static_cast<double>(value.as_integer());
    if (value.kind() == models::Kind::quantity) return value.as_quantity();
    return std::nullopt;
}

/// The smallest and the largest value of an axis; nullopt if it has one value or no numbers.
std::optional<std::pair<Value, Value>> ends_of(auto const& axis) {
    if (axis.size() < 2 || !number_of(axis.at(0))) return std::nullopt;
    std::pair ends{axis.at(0), axis.at(0)};
    for (std::uint64_t i = 1; i < axis.size(); ++i) {
        Value const value = axis.at(i);
        if (*number_of(value) < *number_of(ends.first)) ends.first = value;
        if (*number_of(value) > *number_of(ends.second)) ends.second = value;
    }
    return ends;
}

/// Whether the architecture allows smaller or larger values.
bool goes_on(models::Parameter const& parameter, double end, bool largest) {
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    if (largest) return !limited || parameter.upper > end;
    return limited ? parameter.lower < end : end > 1.0;
}

/// The best design of a machine for each question that it can answer.
Points best_designs(space::Space const& space, FlipReport const& report, std::size_t machine) {
    Points best;
    for (auto const& ranking : report.as_assumed) {
        if (ranking.by_machine[machine].empty()) continue;
        space.decode(ranking.best_of(machine).point, best.emplace_back());
    }
    return best;
}

}  // namespace

std::vector<AxisEnd> axis_ends_of(space::Space const& space, FlipReport const& report) {
    std::vector<AxisEnd> found;
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        auto const best = best_designs(space, report, m);
        auto const& parameters = space.machines()[m].parameters();
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            auto const ends = ends_of(space.machines()[m].axes[p]);
            if (!ends) continue;
            for (bool const largest : {false, true}) {
                Value const end = largest ? ends->second : ends->first;
                auto const count = std::ranges::count(best, end, [p](auto const& point) { return point[p]; });
                if (count > 0 && goes_on(parameters[p], *number_of(end), largest))
                    found.push_back({m, p, end, largest, static_cast<std::size_t>(count), best.size()});
            }
        }
    }
    return found;
}

}  // namespace pimdse::dse::report
