#include "dse/uncertain/design_set.hpp"

#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>
#include <cmath>
#include <numeric>

namespace pimdse::dse::uncertain {

std::optional<std::vector<MaybeObjectives>> KnownResults::of(std::size_t machine, Settings const& settings,
                                                             std::vector<std::vector<models::Value>> const& designs) {
    auto const& own = space_.machines()[machine];
    Key const key{machine, read_by(machine, constants_, settings)};
    auto const& read = key.second;
    std::vector<MaybeObjectives> results(designs.size());
    std::vector<std::uint64_t> numbers;
    for (auto const& design : designs) numbers.push_back(own.encode(design));
    std::vector<std::size_t> missing;
    {
        std::scoped_lock const lock(guard_);
        auto const& known = known_[key];
        if (known.allowed == false) return std::nullopt;
        if (designs.empty() && (read.empty() || known.allowed)) return results;
        for (std::size_t d = 0; d < designs.size(); ++d) {
            auto const found = known.results.find(numbers[d]);
            if (found == known.results.end())
                missing.push_back(d);
            else
                results[d] = found->second;
        }
    }
    if (missing.empty() && !designs.empty()) return results;  // no design: whether rules allow the settings is asked
    std::optional<space::Machine> varied;
    try {
        varied = varied_machine(own, machine, constants_, read);
    } catch (sim::InputError const&) {
        std::scoped_lock const lock(guard_);
        known_[key].allowed = false;
        return std::nullopt;
    }
    tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
        auto const d = missing[i];
        results[d] = objectives_of(space_, machine, *varied, designs[d], fidelity_);
    });
    std::scoped_lock const lock(guard_);
    auto& known = known_[key];
    known.allowed = true;
    for (auto const d : missing) known.results.emplace(numbers[d], results[d]);
    return results;
}

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

double share_that_turns(int halvings, std::function<std::optional<bool>(double)> const& turned) {
    double inside = 0.0, outside = 1.0;
    for (int i = 0; i < halvings; ++i) {
        double const middle = inside + (outside - inside) / 2.0;
        auto const here = turned(middle);
        if (!here) break;
        (*here ? outside : inside) = middle;
    }
    return outside;
}

}  // namespace pimdse::dse::uncertain
