#pragma once

#include "models/cim_mesh/answer.hpp"
#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/parameters.hpp"

namespace pimdse::models::cim_mesh {

/// What stays fixed while points vary, and what was found for them. Made once, shared by all threads.
struct Prepared {
    MachineConstants machine;
    Bindings bindings;
    Memory memory;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::cim_mesh
