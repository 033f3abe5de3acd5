#pragma once

#include "models/contract/ledger.hpp"

namespace pimdse::models::umdam {

/// What umdam says of every row.
[[nodiscard]] Ledger ledger();

}  // namespace pimdse::models::umdam
