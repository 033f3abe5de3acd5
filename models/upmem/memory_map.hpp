#pragma once

#include "models/contract/inputs.hpp"
#include "models/contract/weight_layout.hpp"
#include "models/upmem/prepared.hpp"
#include "models/upmem/work.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// Consecutive bytes of the MRAM of a DPU.
struct MramRegion {
    std::string name;             ///< "shared", "input0.A", "output0"; the number is that of the stream
    std::uint64_t from = 0;       ///< address in the MRAM
    std::uint64_t bytes = 0;      ///< a multiple of 8
    std::uint64_t element = 8;    ///< bytes of an element
    bool replaces = false;        ///< whether it is a result in the place of the input array before it
    std::int64_t first_rank = 0;  ///< DPUs that hold it: of this rank on, in this number of ranks
    std::int64_t ranks = 1;
};

/// Where a DPU keeps the inputs and results of every stream: shared data first, then stream after stream its input
/// arrays and its result. With two banks, streams alternate between the halves of the MRAM; with `rank_level`, stream i
/// is in the DPUs of rank i mod R. A result replaces the last input array where the kernel's file says so (mram_bytes
/// below input and output), unless `results = apart`. Only plans of streams have a map; others give none.
[[nodiscard]] std::vector<MramRegion> memory_map(Prepared const& prepared, Design const& design, Plan const& plan);

/// The map as matrices X[element][DPU], with bank, row and column of every element.
[[nodiscard]] WeightLayouts mram_layouts(Inputs const& inputs, Point point);

}  // namespace pimdse::models::upmem
