#include "dse/uncertain/design_set.hpp"

#include "dse/uncertain/varied_space.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace pimdse::dse::uncertain {

DesignSet::DesignSet(space::Space const& space, std::vector<UncertainConstant> const& constants,
                     std::vector<space::PointId> const& points, models::Fidelity fidelity)
    : space_(space), constants_(constants), fidelity_(fidelity) {
    for (auto const point : points) {
        auto& design = designs_.emplace_back();
        design.point = point;
        design.machine = space.machine_of(point);
        space.decode(point, design.values);
    }
    all_.resize(designs_.size());
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    nominal_ = results({});
}

bool DesignSet::allowed(Settings const& settings) const {
    std::vector<std::size_t> those;
    for (auto const& one : settings) those.push_back(one.constant);
    return refusals_of(space_, constants_, those, settings).empty();
}

DesignSet::Results DesignSet::results(Settings const& settings) const { return results(settings, all_); }

DesignSet::Results DesignSet::results(Settings const& settings, std::vector<std::size_t> const& wanted) const {
    std::vector<std::optional<space::Machine>> machines(space_.machines().size());
    for (std::size_t m = 0; m < machines.size(); ++m) {
        auto const read_here = [&](Setting const& one) { return reads(constants_[one.constant], m); };
        if (settings.empty() || std::ranges::any_of(settings, read_here))
            machines[m] = varied_machine(space_.machines()[m], m, constants_, settings);
    }
    Results results(designs_.size());
    tbb::parallel_for(std::size_t{0}, wanted.size(), [&](std::size_t i) {
        auto const d = wanted[i];
        auto const& design = designs_[d];
        auto const& machine = machines[design.machine];
        if (!machine) {
            results[d] = nominal_[d];
            return;
        }
        results[d] = objectives_of(space_, design.machine, *machine, design.values, fidelity_);
    });
    return results;
}

double between(double start, double end, double share) {
    if (start > 0.0 && end > 0.0) return start * std::pow(end / start, share);
    return start + share * (end - start);
}

}  // namespace pimdse::dse::uncertain
