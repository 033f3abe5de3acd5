#pragma once

#include "models/dplena/constants.hpp"

#include <string>

namespace prefetch_rows {

/// The row of constants.toml that tells the mean time of one prefetch: every prefetch of a sampling step through the
/// controller, 16 channels, MX block 8, performance mode, batch 2, block length 16, 131,072 logits, in ticks of the
/// generation. Positions in the grid of PrefetchTable.
std::string row(pimdse::models::dplena::MachineConstants const& machine,
                pimdse::models::dplena::HbmGeneration generation, std::size_t bus, std::size_t width,
                std::size_t count);

}  // namespace prefetch_rows
