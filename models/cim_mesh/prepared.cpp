#include "models/cim_mesh/prepared.hpp"

namespace pimdse::models::cim_mesh {

std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options) {
    return std::shared_ptr<Prepared const>(new Prepared{load_constants(options), bind_choices(parameters), {}});
}

}  // namespace pimdse::models::cim_mesh
