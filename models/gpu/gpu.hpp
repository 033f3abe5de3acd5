#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::gpu {

/// The entry of the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

}  // namespace pimdse::models::gpu
