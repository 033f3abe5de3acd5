#pragma once

#include "models/contract/ledger.hpp"

namespace pimdse::models::gpu {

/// What the boards say of every row.
[[nodiscard]] Ledger ledger();

}  // namespace pimdse::models::gpu
