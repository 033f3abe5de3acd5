#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::cim_mesh {

/// The row of the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

}  // namespace pimdse::models::cim_mesh
