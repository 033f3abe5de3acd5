#include "dse/uncertain/machine_flips.hpp"

#include "dse/uncertain/design_set.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

class FlipStudy {
  public:
    FlipStudy(space::Space const& space, std::vector<UncertainConstant> const& constants,
              std::vector<space::PointId> const& contenders, KnownResults& known)
        : space_(space), constants_(constants), set_(space, contenders, known) {}

    void add_flips(std::size_t constant, std::vector<MachineFlip>& into) const {
        auto const& range = constants_[constant];
        for (double const end : {range.lower, range.upper}) {
            auto const found = end == range.nominal ? std::nullopt : set_.results({{constant, end}});
            if (!found) continue;
            auto const& at_end = *found;
            for (std::size_t o = 0; o < space_.objectives().size(); ++o) {
                auto const before = best(set_.nominal(), o), after = best(at_end, o);
                if (!before || !after || machine_of(*before) == machine_of(*after)) continue;
                into.push_back(bisected(constant, end, o, *before, *after));
            }
        }
    }

  private:
    using Results = DesignSet::Results;

    /// Position of the best design in an objective.
    [[nodiscard]] std::optional<std::size_t> best(Results const& results, std::size_t objective,
                                                  std::optional<std::size_t> machine = std::nullopt) const {
        bool const more = space_.objectives()[objective].better == models::Sense::maximize;
        std::optional<std::size_t> found;
        for (std::size_t d = 0; d < results.size(); ++d) {
            if (!results[d] || (machine && machine_of(d) != *machine)) continue;
            double const value = (*results[d])[objective];
            if (!found || (more ? value > (*results[*found])[objective] : value < (*results[*found])[objective]))
                found = d;
        }
        return found;
    }

    [[nodiscard]] std::size_t machine_of(std::size_t design) const { return set_.designs()[design].machine; }

    [[nodiscard]] MachineFlip bisected(std::size_t constant, double end, std::size_t objective, std::size_t before,
                                       std::size_t after) const {
        auto const value = flip_value(constants_[constant], end, [&](double si) -> std::optional<bool> {
            auto const here = set_.results({{constant, si}});
            if (!here) return std::nullopt;
            auto const found = best(*here, objective);
            return found && machine_of(*found) != machine_of(before);
        });
        auto const at_flip = set_.results({{constant, value}}).value();
        auto const winner = best(at_flip, objective).value_or(after);
        MachineFlip flip{constant, objective, machine_of(before), machine_of(winner), value};
        flip.new_best = set_.designs()[winner].point;
        flip.new_value = (*at_flip[winner])[objective];
        flip.old_best = set_.designs()[before].point;
        flip.old_value = std::nan("");
        if (auto const old = best(at_flip, objective, machine_of(before))) {
            flip.old_best = set_.designs()[*old].point;
            flip.old_value = (*at_flip[*old])[objective];
        }
        return flip;
    }

    space::Space const& space_;
    std::vector<UncertainConstant> const& constants_;
    DesignSet set_;
};

/// The best of the designs of each machine in each objective, as assumed.
std::vector<space::PointId> contenders(space::Space const& space, search::ResultStore const& store,
                                       std::vector<space::PointId> const& possible, models::Fidelity fidelity) {
    constexpr std::size_t kept = 16;
    std::set<space::PointId> chosen;
    for (auto const& objective : space.objectives()) {
        bool const more = objective.better == models::Sense::maximize;
        std::vector<std::vector<std::pair<double, space::PointId>>> best(space.machines().size());
        for (auto const point : possible) {
            auto const row = store.find({point, fidelity});
            if (!row || store.status(*row) != search::Status::ok) continue;
            double const value = store.value(*row, objective.metric);
            best[space.machine_of(point)].emplace_back(more ? -value : value, point);
        }
        for (auto& list : best) {
            std::ranges::sort(list);
            for (std::size_t i = 0; i < std::min(kept, list.size()); ++i) chosen.insert(list[i].second);
        }
    }
    return {chosen.begin(), chosen.end()};
}

}  // namespace

double flip_value(UncertainConstant const& constant, double end,
                  std::function<std::optional<bool>(double)> const& turned) {
    constexpr int halvings = 10;
    auto const at = [&](double share) { return constant.rounded(between(constant.nominal, end, share)); };
    double inside = 0.0, outside = 1.0;
    for (int i = 0; i < halvings; ++i) {
        double const middle = inside + (outside - inside) / 2.0;
        auto const here = turned(at(middle));
        if (!here) break;
        (*here ? outside : inside) = middle;
    }
    return outside == 1.0 ? end : at(outside);
}

std::vector<MachineFlip> machine_flips(space::Space const& space, search::ResultStore const& store,
                                       std::vector<UncertainConstant> const& constants,
                                       std::vector<bool> const& effective, std::vector<space::PointId> const& possible,
                                       models::Fidelity fidelity, KnownResults& known) {
    std::vector<MachineFlip> flips;
    if (space.machines().size() < 2) return flips;
    FlipStudy const study(space, constants, contenders(space, store, possible, fidelity), known);
    for (std::size_t c = 0; c < constants.size(); ++c)
        if (effective[c]) study.add_flips(c, flips);
    return flips;
}

}  // namespace pimdse::dse::uncertain
