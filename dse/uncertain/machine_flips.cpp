#include "dse/uncertain/machine_flips.hpp"

#include "dse/search/ideal_point.hpp"
#include "dse/space/requested_machine.hpp"
#include "dse/uncertain/pass.hpp"
#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <utility>
#include <variant>

namespace pimdse::dse::uncertain {
namespace {

/// The value of a constant nearest to its nominal one at which something has turned, found by halving the way to an end
/// of its range, where it has. `turned`: whether it has at a value; nullopt, which ends the search, if a rule refuses
/// it.
double flip_value(UncertainConstant const& constant, double end,
                  std::function<std::optional<bool>(double)> const& turned) {
    constexpr int halvings = 10;
    auto const at = [&](double share) { return constant.rounded(between(constant.nominal, end, share)); };
    double const outside = share_that_turns(halvings, [&](double share) { return turned(at(share)); });
    return outside == 1.0 ? end : at(outside);
}

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

constexpr double no_value = std::numeric_limits<double>::infinity();

/// A minimised value and the position of a design; of equal values that of the first design counts.
using RankedDesign = std::pair<double, std::size_t>;

class Finalists {
  public:
    Finalists(space::Space const& space, Uncertainty const& uncertainty, std::vector<Finalist> designs,
              FinalistWatch const& watch)
        : space_(space), uncertainty_(uncertainty), watch_(watch), designs_(std::move(designs)) {
        for (auto& one : designs_) one.nominal = space::minimised(one.nominal, space.objectives()[0].better);
    }

    FinalistStanding run() {
        auto const draws = draws_of(space_, uncertainty_);
        auto const& constants = uncertainty_.constants;
        std::vector<Setting> ends;
        for (std::size_t c = 0; c < constants.size(); ++c)
            for (double const end : {constants[c].lower, constants[c].upper})
                if (end != constants[c].nominal) ends.push_back({c, end});
        std::vector<std::optional<std::size_t>> best(draws.values.size());
        std::vector<std::optional<FinalistFlip>> flips(ends.size());
        auto const all = best.size() + ends.size();
        std::size_t done = 0;
        std::mutex guard;
        // Mixed, since draws, and constants of some machines, take longer: all along the way, the time left is seen
        // from the way behind.
        constexpr std::size_t stride = 7919;
        auto const look = [&](std::size_t i) {
            auto const n = all % stride == 0 ? i : i * stride % all;
            if (n < best.size())
                best[n] = best_with(settings_of(draws.values[n]));
            else
                flips[n - best.size()] = flip_of(ends[n - best.size()]);
            std::scoped_lock const one_by_one(guard);
            if (watch_) watch_(++done, all);
        };
        tbb::parallel_for(std::size_t{0}, all, look, tbb::simple_partitioner{});
        FinalistStanding standing{.draws = best.size()};
        for (auto const& one : best) {
            standing.stays += one == std::size_t{0} ? 1 : 0;
            standing.machine_stays += one && is_of_first(*one) ? 1 : 0;
        }
        for (auto const& flip : flips)
            if (flip) standing.flips.push_back(*flip);
        return standing;
    }

  private:
    [[nodiscard]] std::optional<FinalistFlip> flip_of(Setting const& end) const {
        auto const c = end.constant;
        auto const other_at = [&](double si) {
            auto const best = best_with({{c, si}});
            return best ? std::optional(!is_of_first(*best)) : std::nullopt;
        };
        if (!other_at(end.si).value_or(false)) return std::nullopt;
        double const beyond = flip_value(uncertainty_.constants[c], end.si, other_at);
        return FinalistFlip{c, beyond, designs_[best_with({{c, beyond}}).value()].machine};
    }
    [[nodiscard]] bool is_of_first(std::size_t design) const {
        return designs_[design].machine == designs_.front().machine;
    }

    /// The best design; nullopt if a rule refuses the settings, or if none is feasible.
    [[nodiscard]] std::optional<std::size_t> best_with(Settings const& settings) const {
        RankedDesign best{no_value, designs_.size()};
        try {
            for (std::size_t d = 0; d < designs_.size(); ++d)
                best = std::min(best, RankedDesign{value_with(designs_[d], settings, best.first), d});
        } catch (sim::InputError const&) {
            return std::nullopt;
        }
        return best.first == no_value ? std::nullopt : std::optional(best.second);
    }

    [[nodiscard]] double value_with(Finalist const& one, Settings const& settings, double limit) const {
        auto const read = read_by(one.machine, uncertainty_.constants, settings);
        return read.empty() ? one.nominal : value_of(one, read, limit);
    }

    /// The value of a design; infinite if it is infeasible, or if it is sure to be above `limit`.
    [[nodiscard]] double value_of(Finalist const& one, Settings const& settings, double limit) const {
        auto const& [m, point, nominal] = one;
        auto const machine = varied_machine(space_.machines()[m], m, uncertainty_.constants, settings);
        auto const fidelity = space_.search().fidelity;
        if (limit < no_value) {
            auto known = space::known_before_serving(machine, point, fidelity);
            auto* metrics = std::get_if<models::Metrics>(&known);
            if (metrics == nullptr) return no_value;
            auto const placed = space_.placed(m, std::move(*metrics));
            if (search::ideal_point_of(placed, space_.objectives()).lower[0] > limit) return no_value;
        }
        auto const found = objectives_of(space_, m, machine, point, fidelity);
        if (!found) return no_value;
        return space::minimised((*found)[0], space_.objectives()[0].better);
    }

    space::Space const& space_;
    Uncertainty const& uncertainty_;
    FinalistWatch const& watch_;
    std::vector<Finalist> designs_;  ///< `nominal` minimised
};

}  // namespace

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

FinalistStanding finalist_standing(space::Space const& space, Uncertainty const& uncertainty,
                                   std::vector<Finalist> const& designs, FinalistWatch const& watch) {
    return Finalists(space, uncertainty, designs, watch).run();
}

}  // namespace pimdse::dse::uncertain
