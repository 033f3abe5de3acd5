#include "dse/uncertain/ends.hpp"

#include "dse/search/archive.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/constants.hpp"
#include "models/expression/slopes.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

class Stated {
  public:
    Stated(space::Space const& space, std::size_t at)
        : space_(space),
          at_(at),
          machine_(space.machines()[at]),
          known_(machine_.architecture->proofs.constants_without_slopes) {
        if (!known_) return;
        auto const& options = machine_.inputs.options;
        excepted_ = machine_.architecture->proofs.constants_without_slopes(machine_.inputs);
        constants_ = models::constants_of(*machine_.architecture, options).all();
    }

    /// By objective, and of feasibility at the end.
    [[nodiscard]] std::vector<ConstantSlope> of(UncertainConstant const& constant) const {
        std::vector<ConstantSlope> list;
        for (auto const& objective : space_.objectives()) list.push_back(of_objective(constant, objective.metric));
        list.push_back(of_feasibility(constant));
        return list;
    }

  private:
    [[nodiscard]] ConstantSlope slope(UncertainConstant const& constant, models::Metric const& metric) const {
        auto const name = metric.name.substr(0, metric.name.find('@'));
        if (models::find_metric(machine_.table_metrics, name) >= 0) return Slope::flat;
        ConstantSlope all = Slope::flat;
        for (auto const& binding : constant.bindings)
            if (binding.machine == at_) all = joined(all, of_binding(binding, constant, metric));
        return all;
    }

    [[nodiscard]] ConstantSlope of_binding(Binding const& binding, UncertainConstant const& constant,
                                           models::Metric const& metric) const {
        if (!known_ || binding.place == Binding::Place::parameter) return std::nullopt;
        return binding.place == Binding::Place::technology ? of_row(binding.name, constant, metric)
                                                           : of_constant(binding.name, constant, metric);
    }

    [[nodiscard]] ConstantSlope of_constant(std::string const& name, UncertainConstant const& constant,
                                            models::Metric const& metric) const {
        auto const own = constants_.find(name);  // not there: links.NAME, economy.NAME
        return models::slope_of(name, own == constants_.end() ? models::Constant{.unit = constant.unit} : own->second,
                                metric, excepted_);
    }

    /// A row of technology.toml moves metrics as the constants that it replaces.
    [[nodiscard]] ConstantSlope of_row(std::string const& row, UncertainConstant const& constant,
                                       models::Metric const& metric) const {
        ConstantSlope all = Slope::flat;
        bool replaces = false;
        for (auto const& [name, one] : constants_) {
            if (one.technology != row) continue;
            replaces = true;
            all = joined(all, of_constant(name, constant, metric));
        }
        return replaces ? all : of_constant(row, constant, metric);
    }

    [[nodiscard]] ConstantSlope of_objective(UncertainConstant const& constant, std::size_t metric) const {
        auto const& objective = space_.metrics()[metric];
        auto const is_it = [&](auto const& formula) { return formula.metric().name == objective.name; };
        auto const formula = std::ranges::find_if(space_.formulas(), is_it);
        if (formula == space_.formulas().end()) return slope(constant, objective);
        ConstantSlope all = Slope::flat;
        for (auto const read : formula->reads()) {
            auto const here = slope(constant, space_.metrics()[read]);
            int const direction = formula->direction_of(read);
            bool const still = here == Slope::flat;
            all = joined(all, still ? here : direction > 0 ? here : direction < 0 ? opposite(here) : std::nullopt);
        }
        return all;
    }

    [[nodiscard]] ConstantSlope of_feasibility(UncertainConstant const& constant) const {
        using Code = models::Expression::Code;
        auto const leaf = [&](models::Expression::Step const& step) -> models::MovedOperand {
            if (step.code == Code::number) return {Slope::flat, step.number >= 0.0};
            if (step.code == Code::parameter) return {Slope::flat, machine_.parameters()[step.index].lower >= 0.0};
            if (step.end != models::Expression::End::estimate) return {std::nullopt, false};
            return {slope(constant, machine_.metrics()[step.index]), false};
        };
        // Rules of an architecture limit power: what raises it may make a design infeasible. They read no other
        // constant about which anything is stated.
        static models::Metric const power{.name = "power", .unit = "W"};
        ConstantSlope all = slope(constant, power);
        for (auto const& limit : machine_.constraints) all = joined(all, moved(limit.expression, leaf).slope);
        return all;
    }

    space::Space const& space_;
    std::size_t at_;
    space::Machine const& machine_;
    bool known_;
    std::vector<std::string> excepted_;
    std::map<std::string, models::Constant, std::less<>> constants_;
};

/// For every constant that moves something: the end that is wanted, or `flat` if either will do.
using Wish = std::vector<ConstantSlope>;

/// The wish for the smallest (or largest) value of an objective.
Wish wish_for(Movements const& movements, std::size_t objective, bool largest) {
    Wish wish;
    for (auto const& by_objective : movements.of_constant) {
        auto const here = by_objective[objective];
        bool const grows = (here == Slope::up) == largest;  // the constant is at its upper end
        wish.push_back(here == Slope::flat ? Slope::flat : grows ? Slope::up : Slope::down);
    }
    return wish;
}

bool joinable(Wish const& a, Wish const& b) {
    return std::ranges::equal(
        a, b, [](ConstantSlope x, ConstantSlope y) { return x == Slope::flat || y == Slope::flat || x == y; });
}

/// Wishes joined into few settings.
class Wishes {
  public:
    /// Position of the setting that satisfies the wish.
    std::size_t add(Wish const& wish) {
        for (std::size_t s = 0; s < joined_.size(); ++s) {
            if (!joinable(joined_[s], wish)) continue;
            for (std::size_t c = 0; c < wish.size(); ++c)
                if (joined_[s][c] == Slope::flat) joined_[s][c] = wish[c];
            return s;
        }
        joined_.push_back(wish);
        return joined_.size() - 1;
    }

    [[nodiscard]] std::vector<Settings> settings(std::vector<UncertainConstant> const& constants,
                                                 std::vector<std::size_t> const& moving) const {
        std::vector<Settings> all;
        for (auto const& wish : joined_) {
            auto& settings = all.emplace_back();
            for (std::size_t c = 0; c < wish.size(); ++c) {
                auto const& constant = constants[moving[c]];
                settings.push_back({moving[c], wish[c] == Slope::down ? constant.lower : constant.upper});
            }
        }
        return all;
    }

  private:
    std::vector<Wish> joined_;
};

/// All objectives minimised.
std::vector<double> oriented(std::vector<double> values, std::vector<models::Sense> const& senses) {
    for (std::size_t o = 0; o < values.size(); ++o) values[o] = space::minimised(values[o], senses[o]);
    return values;
}

bool weakly_dominates(std::vector<double> const& a, std::vector<double> const& b) {
    return std::ranges::equal(a, b, [](double x, double y) { return x <= y; });
}

/// A design is certain if no other one that is possible is at least as good at its best as this one at its worst.
void find_certain(std::vector<RangeStanding>& standings, std::span<Extent const> extents,
                  std::vector<models::Sense> const& senses) {
    std::vector<std::vector<double>> best;
    for (auto const& extent : extents) best.push_back(oriented(extent.best, senses));
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (!standings[i].possible || !extents[i].worst) continue;
        auto const mine = oriented(*extents[i].worst, senses);
        bool beaten = false;
        for (std::size_t j = 0; j < extents.size() && !beaten; ++j)
            beaten = j != i && standings[j].possible && weakly_dominates(best[j], mine);
        standings[i].certain = !beaten;
    }
}

}  // namespace

bool Movements::has_ends() const {
    return std::ranges::none_of(of_constant, [](auto const& by_objective) {
        return std::ranges::find(by_objective, ConstantSlope{}) != by_objective.end();
    });
}

StatedMovements stated_movements(space::Space const& space, std::size_t machine,
                                 std::vector<UncertainConstant> const& constants) {
    Stated const stated(space, machine);
    StatedMovements all;
    for (std::size_t c = 0; c < constants.size(); ++c) {
        if (!reads(constants[c], machine)) continue;
        auto movements = stated.of(constants[c]);
        if (std::ranges::find(movements, ConstantSlope{}) != movements.end()) all.unknown.push_back(c);
        if (std::ranges::all_of(movements, [](auto const& one) { return one == Slope::flat; })) continue;
        all.movements.constants.push_back(c);
        all.movements.of_constant.push_back(std::move(movements));
    }
    return all;
}

EndSettings ends_of(space::Space const& space, std::vector<UncertainConstant> const& constants,
                    Movements const& movements, RangeEnd end) {
    sim::expects(movements.has_ends(), "every objective moves in a known direction");
    EndSettings ends;
    Wishes wishes;
    auto const objectives = space.objectives().size();
    bool const worst = end == RangeEnd::worst;
    for (std::size_t o = 0; o < objectives; ++o) {
        bool const maximized = space.objectives()[o].better == models::Sense::maximize;
        ends.of_objective.push_back(wishes.add(wish_for(movements, o, maximized != worst)));
    }
    ends.of_feasibility = wishes.add(wish_for(movements, objectives, worst));
    ends.settings = wishes.settings(constants, movements.constants);
    return ends;
}

std::vector<Settings> both_ends_of(space::Space const& space, std::vector<UncertainConstant> const& constants,
                                   Movements movements, std::vector<std::size_t> const& others) {
    for (auto& by_objective : movements.of_constant)
        for (auto& slope : by_objective) slope = slope.value_or(Slope::flat);
    std::vector<Settings> both;
    for (auto const end : {RangeEnd::best, RangeEnd::worst})
        for (auto& settings : ends_of(space, constants, movements, end).settings) both.push_back(std::move(settings));
    if (others.empty()) return both;
    auto at_lower = both;
    for (auto const c : others) {
        for (auto& settings : at_lower) settings.push_back({c, constants[c].lower});
        for (auto& settings : both) settings.push_back({c, constants[c].upper});
    }
    both.insert(both.end(), at_lower.begin(), at_lower.end());
    return both;
}

std::optional<std::vector<double>> best_of(std::vector<MaybeObjectives> const& results, EndSettings const& ends) {
    if (!results[ends.of_feasibility]) return std::nullopt;
    std::vector<double> values;
    for (std::size_t o = 0; o < ends.of_objective.size(); ++o) {
        auto const& result = results[ends.of_objective[o]];
        values.push_back(result ? (*result)[o] : std::numeric_limits<double>::quiet_NaN());
    }
    return values;
}

std::optional<std::vector<double>> worst_of(std::vector<MaybeObjectives> const& results, EndSettings const& ends) {
    bool const all = std::ranges::all_of(ends.of_objective, [&](auto at) { return results[at].has_value(); });
    return all ? best_of(results, ends) : std::nullopt;
}

std::vector<RangeStanding> standings_of(std::span<Extent const> extents, std::vector<models::Sense> const& senses,
                                        bool complete) {
    search::Archive worst(senses);
    std::set<std::vector<double>> members;
    for (auto const& extent : extents)
        if (extent.worst) (void)worst.insert(extent.point, *extent.worst);
    for (auto const& member : worst.members()) members.insert(member.values);
    std::vector<RangeStanding> standings(extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
        auto const& values = extents[i].best;
        bool const known = std::ranges::none_of(values, [](double value) { return std::isnan(value); });
        // An equal vector does not dominate: it may be the design itself.
        standings[i].possible = !known || !worst.dominates(values) || members.contains(values);
        complete = complete && known;
    }
    if (complete) find_certain(standings, extents, senses);
    return standings;
}

}  // namespace pimdse::dse::uncertain
