#pragma once

#include "models/contract/ledger.hpp"

namespace pimdse::models::dplena {

/// What dplena says of every row.
[[nodiscard]] Ledger ledger();

}  // namespace pimdse::models::dplena
