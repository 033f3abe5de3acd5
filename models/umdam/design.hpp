#pragma once

#include "models/contract/value.hpp"
#include "models/text/request.hpp"
#include "sim/pim/bank_work.hpp"
#include "sim/pim/tile_curve.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::models::umdam {

using sim::pim::LoopOrder;
using sim::pim::TileCurve;
using sim::pim::TileGrid;

/// Which layouts of the weights NPU and PIM use, and what a change of layout costs (README.md, table of baselines).
enum class Baseline : std::uint8_t {
    umdam,
    relayout,
    duplicate,
    fused,
    no_interleave,
    facil,
    npu_only,
    column_in_bank,
    pimnast
};
/// How many banks of a channel are activated together: all at once, four per tFAW, or one per tRRD.
enum class Activation : std::uint8_t { all, four, single };
/// Whether one MAC command reaches all banks of a rank or one bank.
enum class MacCommand : std::uint8_t { all, single };
/// Unit that executes a part of a request. automatic: the unit that needs less time; both: the NPU takes whole blocks
/// of a prompt and the banks the remaining tokens.
enum class PhaseUnit : std::uint8_t { automatic, npu, pim, both };
/// Unit of the LM head in the prefill. In decode the unit of the weights computes it, unless it is skipped.
enum class LmHead : std::uint8_t { automatic, npu, pim, skip };
enum class Scheduler : std::uint8_t { frfcfs_row_hit, frfcfs };
enum class DramRefresh : std::uint8_t { all_bank, none };
/// What relayout holds a second copy of while it moves weights.
enum class Staging : std::uint8_t { layer, model };

/// How NPU traffic and PIM share the memory during decode: alternating, with mode switches; on separate halves of the
/// channels, one for the weights and one for the KV cache; in the same banks through a second row buffer; or
/// alternating as well, in an order in which the NPU computes while the banks multiply.
enum class Concurrency : std::uint8_t { exclusive, partition, dual_row_buffer, scheduled };

/// Bits of a stored weight (model: those of its file, resolved by with_weight_bits).
enum class WeightBits : std::uint8_t { sixteen, eight, four, model };
/// What the NPU multiplies, and how wide its activations are. Keys and values, and the inputs of units in banks, have
/// 16 bits with either.
enum class Products : std::uint8_t { fp16, int8 };
/// Whether the weights are in memory before the request, or the request is the first after they are loaded.
enum class WeightLoad : std::uint8_t { none, once };

/// The parameters of one point, the request among them; numbers in SI units. The formats of a text machine stay unused.
struct Design : text::LlmRequest {
    std::size_t dram = 0;
    Baseline baseline = Baseline::umdam;
    Value mapping;
    std::int64_t coll_bits = 3;
    std::int64_t channels = 4, ranks = 1, groups = 4, banks = 4, row_bytes = 2048, density = 32;
    std::int64_t queue_depth = 32, engines = 1;
    Scheduler scheduler = Scheduler::frfcfs_row_hit;
    double npu_flops = 0.0, mac_interval = 0.0;
    std::int64_t npu_buffer = 0, buffer_elements = 1024;
    std::int64_t npu_l1 = 0;  ///< B of each chip; 0: its traffic is not counted
    bool double_buffer = true;
    LoopOrder loop_order = LoopOrder::kseg;
    Activation activation = Activation::all;
    std::int64_t pim_vectors = 1;
    PhaseUnit prefill_unit = PhaseUnit::automatic, decode_unit = PhaseUnit::automatic, attention = PhaseUnit::automatic;
    LmHead lm_head = LmHead::automatic;
    bool count_first = true, ignore_capacity = false;
    double attained_share = 1.0;  ///< share of npu_flops
    double layer_overhead = 0.0;  ///< s per layer and pass
    DramRefresh refresh = DramRefresh::all_bank;
    bool row_pad = false, split_k = false;
    Staging staging = Staging::layer;
    Concurrency concurrency = Concurrency::exclusive;
    MacCommand mac_command = MacCommand::all;
    std::int64_t tile_width = 0;  ///< outputs of a tile; 0: one for each bank
    TileCurve tile_order = TileCurve::column_major;
    WeightBits weight_bits = WeightBits::sixteen;
    Products products = Products::fp16;
    WeightLoad weight_load = WeightLoad::none;
    /// Unit of the steps after the first step of a block, which the NPU executes.
    PhaseUnit denoising = PhaseUnit::automatic;
    std::int64_t tier_capacity = 0;  ///< B of storage for keys and values that a cache evicts

    /// FLOP/s that programs attain on the NPU.
    [[nodiscard]] double attained_flops() const { return npu_flops * attained_share; }
    /// Weights in the space of one 16-bit weight.
    [[nodiscard]] std::int64_t weights_per_element() const { return std::int64_t{1} << static_cast<int>(weight_bits); }
    /// Bits of a stored weight, bytes of an element of keys and values, and of activations on the NPU.
    [[nodiscard]] std::int64_t stored_bits() const { return static_cast<std::int64_t>(weight_bytes * 8); }
    [[nodiscard]] std::int64_t element_bytes() const { return static_cast<std::int64_t>(cache_bytes); }
    [[nodiscard]] std::int64_t activation_bytes() const { return multiplies_bytes() ? 1 : element_bytes(); }
    [[nodiscard]] bool multiplies_bytes() const { return products == Products::int8; }
    /// The NPU brings weights to the format in which it multiplies them.
    [[nodiscard]] bool converts_weights() const {
        return weight_bits == WeightBits::four || (weight_bits == WeightBits::eight && !multiplies_bytes());
    }
    /// The NPU reads another layout than the banks, and only one of them is stored.
    [[nodiscard]] bool moves_weights() const { return baseline == Baseline::relayout || baseline == Baseline::pimnast; }
    /// NPU and banks use the memory in turns.
    [[nodiscard]] bool alternates() const {
        return concurrency == Concurrency::exclusive || concurrency == Concurrency::scheduled;
    }
    /// Decode steps after the prefill: `output`, or one fewer if the prefill's token counts as the first of them. For a
    /// diffusion model: the tokens after the first step.
    [[nodiscard]] std::int64_t decode_steps() const { return count_first || diffuses() ? output - 1 : output; }
};

}  // namespace pimdse::models::umdam
