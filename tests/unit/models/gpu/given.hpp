#pragma once

#include "models/contract/validation.hpp"
#include "models/gpu/analytic.hpp"
#include "models/gpu/gpu.hpp"
#include "models/gpu/parameters.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::gpu::test {

using Setting = std::pair<std::string, std::string>;

/// Parameters as the user writes them; a separate type, so that {{"llm", "x"}} can only be one setting.
struct Settings {
    std::vector<Setting> list;
    Settings() = default;
    Settings(std::initializer_list<Setting> settings) : list(settings) {}
    explicit Settings(std::vector<Setting> settings) : list(std::move(settings)) {}
    [[nodiscard]] Settings with(std::string const& name, std::string const& text) const {
        auto more = list;
        more.emplace_back(name, text);
        return Settings(more);
    }
};

/// A point of the architecture with everything that it refers to, from settings as the user writes them.
struct Given {
    Parameters table = architecture().parameters();
    std::vector<Value> point;
    Inputs inputs;

    explicit Given(Settings const& settings = {}) : point(point_with(table, settings.list)) {
        inputs = prepare(architecture(), table);
    }
    [[nodiscard]] Prepared const& prepared() const { return inputs.as<Prepared>(); }
    [[nodiscard]] Design design() const { return read_design(point, prepared()); }
    [[nodiscard]] Result result() const { return analytic(design(), prepared().machine); }
    [[nodiscard]] Outcome outcome() const { return architecture().evaluate(inputs, point, Fidelity::analytic); }
    [[nodiscard]] Estimate metric(std::string_view name) const {
        auto const metrics = std::get<Metrics>(outcome());
        return metrics.at(static_cast<std::size_t>(find_metric(architecture().metrics(), name)));
    }
    /// The rule that the point violates; "" if it is feasible.
    [[nodiscard]] std::string rule() const {
        auto const found = outcome();
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    }
};

}  // namespace pimdse::models::gpu::test
