#include "models/dplena/prepared.hpp"

#include "models/contract/technology.hpp"
#include "models/dplena/constants.hpp"
#include "models/llm/language_models.hpp"

namespace pimdse::models::dplena {

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    std::shared_ptr<Prepared> const prepared(
        new Prepared{bind_constants(Constants::load("dplena", options, constant_rules()))});
    prepared->accuracy = shared_proxy(prepared->machine.proxy);
    if (options.assumptions.host == Host::included)
        prepared->machine.host = sim::Power{Technology::load(options.assumptions).row("host_power").constant.si};
    auto const llm = static_cast<std::size_t>(find_parameter(parameters, "llm"));
    for (auto const& name : parameters[llm].choices) prepared->models.push_back(load_language_model(name));
    prepared->drafts = draft_models(parameters, prepared->models);
    return prepared;
}

}  // namespace pimdse::models::dplena
