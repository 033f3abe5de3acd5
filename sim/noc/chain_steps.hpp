#pragma once

#include "sim/noc/network_state.hpp"

namespace pimdse::sim::noc {

/// Chains that are ready take their output, before the routers step; behind them each moves a flit, or arrives.
void claim_chains(NetworkState& n);
void move_chains(NetworkState& n);

}  // namespace pimdse::sim::noc
