#include "dse/uncertain/movements.hpp"

#include "dse/uncertain/varied_space.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/constants.hpp"
#include "models/expression/slopes.hpp"

#include <algorithm>
#include <functional>
#include <map>
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

}  // namespace pimdse::dse::uncertain
