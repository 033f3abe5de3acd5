#pragma once

#include "dse/space/scenarios.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

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
