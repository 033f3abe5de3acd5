#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::umdam {

/// The description of this architecture for the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

}  // namespace pimdse::models::umdam
