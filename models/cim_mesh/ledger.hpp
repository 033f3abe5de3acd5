#pragma once

#include "models/contract/ledger.hpp"

namespace pimdse::models::cim_mesh {

/// What the mesh says of every row.
[[nodiscard]] Ledger ledger();

}  // namespace pimdse::models::cim_mesh
