#pragma once

#include "models/contract/proofs.hpp"

namespace pimdse::models::upmem {

/// The keys that points share (cycle_key.cpp), the directions of bounds (README.md, Lower bounds), and the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();

}  // namespace pimdse::models::upmem
