#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/service_engine.hpp"
#include "models/contract/validation.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::tests {

/// Parameters as a user writes them.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// The setting with other values, in the place of those of the same names.
inline Setting with(Setting setting, Setting const& others) {
    for (auto const& other : others) {
        std::erase_if(setting, [&](auto const& one) { return one.first == other.first; });
        setting.push_back(other);
    }
    return setting;
}

/// A point of a machine as a user asks for it: parameters as text, metrics by name. The machine lives longer.
struct Asked {
    models::Architecture const* machine;
    models::Parameters table;
    std::vector<models::Value> point;
    models::Inputs inputs;

    Asked(models::Architecture const& of, Setting const& setting, models::ModelOptions const& options = {})
        : machine(&of), table(of.parameters()), point(models::point_with(table, setting)) {
        inputs = models::prepare(of, table, options);
    }
    [[nodiscard]] models::Outcome outcome(models::Fidelity fidelity = models::Fidelity::analytic) const {
        return machine->evaluate(inputs, point, fidelity);
    }
    /// All of them, in declared order; a failure if the point cannot exist.
    [[nodiscard]] models::Metrics metrics(models::Fidelity fidelity = models::Fidelity::analytic) const {
        auto const found = outcome(fidelity);
        if (auto const* metrics = std::get_if<models::Metrics>(&found)) return *metrics;
        ADD_FAILURE() << refusal();
        return models::Metrics(machine->metrics().size());
    }
    [[nodiscard]] models::Estimate metric(std::string_view name,
                                          models::Fidelity fidelity = models::Fidelity::analytic) const {
        int const at = models::find_metric(machine->metrics(), name);
        EXPECT_GE(at, 0) << name;
        return metrics(fidelity).at(static_cast<std::size_t>(at));
    }
    [[nodiscard]] double value(std::string_view name, models::Fidelity fidelity = models::Fidelity::analytic) const {
        return metric(name, fidelity).value;
    }
    [[nodiscard]] models::Explained explained() const {
        return machine->explain(inputs, point, models::Fidelity::analytic);
    }
    [[nodiscard]] std::variant<models::ServiceEngine, models::Infeasible> engine(
        models::Fidelity fidelity = models::Fidelity::analytic) const {
        return machine->engine(inputs, point, fidelity);
    }
    /// The rule that the point breaks, and after a colon why; "" if it can exist.
    [[nodiscard]] std::string rule() const { return broken().rule; }
    [[nodiscard]] std::string refusal() const {
        auto const found = broken();
        return found.rule.empty() ? "" : found.rule + ": " + found.reason;
    }

  private:
    [[nodiscard]] models::Infeasible broken() const {
        auto const found = outcome();
        auto const* rule = std::get_if<models::Infeasible>(&found);
        return rule == nullptr ? models::Infeasible{} : *rule;
    }
};

}  // namespace pimdse::tests
