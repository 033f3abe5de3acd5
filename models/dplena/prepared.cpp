#include "models/dplena/prepared.hpp"

#include "models/contract/technology.hpp"
#include "models/dplena/constants.hpp"

namespace pimdse::models::dplena {

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    std::shared_ptr<Prepared> const prepared(new Prepared{
        ModelChoices(parameters), bind_constants(Constants::load("dplena", options, constant_rules())), {}});
    prepared->accuracy = shared_proxy(prepared->machine.proxy);
    if (options.assumptions.host == Host::included)
        prepared->machine.host = sim::Power{Technology::load(options.assumptions).row("host_power").constant.si};
    return prepared;
}

}  // namespace pimdse::models::dplena
