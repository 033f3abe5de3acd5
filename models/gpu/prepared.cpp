#include "models/gpu/prepared.hpp"

#include "models/contract/language_models.hpp"

namespace pimdse::models::gpu {

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    auto prepared = std::make_shared<Prepared>();
    prepared->machine = load_constants(options);
    auto const llm = static_cast<std::size_t>(find_parameter(parameters, "llm"));
    for (auto const& name : parameters.at(llm).choices) prepared->models.push_back(load_language_model(name));
    return prepared;
}

}  // namespace pimdse::models::gpu
