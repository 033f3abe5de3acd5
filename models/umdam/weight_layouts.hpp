#pragma once

#include "models/contract/weight_layout.hpp"
#include "models/umdam/layout.hpp"
#include "models/umdam/system.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// Algorithm 1 of the paper for every weight matrix of a layer and the LM head: the tile layout gives the address of an
/// element, the mapping its row, column, bank and channel. Refused for points without a tile layout (`npu_only`).
[[nodiscard]] WeightLayouts weight_layouts(System const& system);

/// What the NPU reads from consecutive addresses: tiles, or columns (ColumnOrder).
enum class ReadOrder : std::uint8_t { tiles, columns };

/// Writes a matrix of small whole numbers through layout and mapping into the banks, multiplies vectors by it on the
/// NPU, which reads it tile by tile or column by column, and in the banks, each of which adds products of its own
/// elements, and compares both with the product of the matrix. Needs two bytes of memory per element. Precondition: the
/// layout does not rotate columns; parts of columns begin with a burst of their own.
[[nodiscard]] LayoutCheck check_layout(Layout const& layout, sim::dram::Mapping const& mapping,
                                       Organisation const& organisation, ReadOrder order = ReadOrder::tiles);

}  // namespace pimdse::models::umdam
