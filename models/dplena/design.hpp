#pragma once

#include "models/llm/request_passes.hpp"

#include <algorithm>
#include <cstdint>

namespace pimdse::models::dplena {

/// Size of an HBM line, the unit of a read.
inline constexpr std::int64_t line_bytes = 64;

enum class Mode : std::uint8_t { performance, edge };
enum class Scope : std::uint8_t { sampling, end_to_end };
enum class Element : std::uint8_t { e4m3, e5m2, e3m4, e2m1, int8, int4, bf16 };
/// Layout of elements in HBM: one byte each, as in the authors' code, or packed by their width with all of their
/// scales.
enum class Addressing : std::uint8_t { bytes, packed };
enum class Bus : std::uint8_t { compat, corrected };
enum class Refresh : std::uint8_t { off, on };
/// Place of the logits of a denoising step in HBM: that of the previous step, or the space after it.
enum class StepLogits : std::uint8_t { overwrite, apart };
enum class Accumulator : std::uint8_t { fp16, bf16, fp32 };
enum class Overlap : std::uint8_t { none, prefetch, dual_issue, fused_head };
enum class Passes : std::uint8_t { one, two };
enum class LoopHardware : std::uint8_t { off, on };
/// The rule that selects the masked positions which a step commits: a fixed number by confidence or at random; the best
/// one and all above a threshold; the longest run that a factor allows.
enum class Remasking : std::uint8_t { low_confidence, random, threshold, factor };
/// Algorithm 1 of the paper: its second method (the maximum, then the sum), or its first (all probabilities of a row
/// are computed, then the largest is found).
enum class SoftmaxForm : std::uint8_t { stable_max, plain };
/// Whether an instruction of the paper exists, or a program of other instructions does its work.
enum class Means : std::uint8_t { instruction, program };
/// Three memories for vectors, confidences and tokens, or one with a single port and rows of a vector.
enum class Memories : std::uint8_t { separate, unified };
/// HBM2 with 2 Gb/s per pin, or HBM2e with 3.2.
enum class HbmGeneration : std::uint8_t { hbm2, hbm2e };
/// Which published times instructions have: those of the authors' latency library, one instruction at a time; or those
/// of their RTL, where one is issued in every cycle that finds its operands ready.
enum class InstructionLatency : std::uint8_t { library, rtl };
/// Where the logits of a block are sampled.
enum class Sampler : std::uint8_t { npu, host };

/// One point of the sampler with its values decoded, the request among them. Counts are elements, tokens,
/// sequences or vectors as in keys.toml. `v_chunk` and `exp_lanes` are resolved (0 is replaced by the number it
/// stands for); if tokens are generated one by one, steps is 1, and block_length is the number of positions of a pass,
/// 1 unless tokens are proposed.
struct Design : ModelRequest {
    Mode mode = Mode::performance;
    Scope scope = Scope::end_to_end;
    std::int64_t vlen = 0, vocab = 0;
    std::int64_t preload = 0, v_chunk = 0, prefetch = 0;
    Element element = Element::e4m3;
    std::int64_t mx_block = 0;
    Addressing addressing = Addressing::bytes;
    std::int64_t channels = 0;
    Bus bus = Bus::corrected;
    Refresh refresh = Refresh::on;
    StepLogits step_logits = StepLogits::overwrite;
    Accumulator accumulator = Accumulator::fp32;
    std::int64_t exp_lanes = 0;
    Overlap overlap = Overlap::none;
    std::int64_t buffers = 0;
    Passes passes = Passes::two;
    std::int64_t outstanding = 0;
    LoopHardware loop_hardware = LoopHardware::off;
    std::int64_t sram_limit = 0;  ///< B
    Remasking remasking = Remasking::low_confidence;
    double confidence_threshold = 0.0, confidence_factor = 0.0;  ///< of the policies threshold and factor
    SoftmaxForm softmax = SoftmaxForm::stable_max;
    Means max_idx = Means::instruction, topk = Means::instruction;
    std::int64_t topk_entries = 0;  ///< topk_list()
    Memories memories = Memories::separate;
    Sampler sampler = Sampler::npu;
    double temperature = 0.0;  ///< 0: the most likely token
    double frequency = 0.0;    ///< Hz of the units; 0: that of constants.toml
    HbmGeneration generation_of_hbm = HbmGeneration::hbm2;
    std::int64_t host_fifo = 0, host_fifo_depth = 0;  ///< bits of a word; words. 0 bits: there is none
    InstructionLatency instruction_latency = InstructionLatency::library;
    std::int64_t chains = 1;      ///< interleaved_rows() at most
    bool chunk_is_given = false;  ///< v_chunk was set to less than the vocabulary
    bool samples_model = false;   ///< `vocab` follows the model

    [[nodiscard]] std::int64_t vectors_per_row() const { return vocab / vlen; }
    [[nodiscard]] std::int64_t vectors_per_chunk() const { return v_chunk / vlen; }
    [[nodiscard]] std::int64_t chunks_per_row() const { return vocab / v_chunk; }
    [[nodiscard]] std::int64_t rows() const { return steps * batch * block_length; }
    [[nodiscard]] bool is_pipelined() const { return instruction_latency == InstructionLatency::rtl; }
    /// Rows whose instructions the program interleaves, so that one issues while another waits for its results. Edge
    /// mode has one row on chip.
    [[nodiscard]] std::int64_t interleaved_rows() const {
        bool const interleaves = is_pipelined() && mode == Mode::performance;
        return interleaves ? std::min(chains, preload * block_length) : 1;
    }
    /// Whether a block may be complete before its last step.
    [[nodiscard]] bool may_end_early() const {
        return remasking == Remasking::threshold || remasking == Remasking::factor;
    }
    /// Bits of an element in HBM.
    [[nodiscard]] std::int64_t element_bits() const {
        if (element == Element::bf16) return 16;
        bool const narrow = element == Element::e2m1 || element == Element::int4;
        return addressing == Addressing::packed && narrow ? 4 : 8;
    }
    [[nodiscard]] std::int64_t data_lines() const { return vlen * element_bits() / (8 * line_bytes); }
    /// Lines of scales that are read per vector: one for any block size, or with packed addressing those that they
    /// fill; BF16 has no scales.
    [[nodiscard]] std::int64_t scale_lines() const {
        if (element == Element::bf16) return 0;
        return addressing == Addressing::packed ? (vlen / mx_block + line_bytes - 1) / line_bytes : 1;
    }
    /// Bytes of an element and of its part of a scale.
    [[nodiscard]] double element_bytes() const {
        auto const scale = element == Element::bf16 ? 0.0 : 1.0 / static_cast<double>(mx_block);
        return static_cast<double>(element_bits()) / 8 + scale;
    }
    /// Bytes in HBM of a logit of a model; 0 if logits go from the LM head to the sampler.
    [[nodiscard]] double logit_bytes() const { return overlap == Overlap::fused_head ? 0.0 : element_bytes(); }
    /// Number of steps whose logits are in HBM at the same time.
    [[nodiscard]] std::int64_t steps_in_memory() const { return step_logits == StepLogits::apart ? steps : 1; }
    /// Number of logits that are in HBM at the same time; the scales begin after them.
    [[nodiscard]] std::int64_t logits() const { return rows_in_memory() * vocab; }
    [[nodiscard]] std::int64_t rows_in_memory() const { return steps_in_memory() * batch * block_length; }
    /// Positions that a step commits, at most.
    [[nodiscard]] std::int64_t committed() const { return (block_length + steps - 1) / steps; }
    /// Entries of the list of V_TOPK_MASK; 0 stands for one per position of a block.
    [[nodiscard]] std::int64_t topk_list() const { return topk_entries > 0 ? topk_entries : block_length; }
    /// Whether a tick of the HBM is a cycle of the units, as in the paper.
    [[nodiscard]] friend bool has_clocks_of_hbm2(Design const& d) {
        return d.generation_of_hbm == HbmGeneration::hbm2 && d.frequency == 0.0;
    }
    /// Whether noise is added to the logits before the token is chosen.
    [[nodiscard]] bool is_noisy() const { return temperature > 0.0; }
    /// Whether logits are divided by the temperature, a product for each vector: in the first pass, and where the
    /// second one fetches the logits again, there as well.
    [[nodiscard]] bool scales_logits() const { return is_noisy() && temperature != 1.0; }
    [[nodiscard]] bool scales_logits_again() const {
        return scales_logits() && mode == Mode::edge && passes == Passes::two && overlap != Overlap::fused_head;
    }
    /// Whether every vector of logits is compared with the maximum of its row, for lack of an index.
    [[nodiscard]] bool searches_logits() const {
        return softmax == SoftmaxForm::stable_max && max_idx == Means::program && !is_noisy();
    }
    /// Whether the vector memory has a vector for sums of logits and noise, or for the results of comparisons: logits
    /// are overwritten only by the differences from their maximum.
    [[nodiscard]] bool has_scratch_vector() const { return is_noisy() || max_idx == Means::program; }
    [[nodiscard]] std::int64_t lines_per_prefetch() const { return prefetch * (data_lines() + scale_lines()); }
};

}  // namespace pimdse::models::dplena
