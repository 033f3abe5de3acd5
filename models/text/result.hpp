#pragma once

#include "models/contract/breakdown.hpp"
#include "models/economy/economy.hpp"
#include "models/text/model_passes.hpp"
#include "models/text/prepared.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::text {

/// Cost of a request, and what follows from it.
struct Result : PassCosts {
    Result(Design const& of, PassCosts costs) : PassCosts(std::move(costs)), design(of) {
        sum_ = first;
        sum_ += rest;
    }
    Design const& design;
    /// Otherwise nothing is asked of a model, and no metric of tokens applies.
    [[nodiscard]] bool yields_tokens() const { return !design.alone; }

    [[nodiscard]] Estimate seconds_of(PassCost const& cost) const;
    [[nodiscard]] Estimate ttft() const { return seconds_of(first); }
    [[nodiscard]] Estimate latency() const { return seconds_of(all()); }
    [[nodiscard]] Estimate energy() const;
    [[nodiscard]] Estimate mean_power(PassCost const& cost) const;  ///< does not apply to no passes
    [[nodiscard]] Estimate package_power() const;  ///< largest of a memory package of the file over both phases
    [[nodiscard]] double host_energy() const;      ///< J
    [[nodiscard]] std::vector<PhaseLimit> limits() const;
    [[nodiscard]] PassCost const& all() const { return sum_; }
    /// Seconds of the rules by which a part works by laws of its own.
    [[nodiscard]] double seconds_on(PartLaw const& part, PassCost const& cost) const;
    /// PartCost::amounts of a part in these passes; none if it does nothing in them.
    [[nodiscard]] std::vector<double> const& amounts_on(PartLaw const& part, PassCost const& cost) const;
    /// Raises the package power to that of a package of a part in each phase in which it works: `watts_of` its
    /// amounts.
    void add_package_power(RequestResult& common, PartLaw const& part,
                           std::function<Estimate(std::vector<double> const& amounts)> const& watts_of) const;

  private:
    PassCost sum_;
    [[nodiscard]] Estimate package_watts(PassCost const& cost) const;
    [[nodiscard]] PhaseLimit limit_of(std::string phase, PassCost const& cost) const;
};

/// So many times the cost of a part.
[[nodiscard]] PartCost times(PartCost cost, double n);

/// The cost of a design that can exist; it lives longer than the result.
[[nodiscard]] Result analytic(Design const& design);

/// The common metrics, those of every text machine, of its parts, and its own.
[[nodiscard]] MetricList metrics_of_machine(CompiledMachine const& machine);
[[nodiscard]] RequestResult request_result(Result const& result, economy::Economy const& economy);

}  // namespace pimdse::models::text
