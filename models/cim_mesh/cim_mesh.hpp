#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::cim_mesh {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

}  // namespace pimdse::models::cim_mesh
