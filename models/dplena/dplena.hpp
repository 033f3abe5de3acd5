#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::dplena {

/// The row of the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

struct Machine;
/// What prepare() made for this architecture.
[[nodiscard]] Machine const& machine_of(Inputs const& inputs);

}  // namespace pimdse::models::dplena
