#include "dse/uncertain/machine_flips.hpp"

#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/varied_space.hpp"
#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace pimdse::dse::uncertain {
namespace {

constexpr int flip_halvings = 10;

class FlipStudy {
  public:
    FlipStudy(space::Space const& space, std::vector<UncertainConstant> const& constants,
              std::vector<space::PointId> const& contenders, models::Fidelity fidelity)
        : space_(space), constants_(constants), fidelity_(fidelity) {
        for (auto const point : contenders) {
            auto& design = designs_.emplace_back();
            design.point = point;
            design.machine = space.machine_of(point);
            space.decode(point, design.values);
        }
        nominal_ = results({});
    }

    void add_flips(std::size_t constant, std::vector<MachineFlip>& into) const {
        auto const& range = constants_[constant];
        for (double const end : {range.lower, range.upper}) {
            if (end == range.nominal || !allowed(constant, end)) continue;
            auto const at_end = results({{constant, end}});
            for (std::size_t o = 0; o < space_.objectives().size(); ++o) {
                auto const before = best(nominal_, o), after = best(at_end, o);
                if (!before || !after || machine_of(*before) == machine_of(*after)) continue;
                into.push_back(bisected(constant, end, o, *before, *after));
            }
        }
    }

  private:
    struct Design {
        space::PointId point{};
        std::size_t machine = 0;
        std::vector<models::Value> values;
    };
    using Results = std::vector<ObjectiveValues>;

    [[nodiscard]] bool allowed(std::size_t constant, double si) const {
        try {
            for (std::size_t m = 0; m < space_.machines().size(); ++m)
                (void)varied_machine(space_.machines()[m], m, constants_, {{constant, si}});
            return true;
        } catch (sim::InputError const&) {
            return false;
        }
    }

    /// Results of the contenders; those of machines that do not read the constant are the nominal ones.
    [[nodiscard]] Results results(Settings const& settings) const {
        std::vector<std::optional<space::Machine>> machines;
        for (std::size_t m = 0; m < space_.machines().size(); ++m) {
            machines.emplace_back();
            if (settings.empty() || reads(constants_[settings[0].constant], m))
                machines.back() = varied_machine(space_.machines()[m], m, constants_, settings);
        }
        Results results(designs_.size());
        tbb::parallel_for(std::size_t{0}, designs_.size(), [&](std::size_t d) {
            auto const& design = designs_[d];
            auto const& machine = machines[design.machine];
            if (!machine) {
                results[d] = nominal_[d];
                return;
            }
            auto point = design.values;
            for (std::size_t p = 0; p < point.size(); ++p)
                if (machine->axes[p].size() == 1) point[p] = machine->axes[p].at(0);
            results[d] = objectives_of(space_, design.machine, *machine, point, fidelity_);
        });
        return results;
    }

    /// Position of the best design in an objective.
    [[nodiscard]] std::optional<std::size_t> best(Results const& results, std::size_t objective,
                                                  std::optional<std::size_t> machine = std::nullopt) const {
        bool const more = space_.objectives()[objective].better == models::Sense::maximize;
        std::optional<std::size_t> found;
        for (std::size_t d = 0; d < results.size(); ++d) {
            if (!results[d] || (machine && designs_[d].machine != *machine)) continue;
            double const value = (*results[d])[objective];
            if (!found || (more ? value > (*results[*found])[objective] : value < (*results[*found])[objective]))
                found = d;
        }
        return found;
    }

    [[nodiscard]] std::size_t machine_of(std::size_t design) const { return designs_[design].machine; }

    [[nodiscard]] MachineFlip bisected(std::size_t constant, double end, std::size_t objective, std::size_t before,
                                       std::size_t after) const {
        auto const start = constants_[constant].nominal;
        double inside = 0.0, outside = 1.0;
        auto winner = after;
        auto at_flip = results({{constant, end}});
        for (int i = 0; i < flip_halvings; ++i) {
            double const middle = inside + (outside - inside) / 2.0;
            auto const value = constants_[constant].rounded(between(start, end, middle));
            if (!allowed(constant, value)) break;
            auto const here = results({{constant, value}});
            auto const found = best(here, objective);
            if (found && machine_of(*found) != machine_of(before)) {
                outside = middle;
                winner = *found;
                at_flip = here;
            } else {
                inside = middle;
            }
        }
        MachineFlip flip{constant, objective, machine_of(before), machine_of(winner),
                         constants_[constant].rounded(between(start, end, outside))};
        flip.new_best = designs_[winner].point;
        flip.new_value = (*at_flip[winner])[objective];
        flip.old_best = designs_[before].point;
        flip.old_value = std::nan("");
        if (auto const old = best(at_flip, objective, machine_of(before))) {
            flip.old_best = designs_[*old].point;
            flip.old_value = (*at_flip[*old])[objective];
        }
        return flip;
    }

    space::Space const& space_;
    std::vector<UncertainConstant> const& constants_;
    models::Fidelity fidelity_;
    std::vector<Design> designs_;
    Results nominal_;
};

}  // namespace

double between(double start, double end, double share) {
    if (start > 0.0 && end > 0.0) return start * std::pow(end / start, share);
    return start + share * (end - start);
}

std::vector<MachineFlip> machine_flips(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                       std::vector<bool> const& effective,
                                       std::vector<space::PointId> const& contenders, models::Fidelity fidelity) {
    std::vector<MachineFlip> flips;
    if (space.machines().size() < 2) return flips;
    FlipStudy const study(space, constants, contenders, fidelity);
    for (std::size_t c = 0; c < constants.size(); ++c)
        if (effective[c]) study.add_flips(c, flips);
    return flips;
}

}  // namespace pimdse::dse::uncertain
