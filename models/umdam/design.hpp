#pragma once

#include "models/contract/architecture.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::models::umdam {

/// Who stores the weights how, and what that costs (README.md, table of baselines).
enum class Baseline : std::uint8_t { umdam, relayout, duplicate, fused, no_interleave, facil, npu_only };
/// Order in which PIM walks a matrix: by segments of the global buffer, in storage order, or with all of x resident.
enum class LoopOrder : std::uint8_t { kseg, nat, res };
/// How the banks of a channel are opened: at once, four per tFAW, or one per tRRD.
enum class Activation : std::uint8_t { all, four, single };
/// Whether one MAC command reaches all banks of a rank or one bank.
enum class MacCommand : std::uint8_t { all, single };
/// Who does a part of a request; automatic: the unit that needs less time for it; both: the NPU whole blocks of a
/// prompt, the banks the rest.
enum class PhaseUnit : std::uint8_t { automatic, npu, pim, both };
/// Who computes the LM head of the prefill; in decode the unit of the weights does it unless skipped.
enum class LmHead : std::uint8_t { automatic, npu, pim, skip };
enum class Scheduler : std::uint8_t { frfcfs_row_hit, frfcfs };
enum class DramRefresh : std::uint8_t { all_bank, none };
/// What relayout keeps beside the weights while it moves them.
enum class Staging : std::uint8_t { layer, model };

/// How NPU traffic and PIM share the memory while tokens are generated: in turns with a mode switch in between; on
/// halves of the channels, weights in one and the KV cache in the other; or in the same banks through a second row
/// buffer.
enum class Concurrency : std::uint8_t { exclusive, partition, dual_row_buffer };

/// Token after token, or blocks of tokens in denoising steps.
enum class Decoding : std::uint8_t { autoregressive, diffusion };
/// Which positions a step computes that is not the first of its block: all, block and suffix, or the block.
enum class StepCache : std::uint8_t { none, prefix, dual };

/// One point with its parameters read by position; numbers in SI.
struct Design {
    std::size_t llm = 0, dram = 0;
    std::int64_t input = 0, output = 0, batch = 1;
    Baseline baseline = Baseline::umdam;
    Value mapping;
    std::int64_t coll_bits = 3;
    std::int64_t channels = 4, ranks = 1, groups = 4, banks = 4, row_bytes = 2048, density = 32;
    std::int64_t queue_depth = 32, engines = 1;
    Scheduler scheduler = Scheduler::frfcfs_row_hit;
    double npu_flops = 0.0, mac_interval = 0.0;
    std::int64_t npu_buffer = 0, buffer_elements = 1024;
    bool double_buffer = true;
    LoopOrder loop_order = LoopOrder::kseg;
    Activation activation = Activation::all;
    std::int64_t pim_vectors = 1;
    PhaseUnit prefill_unit = PhaseUnit::automatic, decode_unit = PhaseUnit::automatic, attention = PhaseUnit::automatic;
    LmHead lm_head = LmHead::automatic;
    bool count_first = true, ignore_capacity = false;
    double attained_share = 1.0;  ///< of npu_flops
    double layer_overhead = 0.0;  ///< s, of each layer in each pass
    DramRefresh refresh = DramRefresh::all_bank;
    bool row_pad = false, split_k = false;
    Staging staging = Staging::layer;
    Concurrency concurrency = Concurrency::exclusive;
    MacCommand mac_command = MacCommand::all;

    Decoding generation = Decoding::autoregressive;
    std::int64_t steps = 1, block_length = 1;
    StepCache step_cache = StepCache::dual;
    PhaseUnit denoising = PhaseUnit::automatic;  ///< of steps behind the first of a block, which is the NPU's

    /// FLOP/s of the NPU that programs attain.
    [[nodiscard]] double attained_flops() const { return npu_flops * attained_share; }
    [[nodiscard]] bool diffuses() const { return generation == Decoding::diffusion; }
    /// Decode steps after the prefill: `output`, or one fewer if the prefill's token counts as the first of them. Of a
    /// diffusion model the tokens behind its first step.
    [[nodiscard]] std::int64_t decode_steps() const { return count_first || diffuses() ? output - 1 : output; }
};

}  // namespace pimdse::models::umdam
