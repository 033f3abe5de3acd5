#pragma once

#include "apart.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pimdse::fidelity {

/// What is seen of one number over designs, and where it was largest.
struct Spread {
    std::vector<double> seen;
    double worst = 0.0;
    std::string worst_at;

    void add(double value, std::string const& at);
    /// The q-quantile, 0 <= q <= 1; NaN if nothing was seen.
    [[nodiscard]] double quantile(double q) const;
    [[nodiscard]] double mean() const;
};

/// An interval that the cycle-level result leaves.
struct Violation {
    std::string metric, at;
    models::Estimate said;
    double truth = 0.0;
};

/// What a fidelity costs, how near its lower bounds are to the cycle-level results, and which of its intervals are
/// wrong.
class Tally {
  public:
    Tally(models::MetricList metrics, models::Fidelity fidelity) : metrics_(std::move(metrics)), fidelity_(fidelity) {}

    void cost(double cpu, std::string const& at) { cpu_.add(cpu, at); }
    /// Both feasible. `at` repeats the coarse one.
    void compare(models::Metrics const& coarse, models::Metrics const& exact, std::string const& at);
    /// One is feasible, the other is not.
    void disagree(std::string const& at) { disagreements_.push_back(at); }

    void print() const;
    /// The same figures for a script: "cpu" in s, "latency" and "energy" as cycle-level results over proved lower
    /// bounds, "estimate" as how far the latency said is from the cycle level's, a share of it.
    [[nodiscard]] sim::Json json() const;
    [[nodiscard]] std::size_t violations() const { return violations_.size() + disagreements_.size(); }

  private:
    void look(std::size_t metric, models::Estimate const& said, double truth, std::string const& at);

    models::MetricList metrics_;
    models::Fidelity fidelity_;
    Spread cpu_, latency_, energy_, estimate_;
    std::size_t bounds_ = 0;
    std::vector<Violation> violations_;
    std::vector<std::string> disagreements_;
};

}  // namespace pimdse::fidelity
