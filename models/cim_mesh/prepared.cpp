#include "models/cim_mesh/prepared.hpp"

namespace pimdse::models::cim_mesh {

std::shared_ptr<void const> prepare(Parameters const& parameters) {
    return std::make_shared<Prepared const>(load_constants(), bind_choices(parameters));
}

}  // namespace pimdse::models::cim_mesh
