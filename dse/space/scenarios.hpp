#pragma once

#include "models/contract/architecture.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// A request as it was written: keys of models::workload_keys and their values.
struct WrittenScenario {
    std::string name;
    double weight = 1.0;  ///< in aggregates
    std::vector<std::pair<std::string, std::string>> keys;
};

/// A request to the designs of one architecture: values of the parameters that describe the work and not the machine.
struct Scenario {
    WrittenScenario written;
    std::vector<std::pair<std::size_t, models::Value>> asks;
    double precision = 0.0;  ///< bit: the least the metric of this name may be
    std::string refusal;     ///< why the architecture cannot serve it; "" = it can

    [[nodiscard]] bool decides(std::size_t parameter) const {
        return std::any_of(asks.begin(), asks.end(), [&](auto const& ask) { return ask.first == parameter; });
    }
};

/// How the answers in all scenarios become one. `worst`: the largest where less is better, the smallest where more is.
enum class Aggregate : std::uint8_t { geomean, mean, sum, worst, max };
inline constexpr std::array<std::string_view, 5> aggregate_names{"geomean", "mean", "sum", "worst", "max"};

[[nodiscard]] constexpr std::string_view name_of(Aggregate how) {
    return aggregate_names[static_cast<std::size_t>(how)];
}

/// What designs are compared with: one design, asked once per scenario and fidelity, or each design itself with some
/// parameters set otherwise.
class Baseline {
  public:
    using Settings = std::vector<std::pair<std::string, std::string>>;
    struct Parts {
        models::Architecture const* architecture = nullptr;
        Settings settings;  ///< what it is, or what is otherwise, as it was written
        /// Of one design:
        models::Inputs inputs;
        std::vector<std::vector<models::Value>> points;  ///< one per scenario
        /// Of each design itself:
        std::vector<std::pair<std::size_t, models::Value>> changes;
    };
    explicit Baseline(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] models::Architecture const& architecture() const { return *parts_.architecture; }
    [[nodiscard]] Settings const& settings() const { return parts_.settings; }
    [[nodiscard]] bool is_the_design_itself() const { return parts_.points.empty(); }
    /// The design that this one is compared with, where that is the design itself.
    [[nodiscard]] std::vector<models::Value> changed(models::Point point) const;
    /// At the finest fidelity it has up to this one; `inputs` and `point` of the design that is compared, as it is
    /// asked in this scenario.
    [[nodiscard]] models::Outcome outcome(std::size_t scenario, models::Inputs const& inputs, models::Point point,
                                          models::Fidelity fidelity) const;

  private:
    struct Key {
        std::size_t scenario = 0;
        models::Fidelity fidelity{};
        auto operator<=>(Key const&) const = default;
    };
    Parts parts_;
    sim::Memo<Key, models::Outcome> outcomes_;
};

/// What a space asks: requests, how their answers become one, and what these are compared with. Without requests a
/// point is answered as it is. What is not said to become one otherwise does by geomean if it is a time, an energy or a
/// rate, worst if it is power, max if it is an area or bytes, mean else.
class Scenarios {
  public:
    struct Parts {
        std::vector<Scenario> list;
        std::vector<std::pair<std::string, Aggregate>> aggregates;  ///< by metric; see the class
        std::shared_ptr<Baseline const> baseline;                   ///< may be none
    };
    Scenarios() = default;
    /// `own`: what the architecture answers. With a baseline each scenario also has speedup (latency), ttft_speedup and
    /// energy_ratio, as far as both have what is compared: the baseline's over the design's.
    Scenarios(Parts parts, models::MetricList own);

    [[nodiscard]] bool empty() const { return parts_.list.empty(); }
    [[nodiscard]] std::vector<Scenario> const& list() const { return parts_.list; }
    [[nodiscard]] Baseline const* baseline() const { return parts_.baseline.get(); }
    /// As they are, one per metric of a scenario.
    [[nodiscard]] std::vector<Aggregate> const& aggregates() const { return aggregates_; }
    /// What is answered in each scenario: metrics of the architecture, then comparisons.
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    /// Why these answers do not do for a scenario; "" if they do.
    [[nodiscard]] std::string refusal_of(Scenario const& scenario, models::Metrics const& results) const;
    /// True if some request decides this parameter.
    [[nodiscard]] bool ask(std::size_t parameter) const;

    /// What a point answers: each metric aggregated, then each metric in every scenario, as NAME@SCENARIO.
    [[nodiscard]] models::MetricList metrics_of_points() const;
    /// The answers of a point in every scenario as one, in that order; `others`: of the baseline, where there is one.
    [[nodiscard]] models::Metrics combined(std::vector<models::Metrics> results,
                                           std::vector<models::Metrics> const& others) const;

  private:
    struct Compared {
        std::size_t mine = 0, theirs = 0;
    };
    [[nodiscard]] models::Estimate aggregated(std::vector<models::Metrics> const& results, std::size_t metric) const;

    Parts parts_;
    models::MetricList metrics_;
    std::vector<Aggregate> aggregates_;
    std::vector<Compared> compared_;
};

/// What the work asks of an architecture: values of its parameters, or why it cannot be served. Texts that an open
/// choice accepts are appended to the parameter's choices. Throws InputError where a value is none that its parameter
/// takes.
[[nodiscard]] Scenario scenario_of(WrittenScenario work, models::Architecture const& architecture,
                                   models::Parameters& parameters);

/// What is wrong with scenarios that are asked together: names that are none or there twice, weights, keys said twice.
[[nodiscard]] std::vector<std::string> mistakes_in(std::vector<Scenario> const& scenarios);

/// The design of these settings ("baseline", "relayout") asked to do each work. Throws InputError: no such parameter or
/// value, a parameter that the work decides, work that is not served. It stands on the same assumptions as the rest.
[[nodiscard]] std::shared_ptr<Baseline const> one_design(models::Architecture const& architecture,
                                                         Baseline::Settings settings,
                                                         std::vector<Scenario> const& scenarios,
                                                         models::Assumptions const& assumptions);

/// Each design of this architecture itself with these settings; texts that an open choice accepts are appended to the
/// choices of `parameters`. Throws as above.
[[nodiscard]] std::shared_ptr<Baseline const> design_itself(models::Architecture const& architecture,
                                                            Baseline::Settings settings, models::Parameters& parameters,
                                                            std::vector<Scenario> const& scenarios);

}  // namespace pimdse::dse::space
