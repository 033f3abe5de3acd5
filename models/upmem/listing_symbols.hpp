#pragma once

#include "models/upmem/design.hpp"
#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/kernels/kernel.hpp"

#include <cstdint>

namespace pimdse::models::upmem {

/// The names a listing may use, for `elements` elements of one DPU.
[[nodiscard]] dpu::Symbols listing_symbols(Kernel const& kernel, Design const& design, std::int64_t elements);

/// Whether the listing of a kernel or its arguments name anything that changes with the DMA block.
[[nodiscard]] bool listing_reads_block(Kernel const& kernel);

}  // namespace pimdse::models::upmem
