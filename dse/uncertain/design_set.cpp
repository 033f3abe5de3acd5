#include "dse/uncertain/design_set.hpp"

#include <tbb/parallel_for.h>
#include <cmath>
#include <numeric>

namespace pimdse::dse::uncertain {

DesignSet::DesignSet(space::Space const& space, std::vector<space::PointId> const& points, KnownResults& known)
    : space_(space), known_(known) {
    for (auto const point : points) {
        auto& design = designs_.emplace_back();
        design.point = point;
        design.machine = space.machine_of(point);
        space.decode(point, design.values);
    }
    all_.resize(designs_.size());
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    nominal_ = results({}).value();
}

std::optional<DesignSet::Results> DesignSet::results(Settings const& settings) const { return results(settings, all_); }

std::optional<DesignSet::Results> DesignSet::results(Settings const& settings,
                                                     std::vector<std::size_t> const& wanted) const {
    auto const machines = space_.machines().size();
    std::vector<std::vector<std::size_t>> places(machines);
    for (auto const d : wanted) places[designs_[d].machine].push_back(d);
    std::vector<std::optional<Results>> found(machines);
    tbb::parallel_for(std::size_t{0}, machines, [&](std::size_t m) {
        std::vector<std::vector<models::Value>> points;
        for (auto const d : places[m]) points.push_back(designs_[d].values);
        found[m] = known_.of(m, settings, points);
    });
    Results results(designs_.size());
    for (std::size_t m = 0; m < machines; ++m) {
        if (!found[m]) return std::nullopt;
        for (std::size_t i = 0; i < places[m].size(); ++i) results[places[m][i]] = (*found[m])[i];
    }
    return results;
}

double between(double start, double end, double share) {
    if (start > 0.0 && end > 0.0) return start * std::pow(end / start, share);
    return start + share * (end - start);
}

}  // namespace pimdse::dse::uncertain
