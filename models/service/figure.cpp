#include "models/service/figure.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/validation.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service.hpp"
#include "models/service/service_metrics.hpp"
#include "models/service/traffic.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <limits>

namespace pimdse::models::service {

double figure_of(Architecture const& architecture, std::vector<std::pair<std::string, std::string>> const& settings,
                 std::string const& metric, Fidelity fidelity, std::string& problem) {
    std::vector<std::pair<std::string, std::string>> of_traffic, of_machine;
    for (auto const& setting : settings) (is_traffic_key(setting.first) ? of_traffic : of_machine).push_back(setting);
    auto const traffic = read_traffic_keys(of_traffic);
    auto parameters = architecture.parameters();
    auto const more = scheduler_parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    auto const point = point_with(parameters, of_machine);
    auto const inputs = prepare(architecture, std::move(parameters), own_footing());
    auto metrics = architecture.metrics();
    auto const own = service_metrics();
    metrics.insert(metrics.end(), own.begin(), own.end());
    int const at = find_metric(metrics, metric);
    if (at < 0) throw sim::InputError(fmt::format("unknown metric '{}' of a service", metric));
    auto const outcome = evaluate_service(architecture, inputs, point, fidelity, traffic);
    if (auto const* found = std::get_if<Metrics>(&outcome)) return (*found)[static_cast<std::size_t>(at)].value;
    problem = std::get<Infeasible>(outcome).reason;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pimdse::models::service
