#pragma once

#include "models/contract/outcome.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// Where a machine stores one weight.
struct WeightPlace {
    /// Bytes from the start of the matrix; of the memory, if the layout has a `start`.
    std::uint64_t address = 0;
    std::vector<std::pair<std::string, std::uint64_t>> fields;  ///< of the DRAM address, highest address bits first
};

/// A product y = x W of whole numbers, computed from a memory into which W was written through layout and mapping.
struct LayoutCheck {
    std::int64_t outputs = 0;        ///< elements of y that were compared with the product of W itself
    std::int64_t npu_tiles = 0;      ///< tiles that the NPU read, each from consecutive addresses
    std::int64_t npu_wrong = 0;      ///< elements of y that differ, of the product of the NPU
    std::int64_t mac_commands = 0;   ///< commands of the banks: one row, one column and one part of x per channel
    double banks_per_command = 0.0;  ///< banks of a channel that multiply in one command, mean
    std::int64_t sums_read =
        0;  ///< sums that banks hold at the end; more than `outputs`: of one output in several banks
    std::int64_t pim_wrong = 0;  ///< elements of y that differ, of the product of the banks
    [[nodiscard]] bool holds() const { return npu_wrong == 0 && pim_wrong == 0; }
};

/// The layout of a weight matrix W[inputs][outputs].
struct WeightLayout {
    std::string matrix;  ///< "q", "down", "lm_head"
    std::int64_t inputs = 0, outputs = 0;
    std::int64_t tile_inputs = 0, tile_outputs = 0;  ///< elements of a tile
    std::int64_t burst_inputs = 0;                   ///< consecutive inputs of one output in one burst
    std::int64_t tiles = 0;
    std::int64_t bytes = 0;  ///< with padding
    /// Address of the first element, if the matrices lie in one memory; every unit with a memory of its own uses the
    /// same addresses.
    std::optional<std::uint64_t> start;
    /// Precondition: 0 <= input < inputs, 0 <= output < outputs.
    std::function<WeightPlace(std::int64_t input, std::int64_t output)> place;
    std::function<LayoutCheck()> check;  ///< empty if the machine has no such check
};

/// The layouts of the matrices of a layer and of the LM head, or why the point has none.
struct WeightLayouts {
    std::vector<WeightLayout> matrices;
    std::optional<Infeasible> refused;
};

}  // namespace pimdse::models
