#pragma once

#include "sim/noc/network_state.hpp"

namespace pimdse::sim::noc {

/// Trees of copies and trees of sums at one router: those that own their outputs move a flit, those that ask win them.
void move_trees(NetworkState& n, std::size_t at);
void grant_trees(NetworkState& n, std::size_t at);
[[nodiscard]] bool trees_can_move(NetworkState const& n, std::size_t at);

}  // namespace pimdse::sim::noc
