#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/service_engine.hpp"
#include "models/service/traffic.hpp"
#include "sim/serving/max_rate.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::service {

/// Traffic served by a machine.
struct Served {
    sim::serving::SchedulerSettings settings;  ///< of the first pool
    sim::serving::Schedule schedule;           ///< of all pools; its joules contain the idle time
    sim::serving::ServiceSummary summary;
    /// Largest rate [1/s] that the engines serve; empty if the schedule alone shows that they keep up.
    std::optional<double> ceiling;
};

/// The point with a request of these lengths as the machine serves it alone: as many requests as a machine has that is
/// built for them, else one for each part of a batch that its devices divide.
[[nodiscard]] std::vector<Value> point_of_request(Architecture const& architecture, Parameters const& parameters,
                                                  Point point, std::int64_t input, std::int64_t output);

/// The engine of a point that serves this traffic, or why there is none.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> engine_for(Architecture const& architecture, Inputs const& inputs,
                                                                 Point point, Fidelity fidelity,
                                                                 Traffic const& traffic);

/// Serves the traffic with the engine of a point, which has the parameters of the scheduler at its end. Infeasible if
/// the architecture has no engine for the point, or if its memory does not hold a block of the cache. `observe` is told
/// what the engines do.
[[nodiscard]] std::variant<Served, Infeasible> serve(Architecture const& architecture, Inputs const& inputs,
                                                     Point point, Fidelity fidelity, Traffic const& traffic,
                                                     sim::serving::Observer const& observe = {});

/// Reason to refuse a result before it is complete; nullopt: none. The metrics are those of evaluate_service() as far
/// as they are known: proved intervals, NaN where nothing is known.
using Refusal = std::function<std::optional<Infeasible>(Metrics const&)>;

/// Bounds of the outcome before the load is served. Metrics of the machine are exact. Lower bounds: the idle power for
/// the largest power; the idle energy until the last arrival over all tokens for the energy of a good token; the cost
/// of the machine until then for the cost of tokens.
[[nodiscard]] Outcome known_before_serving(Architecture const& architecture, Inputs const& inputs, Point point,
                                           Fidelity fidelity, Traffic const& traffic);

/// The outcome of a machine that serves traffic: the metrics of the architecture, of which only those apply that
/// describe the machine (service_metrics.hpp), then service_metrics(). The machine is that of one request of mean
/// length; `point` has its batch, input and output. At a fidelity that is not the finest, the intervals of the latter
/// are those of service_metrics.hpp. If limits are required, `refusal` is asked before and while the load is served.
/// Pure; throws as Architecture::evaluate.
[[nodiscard]] Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Fidelity fidelity, Traffic const& traffic, Refusal const& refusal = {});

/// The largest rate of evaluate_service alone, with the rate that limits it; nullopt where there is none.
[[nodiscard]] std::optional<sim::serving::LargestRate> max_rate(Architecture const& architecture, Inputs const& inputs,
                                                                Point point, Fidelity fidelity, Traffic const& traffic);

/// models::ServeFigure: a metric of a machine with these settings, some of which are keys of traffic (traffic.hpp) or
/// parameters of the scheduler.
[[nodiscard]] double figure_of(Architecture const& architecture,
                               std::vector<std::pair<std::string, std::string>> const& settings,
                               std::string const& metric, Fidelity fidelity, std::string& problem);

}  // namespace pimdse::models::service
