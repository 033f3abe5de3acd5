#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::economy {

/// The bill of parts that need no machine model, named "economy": devices with a die each, a memory and a mean power.
/// It has the interface of an architecture, so that figures of papers are compared with it (`pimdse validate economy`),
/// but serves no requests and is in no list of architectures.
[[nodiscard]] Architecture const& parts();

}  // namespace pimdse::models::economy
