#pragma once

#include "sim/noc/network_state.hpp"

namespace pimdse::sim::noc {

/// A cycle of all routers: flits and credits arrive; flits move, nodes inject; heads win outputs.
void step_routers(NetworkState& n);

}  // namespace pimdse::sim::noc
