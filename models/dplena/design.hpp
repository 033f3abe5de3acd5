#pragma once

#include "models/contract/architecture.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::models::dplena {

/// HBM is read in lines of this size.
inline constexpr std::int64_t line_bytes = 64;

enum class Mode : std::uint8_t { performance, edge };
enum class Scope : std::uint8_t { sampling, end_to_end };
enum class Element : std::uint8_t { e4m3, e5m2, e3m4, e2m1, int8, int4 };
enum class Bus : std::uint8_t { compat, corrected };
enum class Refresh : std::uint8_t { off, on };
enum class Accumulator : std::uint8_t { fp16, bf16, fp32 };
enum class Overlap : std::uint8_t { none, prefetch, dual_issue, fused_head };
enum class Passes : std::uint8_t { one, two };
enum class LoopHardware : std::uint8_t { off, on };
enum class ModelCache : std::uint8_t { none, prefix, dual };

/// One point of the design space with its values decoded. Counts are elements, tokens, sequences or vectors as in
/// parameters.cpp; `v_chunk` and `exp_lanes` hold what 0 stands for.
struct Design {
    Mode mode = Mode::performance;
    Scope scope = Scope::sampling;
    std::int64_t vlen = 0, batch = 0, block_length = 0, vocab = 0, steps = 0;
    std::int64_t preload = 0, v_chunk = 0, prefetch = 0;
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    std::int64_t channels = 0;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    Accumulator accumulator = Accumulator::fp32;
    std::int64_t exp_lanes = 0;
    Overlap overlap = Overlap::none;
    std::int64_t buffers = 0;
    Passes passes = Passes::two;
    std::size_t model = 0;  ///< index into Prepared::models
    ModelCache cache = ModelCache::dual;
    std::int64_t generation_length = 0;
    std::int64_t prompt = 0;
    std::int64_t outstanding = 0;
    LoopHardware loop_hardware = LoopHardware::off;
    std::int64_t matrix_depth = 0, matrix_block = 0;
    double model_bandwidth = 0.0;  ///< B/s; 0: of the channels
    std::int64_t weight_bits = 0;
    std::int64_t sram_limit = 0;  ///< B
    bool chunk_is_given = false;  ///< v_chunk was set to less than the vocabulary

    [[nodiscard]] std::int64_t vectors_per_row() const { return vocab / vlen; }
    [[nodiscard]] std::int64_t vectors_per_chunk() const { return v_chunk / vlen; }
    [[nodiscard]] std::int64_t chunks_per_row() const { return vocab / v_chunk; }
    [[nodiscard]] std::int64_t rows() const { return steps * batch * block_length; }
    /// Logits of all steps, in elements (one byte each in HBM); the scales begin behind them.
    [[nodiscard]] std::int64_t logits() const { return rows() * vocab; }
    [[nodiscard]] std::int64_t lines_per_prefetch() const { return prefetch * (vlen / line_bytes + 1); }
};

}  // namespace pimdse::models::dplena
