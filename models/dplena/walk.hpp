#pragma once

#include "models/dplena/program.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace pimdse::models::dplena {

enum class Unit : std::uint8_t { vector, scalar, control, copy, hbm };
inline constexpr std::array<std::string_view, 5> unit_names{"VEC", "SCA", "CTL", "CPY", "HBM"};

enum class Opcode : std::uint8_t {
    v_red_max_idx,
    v_sub_vf,
    v_exp_v,
    v_red_sum,
    v_topk_mask,
    v_select_int,
    v_red_max,
    v_cmp_vf,
    v_first,
    v_mul_vf,
    v_add_vv,
    v_random,
    s_map_v_fp,
    s_add_fp,
    s_sub_fp,
    s_max_fp,
    s_min_fp,
    s_ld_fp,
    s_select_int,
    s_select_fp,
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
inline constexpr std::array<std::string_view, 32> opcode_names{
    "V_RED_MAX_IDX",  "V_SUB_VF",        "V_EXP_V",          "V_RED_SUM",   "V_TOPK_MASK",  "V_SELECT_INT", "V_RED_MAX",
    "V_CMP_VF",       "V_FIRST",         "V_MUL_VF",         "V_ADD_VV",    "V_RANDOM",     "S_MAP_V_FP",   "S_ADD_FP",
    "S_SUB_FP",       "S_MAX_FP",        "S_MIN_FP",         "S_LD_FP",     "S_SELECT_INT", "S_SELECT_FP",  "S_EXP_FP",
    "S_MUL_FP",       "S_RECI_FP",       "S_ST_FP",          "S_ST_INT",    "S_ADD_INT",    "S_ADDI_INT",   "S_LUI_INT",
    "C_SET_ADDR_REG", "C_SET_SCALE_REG", "C_SET_STRIDE_REG", "H_PREFETCH_V"};

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
        if (d_.has_scratch_vector()) load(program_.scratch_address());
        if (d_.is_noisy()) scalar(Opcode::s_addi_int);
        if (d_.scales_logits()) scalar(Opcode::s_ld_fp);
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

    void vector(Opcode opcode, std::int64_t cycles) { sink_.run(Unit::vector, opcode, cycles, row_); }
    /// The maximum of a vector, whose logits stay as they are for the sum, and the sums of logits and noise in the
    /// scratch vector.
    void noise() {
        vector(Opcode::v_red_max, costs_.plain_max);
        vector(Opcode::v_random, costs_.random);
        vector(Opcode::v_add_vv, costs_.add);
    }
    void maximum_pass(std::int64_t vectors) {
        bool const indexed = d_.softmax == SoftmaxForm::stable_max && d_.max_idx == Means::instruction;
        for (std::int64_t i = 0; i < vectors; ++i) {
            if (d_.scales_logits()) vector(Opcode::v_mul_vf, costs_.multiply);
            if (d_.is_noisy()) noise();
            if (indexed)
                vector(Opcode::v_red_max_idx, costs_.red_max);
            else
                vector(Opcode::v_red_max, costs_.plain_max);
            if (d_.is_noisy() && !indexed) search_scratch();
            bump(indexed ? 2 : 1);
        }
        if (d_.is_noisy()) keep_chosen_logit();
    }
    /// Finds the maximum that was reduced in the scratch vector, if it has grown (the first of equal ones counts).
    void search_scratch() {
        scalar(Opcode::s_sub_fp);
        index_search();
    }
    /// Loads the logit of the token with the largest sum before the next pass or chunk overwrites it. If that token is
    /// in an earlier chunk, its logit stays.
    void keep_chosen_logit() {
        scalar(Opcode::s_add_int);
        scalar(Opcode::s_ld_fp);
        if (d_.mode == Mode::performance) return;
        scalar(Opcode::s_select_fp);
        bump();
    }
    void index_search() {
        vector(Opcode::v_cmp_vf, costs_.compare);
        vector(Opcode::v_first, costs_.find_first);
        scalar(Opcode::s_select_int);
        scalar(Opcode::s_add_int);
        bump();
    }
    void sum_pass(std::int64_t vectors) {
        auto const exponential = program_.exponential();
        for (std::int64_t i = 0; i < vectors; ++i) {
            if (d_.scales_logits_again()) vector(Opcode::v_mul_vf, costs_.multiply);
            if (d_.searches_logits()) index_search();  // before the differences replace the logits
            vector(Opcode::v_sub_vf, costs_.sub);
            vector(Opcode::v_exp_v, exponential);
            vector(Opcode::v_red_sum, costs_.red_sum);
            bump();
        }
    }
    /// Plain softmax: the probabilities of a row and the largest one.
    void probability_pass(std::int64_t vectors) {
        auto const exponential = program_.exponential();
        for (std::int64_t i = 0; i < vectors; ++i) {
            if (d_.mode == Mode::edge) {
                vector(Opcode::v_sub_vf, costs_.sub);
                vector(Opcode::v_exp_v, exponential);
            }
            vector(Opcode::v_mul_vf, costs_.multiply);
            bump();
            if (d_.max_idx == Means::program) {
                index_search();
                continue;
            }
            vector(Opcode::v_red_max_idx, costs_.red_max);
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
        if (d_.softmax == SoftmaxForm::stable_max) scalar(Opcode::s_reci_fp);
        if (d_.is_noisy()) {
            scalar(Opcode::s_sub_fp);
            sink_.run(Unit::scalar, Opcode::s_exp_fp, costs_.scalar_exp, row_);
            sink_.run(Unit::scalar, Opcode::s_mul_fp, costs_.scalar_multiply, row_);
        }
        for (auto const store : {Opcode::s_st_fp, Opcode::s_st_int})
            sink_.run(Unit::scalar, store, program_.store_cycles() * costs_.scalar, row_);
        ++row_;
        if (row_ % d_.block_length == 0) tail();
    }
    void tail() {
        auto const length = d_.block_length, writes = program_.store_cycles() * length;
        sink_.run(Unit::scalar, Opcode::s_map_v_fp, writes, row_ - 1);
        sink_.run(Unit::copy, Opcode::s_map_v_fp, length, row_ - 1);
        scalar(Opcode::s_addi_int);
        choose_positions();
        scalar(Opcode::s_addi_int, 2);
        sink_.run(Unit::vector, Opcode::v_select_int, writes, row_ - 1);
        sink_.run(Unit::vector, Opcode::v_select_int, writes, row_ - 1);
        scalar(Opcode::s_addi_int, 3);
    }
    void choose_positions() {
        auto const length = d_.block_length;
        if (d_.topk == Means::instruction) {
            for (std::int64_t i = 0; i < program_.topk_rounds(); ++i)
                sink_.run(Unit::vector, Opcode::v_topk_mask, length, row_ - 1);
            return;
        }
        scalar(Opcode::s_ld_fp, length);
        for (std::int64_t i = 0; i < program_.sort_exchanges(); ++i) {
            scalar(Opcode::s_max_fp);
            scalar(Opcode::s_min_fp);
            scalar(Opcode::s_select_int, 2);
        }
        scalar(Opcode::s_st_fp, length);
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
            if (d_.softmax == SoftmaxForm::plain) {
                load(program_.row_address(row));
                scalar(Opcode::s_reci_fp);
                probability_pass(d_.vectors_per_row());
            }
            row_end();
        }
    }

    void chunked_row() {
        row_registers();
        if (program_.fetches_per_chunk() > 1) {
            for_each_chunk([this] { maximum_pass(d_.vectors_per_chunk()); });
            for_each_chunk([this] { sum_pass(d_.vectors_per_chunk()); });
            if (d_.softmax == SoftmaxForm::plain) {
                scalar(Opcode::s_reci_fp);
                for_each_chunk([this] { probability_pass(d_.vectors_per_chunk()); });
            }
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

}  // namespace pimdse::models::dplena
