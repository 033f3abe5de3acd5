#include "models/cim_mesh/prepared.hpp"

namespace pimdse::models::cim_mesh {

std::shared_ptr<void const> prepare(Parameters const& parameters, std::string const& own_constants) {
    return std::shared_ptr<Prepared const>(new Prepared{load_constants(own_constants), bind_choices(parameters), {}});
}

}  // namespace pimdse::models::cim_mesh
