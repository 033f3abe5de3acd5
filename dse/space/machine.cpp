#include "dse/space/machine.hpp"

#include "sim/base/check.hpp"

namespace pimdse::dse::space {

models::MetricList Machine::metrics() const {
    return scenarios.empty() ? architecture->metrics() : scenarios.metrics_of_points();
}

std::uint64_t Machine::size() const {
    auto const points = points_of(axes);
    sim::expects(points.has_value(), "a space has fewer than 2^64 points");
    return *points;
}

void Machine::decode(std::uint64_t number, std::vector<models::Value>& into) const {
    into.resize(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        std::uint64_t const radix = axes[i].size();
        into[i] = axes[i].at(number % radix);
        number /= radix;
    }
}

std::uint64_t Machine::encode(models::Point point) const {
    sim::expects(point.size() == axes.size(), "a point has one value per parameter");
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::uint64_t const at = axes[i].find(point[i]);
        sim::expects(at < axes[i].size(), "every value of the point is on its axis");
        number = number * axes[i].size() + at;
    }
    return number;
}

std::vector<std::size_t> Machine::designed() const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!scenarios.ask(i)) list.push_back(i);
    }
    return list;
}

}  // namespace pimdse::dse::space
