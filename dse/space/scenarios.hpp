#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"
#include "models/service/traffic.hpp"
#include "sim/base/memo.hpp"
#include "sim/base/quantity_text.hpp"

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

/// A scenario as written: values of keys in models::workload_keys, of models::service::traffic_keys, and of parameters
/// of the scheduler.
struct WrittenScenario {
    std::string name;
    double weight = 1.0;  ///< weight in aggregates
    std::vector<std::pair<std::string, std::string>> keys;
};

/// A scenario for one architecture: values of the parameters that describe the work rather than the design.
struct Scenario {
    WrittenScenario written;
    std::vector<std::pair<std::size_t, models::Value>> asks;
    double precision = 0.0;  ///< bit: the smallest allowed value of the metric `precision`; 0: any
    std::string refusal;     ///< why the architecture cannot serve the scenario; "" if it can
    /// Requests that arrive over time instead of one batch; nullptr: one batch.
    std::shared_ptr<models::service::Traffic const> traffic{};

    [[nodiscard]] bool decides(std::size_t parameter) const {
        return std::any_of(asks.begin(), asks.end(), [&](auto const& ask) { return ask.first == parameter; });
    }
    /// Whether it sets the parameter to this value.
    [[nodiscard]] bool says(std::size_t parameter, models::Value const& value) const {
        return std::ranges::find(asks, std::pair(parameter, value)) != asks.end();
    }
    /// The point with the values that the scenario sets.
    [[nodiscard]] std::vector<models::Value> of(models::Point point) const {
        std::vector<models::Value> requested(point.begin(), point.end());
        for (auto const& [parameter, value] : asks) requested[parameter] = value;
        return requested;
    }
};

/// How the results of all scenarios are aggregated. `worst`: the largest value of a minimised metric, the smallest of a
/// maximised one.
enum class Aggregate : std::uint8_t { geomean, mean, sum, worst, max };
inline constexpr std::array<std::string_view, 5> aggregate_names{"geomean", "mean", "sum", "worst", "max"};

[[nodiscard]] constexpr std::string_view name_of(Aggregate how) {
    return aggregate_names[static_cast<std::size_t>(how)];
}

/// The baseline that designs are compared with: one fixed design, evaluated once per scenario and fidelity, or each
/// design itself with some parameters changed.
class Baseline {
  public:
    using Settings = std::vector<std::pair<std::string, std::string>>;
    struct Parts {
        models::Architecture const* architecture = nullptr;
        Settings settings;  ///< settings of the fixed design, or the changed parameters, as written
        /// For a fixed design:
        models::Inputs inputs;
        std::vector<std::vector<models::Value>> points;  ///< one per scenario
        /// For each design itself:
        std::vector<std::pair<std::size_t, models::Value>> changes;
    };
    explicit Baseline(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] models::Architecture const& architecture() const { return *parts_.architecture; }
    [[nodiscard]] Settings const& settings() const { return parts_.settings; }
    [[nodiscard]] bool is_the_design_itself() const { return parts_.points.empty(); }
    /// Of a fixed design.
    [[nodiscard]] models::Inputs const& inputs() const { return parts_.inputs; }
    /// The same fixed design with other constants.
    [[nodiscard]] std::shared_ptr<Baseline const> with(models::Inputs inputs) const;
    /// The changed design, if each design is its own baseline.
    [[nodiscard]] std::vector<models::Value> changed(models::Point point) const;
    /// The baseline's outcome at the finest fidelity that it has, up to `fidelity`. `inputs` and `point` are those of
    /// the compared design in this scenario.
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

/// Why weights are computed with fewer bits than asked; "": they are not, or `asked` is 0.
[[nodiscard]] std::string short_of_precision(models::MetricList const& metrics, models::Metrics const& results,
                                             double asked);

/// The scenarios of a space, how their results are aggregated, and the baseline. Without scenarios a point is evaluated
/// as it is. Default aggregates: geomean for a time, an energy or a rate; worst for power; max for an area or bytes;
/// else mean.
class Scenarios {
  public:
    struct Parts {
        std::vector<Scenario> list;
        std::vector<std::pair<std::string, Aggregate>> aggregates;  ///< by metric; others have their default
        std::shared_ptr<Baseline const> baseline;                   ///< may be nullptr
        models::MetricList tables{};                                ///< metrics of tables of the user's own
    };
    Scenarios() = default;
    /// `own`: the metrics of the architecture. If a scenario has traffic, those of a service follow them
    /// (models/service); then those of tables. With a baseline each scenario also has speedup (latency), ttft_speedup
    /// and energy_ratio, if both have the compared metric: baseline divided by design.
    Scenarios(Parts parts, models::MetricList own);

    [[nodiscard]] bool empty() const { return parts_.list.empty(); }
    [[nodiscard]] std::vector<Scenario> const& list() const { return parts_.list; }
    [[nodiscard]] Baseline const* baseline() const { return parts_.baseline.get(); }
    void set_baseline(std::shared_ptr<Baseline const> baseline) { parts_.baseline = std::move(baseline); }
    /// One aggregate per metric of a scenario.
    [[nodiscard]] std::vector<Aggregate> const& aggregates() const { return aggregates_; }
    /// Whether a scenario has traffic.
    [[nodiscard]] bool serve() const;
    /// Whether a metric (with or without @scenario) that does not apply to a point at one fidelity may apply at
    /// another.
    [[nodiscard]] bool may_apply_elsewhere(std::string_view metric) const;
    /// The metrics of each scenario: those of the architecture, those of a service, those of tables, then the ratios to
    /// the baseline.
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    /// The reason why results do not satisfy a scenario; "" if they do.
    [[nodiscard]] std::string refusal_of(Scenario const& scenario, models::Metrics const& results) const;
    /// True if some scenario sets this parameter.
    [[nodiscard]] bool ask(std::size_t parameter) const;
    /// True if every scenario sets this parameter to this value, so that saying it once more changes nothing.
    [[nodiscard]] bool say(std::size_t parameter, models::Value const& value) const;
    /// Why a parameter changes nothing: it describes one batch, and every scenario has traffic. "" if it counts.
    [[nodiscard]] std::string unused(std::string_view parameter) const;

    /// The metrics of a point: each metric aggregated, then each metric of every scenario as NAME@SCENARIO.
    [[nodiscard]] models::MetricList metrics_of_points() const;
    /// Combines a point's results in all scenarios into the metrics of metrics_of_points(); `others`: the baseline's
    /// results, if there is a baseline.
    [[nodiscard]] models::Metrics combined(std::vector<models::Metrics> results,
                                           std::vector<models::Metrics> const& others) const;
    /// The aggregate of the metric at this position of metrics() over the results in all scenarios.
    [[nodiscard]] models::Estimate aggregated(std::vector<models::Metrics> const& results, std::size_t metric) const;

  private:
    struct Compared {
        std::size_t mine = 0, theirs = 0;
    };
    Parts parts_;
    models::MetricList metrics_;
    std::vector<Aggregate> aggregates_;
    std::vector<Compared> compared_;
};

/// The ratios to a baseline that a space may have.
[[nodiscard]] models::MetricList metrics_of_ratios();

/// Resolves a scenario for an architecture: values of its parameters, or the reason why it cannot be served. Texts that
/// an open choice accepts are appended to the parameter's choices. Throws InputError if a parameter does not accept a
/// value.
[[nodiscard]] Scenario scenario_of(WrittenScenario work, models::Architecture const& architecture,
                                   models::Parameters& parameters);

/// The keys that a scenario may have.
[[nodiscard]] std::vector<std::string> scenario_keys();

/// Combines every scenario with each of the texts; if there are several texts, the text becomes part of the name.
[[nodiscard]] std::vector<WrittenScenario> with_each(std::vector<WrittenScenario> const& works, std::string const& key,
                                                     std::vector<std::string> const& texts);

/// Whether these keys are those of requests that arrive over time.
[[nodiscard]] bool has_traffic(WrittenScenario const& work);

/// The parameters of a machine with these assumptions: those of the architecture, and if a scenario has traffic those
/// of the scheduler. Throws InputError.
[[nodiscard]] models::Parameters machine_parameters(models::Architecture const& architecture,
                                                    models::Assumptions const& assumptions, bool traffic);

/// Mistakes in a list of scenarios: invalid or repeated names, invalid weights, repeated keys.
[[nodiscard]] std::vector<std::string> mistakes_in(std::vector<Scenario> const& scenarios);

/// A fixed design with these settings ("baseline", "relayout") as the baseline for every scenario, under the same
/// assumptions as the designs. Throws InputError: unknown parameter or value, a parameter that the scenarios set, or a
/// scenario that the architecture does not serve.
[[nodiscard]] std::shared_ptr<Baseline const> one_design(models::Architecture const& architecture,
                                                         Baseline::Settings settings,
                                                         std::vector<Scenario> const& scenarios,
                                                         models::Assumptions const& assumptions);

/// Each design of this architecture with these settings changed as its own baseline. Texts that an open choice accepts
/// are appended to the choices of `parameters`. Throws as one_design().
[[nodiscard]] std::shared_ptr<Baseline const> design_itself(models::Architecture const& architecture,
                                                            Baseline::Settings settings, models::Parameters& parameters,
                                                            std::vector<Scenario> const& scenarios);

}  // namespace pimdse::dse::space
