#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pimdse::models::dplena {

/// Cycles by the columns of the paper's tables. `copy` is the half of S_MAP_V_FP that is in none of these columns.
struct Counts {
    std::int64_t vector = 0, scalar = 0, control = 0, copy = 0;

    [[nodiscard]] std::int64_t sum() const { return vector + scalar + control + copy; }
    /// Cycles that a second issue slot executes while the vector unit works.
    [[nodiscard]] std::int64_t beside_vector() const { return scalar + control + copy; }
    Counts& operator+=(Counts const& other);
    friend Counts operator+(Counts a, Counts const& b) { return a += b; }
    friend Counts operator*(std::int64_t times, Counts const& c) {
        return {times * c.vector, times * c.scalar, times * c.control, times * c.copy};
    }
    bool operator==(Counts const&) const = default;
};

/// Number of address registers that the test bench clears before the mask, and again after it.
inline constexpr std::int64_t address_resets = 8;

/// The instruction stream of a design in pieces: the cycles of each piece, without the time of its prefetches. The code
/// is unrolled, so a constant load takes one or two instructions, depending on its value. The pieces are those of the
/// authors' generators, except that loop_hardware removes the address increments ("bumps") of the loops, and passes = 1
/// removes the second fetch.
class Program {
  public:
    Program(Design const& design, InstructionCosts const& costs);

    /// The start of the test bench: bases, resets, the preload of the input mask (with mask_prefetches() prefetches).
    [[nodiscard]] Counts prologue() const;
    /// The settings before the prefetches of one preload of logits at this HBM offset (elements).
    [[nodiscard]] Counts preload_header(std::int64_t offset) const;
    /// The address increments of this number of prefetches.
    [[nodiscard]] Counts prefetch_bumps(std::int64_t prefetches) const;
    /// The instructions before the first pass over row `row` of a preloaded group (edge mode: any row).
    [[nodiscard]] Counts row_start(std::int64_t row) const;
    /// First pass over `vectors` vectors: running maximum and its index.
    [[nodiscard]] Counts maximum_pass(std::int64_t vectors) const;
    /// Between the passes: the pointer is reset (performance mode), the running sum is rescaled (passes = 1).
    [[nodiscard]] Counts between_passes(std::int64_t row) const;
    /// Second pass: subtract, exponential, sum.
    [[nodiscard]] Counts sum_pass(std::int64_t vectors) const;
    /// The instructions after each pass over a chunk in edge mode.
    [[nodiscard]] Counts chunk_end() const;
    /// The end of a row: reciprocal and stores.
    [[nodiscard]] Counts row_end() const;
    /// The end of a block of one sequence: top-k, selects and resets.
    [[nodiscard]] Counts tail() const;

    [[nodiscard]] std::int64_t mask_prefetches() const;
    [[nodiscard]] std::int64_t preloads() const;
    [[nodiscard]] std::int64_t prefetches_per_preload() const;
    /// Number of preloads whose HBM offset fits a single-instruction load.
    [[nodiscard]] std::int64_t near_preloads() const;
    /// Performance mode: number of rows of a group whose address in vector memory fits a single-instruction load.
    [[nodiscard]] std::int64_t near_rows() const;
    /// HBM offset of preload number `preload` in program order, in elements.
    [[nodiscard]] std::int64_t preload_offset(std::int64_t preload) const;
    [[nodiscard]] std::int64_t logit_prefetches() const { return preloads() * prefetches_per_preload(); }
    /// Number of prefetches of logits, counted from the first one, whose addresses increase from row to row. Where each
    /// step overwrites the logits of the previous one, these are the prefetches of one step.
    [[nodiscard]] std::int64_t distinct_prefetches() const;
    [[nodiscard]] std::int64_t prefetches() const { return mask_prefetches() + logit_prefetches(); }
    /// How often the logits of a row are fetched from HBM: 2 for two passes in edge mode, otherwise 1.
    [[nodiscard]] std::int64_t fetches_per_chunk() const;

    /// The cycles of the whole stream, in closed form.
    [[nodiscard]] Counts total() const;

    /// Address of the first byte of the mask in HBM.
    [[nodiscard]] std::int64_t mask_base() const;
    /// Start addresses of the logits and of row `row` of a group in vector memory, in elements.
    [[nodiscard]] std::int64_t logits_base() const;
    [[nodiscard]] std::int64_t row_address(std::int64_t row) const;
    [[nodiscard]] Design const& design() const { return design_; }
    [[nodiscard]] InstructionCosts const& costs() const { return costs_; }

  private:
    [[nodiscard]] std::int64_t load(std::int64_t constant) const;
    [[nodiscard]] Counts all_preloads() const;
    [[nodiscard]] Counts all_rows() const;
    [[nodiscard]] std::int64_t online_rescale() const;

    Design design_;
    InstructionCosts costs_;
    std::int64_t bump_;
};

/// The sampling as a sequence of blocks. A block is one preload of logits (a group of sequences, or a chunk of a row)
/// and the work on it. The fetch of a block overlaps the work on earlier blocks; see README.md.
class Blocks {
  public:
    explicit Blocks(Program const& program);

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Cycles of the work on block `index` (0-based), including the settings and address increments of its fetch. With
    /// dual issue, scalar instructions of a pass run in parallel with its vector instructions, and instructions of the
    /// fetch in parallel with any others.
    [[nodiscard]] std::int64_t work(std::int64_t index) const;

    /// Consecutive blocks of the same kind and the cycles of work on all of them. The sampling consists of `repeats`
    /// rounds of the phases in order; constant loads are counted as in the last round.
    struct Phase {
        std::int64_t blocks = 0;
        double work = 0.0;
    };
    [[nodiscard]] std::vector<Phase> phases() const;
    [[nodiscard]] std::int64_t repeats() const;

  private:
    struct Work {
        Counts all;
        std::int64_t dual = 0;  ///< cycles if the vector and scalar instructions of a pass run in parallel
        void in_turn(Counts const& counts, std::int64_t times = 1);
        void side_by_side(Counts const& counts, std::int64_t times = 1);
    };
    [[nodiscard]] Work group_work() const;
    [[nodiscard]] Work chunk_work(std::int64_t index) const;
    [[nodiscard]] std::int64_t cycles(Work work, std::int64_t index) const;
    [[nodiscard]] std::int64_t passes_per_row() const;

    Program const& program_;
    Design const& design_;
    std::int64_t count_ = 0;
    Work group_;  ///< performance mode: the part of the work that is the same for all groups
};

enum class Unit : std::uint8_t { vector, scalar, control, copy, hbm };
inline constexpr std::array<std::string_view, 5> unit_names{"VEC", "SCA", "CTL", "CPY", "HBM"};

enum class Opcode : std::uint8_t {
    v_red_max_idx,
    v_sub_vf,
    v_exp_v,
    v_red_sum,
    v_topk_mask,
    v_select_int,
    s_map_v_fp,
    s_add_fp,
    s_exp_fp,
    s_mul_fp,
    s_reci_fp,
    s_st_fp,
    s_st_int,
    s_add_int,
    s_addi_int,
    s_lui_int,
    c_set_addr,
    c_set_scale,
    c_set_stride,
    h_prefetch_v
};
inline constexpr std::array<std::string_view, 20> opcode_names{
    "V_RED_MAX_IDX", "V_SUB_VF",  "V_EXP_V",        "V_RED_SUM",       "V_TOPK_MASK",      "V_SELECT_INT", "S_MAP_V_FP",
    "S_ADD_FP",      "S_EXP_FP",  "S_MUL_FP",       "S_RECI_FP",       "S_ST_FP",          "S_ST_INT",     "S_ADD_INT",
    "S_ADDI_INT",    "S_LUI_INT", "C_SET_ADDR_REG", "C_SET_SCALE_REG", "C_SET_STRIDE_REG", "H_PREFETCH_V"};

/// Emits the instruction stream, one instruction after the other, in the order of the authors' generators. Sink:
///     void run(Unit, Opcode, std::int64_t cycles, std::int64_t row);
///     void fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t row);   // H_PREFETCH_V
/// `row` counts rows of logits over the whole run; it is -1 outside rows.
template <class Sink>
class Walk {
  public:
    Walk(Program const& program, Sink& sink)
        : program_(program), d_(program.design()), costs_(program.costs()), sink_(sink) {}

    void all() {
        prologue();
        if (d_.mode == Mode::performance) {
            auto const groups = d_.steps * d_.batch / d_.preload;
            for (std::int64_t group = 0; group < groups; ++group) whole_group(group);
        } else {
            for (row_ = 0; row_ < d_.rows();) chunked_row();
        }
    }

    /// The instructions before the first block.
    void prologue() {
        auto const elements = d_.batch * d_.block_length * d_.vocab;
        auto const mask = d_.batch * d_.vlen;
        auto const mask_base = program_.mask_base();
        load(mask_base);
        control(Opcode::c_set_addr);
        load((elements + d_.batch * d_.block_length) * 9 / 8);
        control(Opcode::c_set_addr);
        scalar(Opcode::s_addi_int, address_resets);
        preload(mask, mask_base, mask, 0, mask);
        scalar(Opcode::s_addi_int, address_resets);
        for (auto const constant : {program_.logits_base(), mask, std::int64_t{0}, 2 * mask, d_.block_length})
            load(constant);
    }

  private:
    void scalar(Opcode opcode, std::int64_t times = 1) {
        for (std::int64_t i = 0; i < times; ++i) sink_.run(Unit::scalar, opcode, costs_.scalar, row_);
    }
    void control(Opcode opcode) { sink_.run(Unit::control, opcode, costs_.control, row_); }
    void bump(std::int64_t times = 1) {
        if (d_.loop_hardware == LoopHardware::off) scalar(Opcode::s_addi_int, times);
    }
    void load(std::int64_t constant) {
        if (constant > costs_.immediate_limit) scalar(Opcode::s_lui_int);
        scalar(Opcode::s_addi_int);
    }

    void preload(std::int64_t elements, std::int64_t base, std::int64_t scales, std::int64_t offset,
                 std::int64_t vector_address) {
        load(scales);
        control(Opcode::c_set_scale);
        load(offset);
        load(vector_address);
        scalar(Opcode::s_addi_int);
        control(Opcode::c_set_stride);
        auto const width = d_.vlen * d_.prefetch;
        for (std::int64_t i = 0; i < elements / width; ++i) {
            sink_.fetch(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(scales),
                        static_cast<std::uint64_t>(offset + i * width), row_);
            bump(2);
        }
    }
    void preload_logits(std::int64_t elements, std::int64_t offset) {
        if (d_.overlap != Overlap::fused_head) preload(elements, 0, d_.logits(), offset, program_.logits_base());
    }

    void maximum_pass(std::int64_t vectors) {
        for (std::int64_t i = 0; i < vectors; ++i) {
            sink_.run(Unit::vector, Opcode::v_red_max_idx, costs_.red_max, row_);
            bump(2);
        }
    }
    void sum_pass(std::int64_t vectors) {
        auto const exponential = costs_.exp * ((d_.vlen + d_.exp_lanes - 1) / d_.exp_lanes);
        for (std::int64_t i = 0; i < vectors; ++i) {
            sink_.run(Unit::vector, Opcode::v_sub_vf, costs_.sub, row_);
            sink_.run(Unit::vector, Opcode::v_exp_v, exponential, row_);
            sink_.run(Unit::vector, Opcode::v_red_sum, costs_.red_sum, row_);
            bump();
        }
    }
    void rescale() {
        if (d_.passes == Passes::two) return;
        sink_.run(Unit::scalar, Opcode::s_exp_fp, costs_.scalar_exp, row_);
        sink_.run(Unit::scalar, Opcode::s_mul_fp, costs_.scalar_multiply, row_);
    }
    void row_registers() {
        scalar(Opcode::s_add_fp, 2);
        scalar(Opcode::s_add_int, 2);
    }
    void row_end() {
        scalar(Opcode::s_reci_fp);
        scalar(Opcode::s_st_fp);
        scalar(Opcode::s_st_int);
        ++row_;
        if (row_ % d_.block_length == 0) tail();
    }
    void tail() {
        auto const length = d_.block_length;
        sink_.run(Unit::scalar, Opcode::s_map_v_fp, length, row_ - 1);
        sink_.run(Unit::copy, Opcode::s_map_v_fp, length, row_ - 1);
        scalar(Opcode::s_addi_int);
        sink_.run(Unit::vector, Opcode::v_topk_mask, length, row_ - 1);
        scalar(Opcode::s_addi_int, 2);
        sink_.run(Unit::vector, Opcode::v_select_int, length, row_ - 1);
        sink_.run(Unit::vector, Opcode::v_select_int, length, row_ - 1);
        scalar(Opcode::s_addi_int, 3);
    }

    void whole_group(std::int64_t group) {
        auto const rows = d_.preload * d_.block_length;
        row_ = group * rows;
        preload_logits(rows * d_.vocab, program_.preload_offset(group));
        for (std::int64_t row = 0; row < rows; ++row) {
            load(program_.row_address(row));
            row_registers();
            maximum_pass(d_.vectors_per_row());
            load(program_.row_address(row));
            rescale();
            sum_pass(d_.vectors_per_row());
            row_end();
        }
    }

    void chunked_row() {
        row_registers();
        if (program_.fetches_per_chunk() == 2) {
            for_each_chunk([this] { maximum_pass(d_.vectors_per_chunk()); });
            for_each_chunk([this] { sum_pass(d_.vectors_per_chunk()); });
        } else {
            for_each_chunk([this] {
                maximum_pass(d_.vectors_per_chunk());
                load(program_.logits_base());
                rescale();
                sum_pass(d_.vectors_per_chunk());
            });
        }
        row_end();
    }
    template <class Body>
    void for_each_chunk(Body body) {
        for (std::int64_t chunk = 0; chunk < d_.chunks_per_row(); ++chunk) {
            preload_logits(d_.v_chunk, row_ % d_.rows_in_memory() * d_.vocab + chunk * d_.v_chunk);
            body();
            bump();
        }
    }

    Program const& program_;
    Design const& d_;
    InstructionCosts const& costs_;
    Sink& sink_;
    std::int64_t row_ = -1;
};

/// Cost of the sampling of a block, in cycles. The instruction counts are exact at every fidelity; the memory cycles
/// and the total are as accurate as the fidelity.
struct SamplingCost {
    Counts counts;
    std::int64_t prefetches = 0;
    Estimate memory;  ///< cycles with a prefetch in flight
    Estimate total;
};

}  // namespace pimdse::models::dplena
