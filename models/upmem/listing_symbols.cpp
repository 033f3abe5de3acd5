#include "models/upmem/listing_symbols.hpp"

#include "models/upmem/dpu/interpreter.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace pimdse::models::upmem {

dpu::Symbols listing_symbols(Kernel const& k, Design const& d, std::int64_t elements) {
    auto const bytes = sim::whole_part(static_cast<double>(elements) * k.element_bytes);
    auto const row = sim::whole_part(k.row_macs * k.mac_bytes);
    std::int64_t const units = k.shape == WorkShape::stream ? sim::divide_up(bytes, d.dma_block) : elements;
    dpu::MemoryMap const layout;
    return {{"TASKLETS", d.tasklets},
            {"BLOCK", d.dma_block},
            {"LOG2_BLOCK", std::countr_zero(static_cast<std::uint64_t>(d.dma_block))},
            {"BLOCK_LENGTH", d.dma_block / 8 - 1},
            {"BLOCK_WORDS", d.dma_block / 4},
            {"ALL_BLOCKS", d.tasklets * d.dma_block},
            {"ELEMENTS", elements},
            {"BYTES", bytes},
            {"ITERATIONS", sim::divide_up(units, d.tasklets)},
            {"ROW_BYTES", row},
            {"ROW_STEP", d.tasklets * row},
            {"ROWS_PER_TASKLET", sim::divide_up(elements, d.tasklets)},
            {"VECTOR_OFFSET", sim::round_up(elements, d.tasklets) * row},
            {"DPU_INPUT_ARGUMENTS", layout.arguments},
            {"__sys_heap_pointer_reset", layout.heap},
            {"__sys_used_mram_end", layout.data}};
}

bool listing_reads_block(Kernel const& k) {
    Design small, large;
    small.tasklets = large.tasklets = 1;
    small.dma_block = 8;
    large.dma_block = 64;
    std::int64_t const elements = 1 << 20;
    auto const before = listing_symbols(k, small, elements), after = listing_symbols(k, large, elements);
    return std::any_of(before.begin(), before.end(), [&](auto const& symbol) {
        auto const& [name, value] = symbol;
        bool const is_named = k.listing.find(name) != std::string::npos ||
                              std::find(k.arguments.begin(), k.arguments.end(), name) != k.arguments.end();
        return is_named && after.at(name) != value;
    });
}

}  // namespace pimdse::models::upmem
