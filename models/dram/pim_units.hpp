#pragma once

#include "sim/pim/bank_units.hpp"

#include <string_view>

namespace pimdse::models {

/// The multiply-accumulate units of a timing set, models/dram/<name>.toml or the user's own file, on one channel (HBM2:
/// on one pseudo channel). Rows, banks, row timing and refresh are those of the set at this density (Gbit; 0: the
/// default of the file); the tables [pim] and [pim.energy] have the rest. Throws InputError with file and line (every
/// mistake of the file), with the known sets, or with a sentence if the set has no [pim] table.
[[nodiscard]] sim::pim::BankUnits load_pim_units(std::string_view name, int density_gbit = 0);

}  // namespace pimdse::models
