#pragma once

#include "models/dplena/issue.hpp"
#include "models/dplena/program.hpp"

#include <algorithm>
#include <cstdint>

namespace pimdse::models::dplena {

/// Emits the instruction stream, one instruction after the other, in the order of the authors' generators. Sink:
///     void run(Unit, Opcode, std::int64_t cycles, std::int64_t row);
///     void fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t row);   // H_PREFETCH_V
///     void drain();                                       // all results are there before a preload is set up
///     std::int64_t skip(std::int64_t turn, std::int64_t left);   // optional: after turn number `turn` of a loop, how
///                                                                // many of the turns left are left out
/// `row` counts rows of logits over the whole run; it is -1 outside rows. Where rows are interleaved, every instruction
/// is emitted for all of them before the next one.
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
            for (row_ = 0; row_ < d_.rows(); ++row_) chunked_row();
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

    /// The work on `together` rows from number `first` of the preloaded group on that begins with row `start`.
    void rows_on_chip(std::int64_t start, std::int64_t first, std::int64_t together) {
        row_ = start + first;
        together_ = together;
        load_row_addresses(first);
        row_registers();
        maximum_pass(d_.vectors_per_row());
        load_row_addresses(first);
        rescale();
        sum_pass(d_.vectors_per_row());
        if (d_.softmax == SoftmaxForm::plain) {
            load_row_addresses(first);
            scalar(Opcode::s_reci_fp);
            probability_pass(d_.vectors_per_row());
        }
        row_end();
        together_ = 1;
    }

    // The pieces of the work on a row whose chunks are fetched one by one.
    void row_registers() {
        scalar(Opcode::s_add_fp, 2);
        scalar(Opcode::s_add_int, 2);
    }
    /// The work on a chunk that was fetched for the pass number `pass`.
    void chunk(std::int64_t pass) {
        auto const vectors = d_.vectors_per_chunk();
        if (pass == 0) maximum_pass(vectors);
        if (program_.fetches_per_chunk() == 1) {
            load(program_.logits_base());
            rescale();
        }
        if (pass == std::min<std::int64_t>(program_.fetches_per_chunk() - 1, 1)) sum_pass(vectors);
        if (pass == 2) probability_pass(vectors);
        bump();
    }
    void before_probabilities() { scalar(Opcode::s_reci_fp); }
    void row_end() {
        if (d_.softmax == SoftmaxForm::stable_max) scalar(Opcode::s_reci_fp);
        if (d_.is_noisy()) {
            scalar(Opcode::s_sub_fp);
            run(Unit::scalar, Opcode::s_exp_fp, costs_.scalar_exp);
            run(Unit::scalar, Opcode::s_mul_fp, costs_.scalar_multiply);
        }
        for (auto const store : {Opcode::s_st_fp, Opcode::s_st_int})
            run(Unit::scalar, store, program_.store_cycles() * costs_.scalar);
    }
    /// The end of the block of a sequence whose last row is that before `end`.
    void tail(std::int64_t end) {
        auto const length = d_.block_length, writes = program_.store_cycles() * length, row = end - 1;
        sink_.run(Unit::scalar, Opcode::s_map_v_fp, program_.map_cycles().scalar, row);
        sink_.run(Unit::copy, Opcode::s_map_v_fp, program_.map_cycles().copy, row);
        at(row, Opcode::s_addi_int, 1);
        choose_positions(row);
        at(row, Opcode::s_addi_int, 2);
        sink_.run(Unit::vector, Opcode::v_select_int, writes, row);
        sink_.run(Unit::vector, Opcode::v_select_int, writes, row);
        at(row, Opcode::s_addi_int, 3);
    }

  private:
    void run(Unit unit, Opcode opcode, std::int64_t cycles) {
        sink_.run(unit, opcode, cycles, row_);
        for (auto row = row_ + 1; row < row_ + together_; ++row) sink_.run(unit, opcode, cycles, row);
    }
    void scalar(Opcode opcode, std::int64_t times = 1) {
        for (std::int64_t i = 0; i < times; ++i) run(Unit::scalar, opcode, costs_.scalar);
    }
    void control(Opcode opcode) { run(Unit::control, opcode, costs_.control); }
    /// Scalar instructions for one row.
    void at(std::int64_t row, Opcode opcode, std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i) sink_.run(Unit::scalar, opcode, costs_.scalar, row);
    }
    void bump(std::int64_t times = 1) {
        if (d_.loop_hardware == LoopHardware::off) scalar(Opcode::s_addi_int, times);
    }
    void load(std::int64_t constant) {
        if (constant > costs_.immediate_limit) scalar(Opcode::s_lui_int);
        scalar(Opcode::s_addi_int);
    }
    void load_row_addresses(std::int64_t first) {
        for (auto row = first; row < first + together_; ++row) {
            if (program_.row_address(row) > costs_.immediate_limit) at(row_ + row - first, Opcode::s_lui_int, 1);
            at(row_ + row - first, Opcode::s_addi_int, 1);
        }
    }
    /// The turns of a loop over the vectors of a row or chunk.
    template <class Turn>
    void for_each_vector(std::int64_t vectors, Turn turn) {
        for (std::int64_t i = 0; i < vectors; ++i) {
            turn();
            if constexpr (requires { sink_.skip(i, i); }) i += sink_.skip(i, vectors - i - 1);
        }
    }

    void preload(std::int64_t elements, std::int64_t base, std::int64_t scales, std::int64_t offset,
                 std::int64_t vector_address) {
        sink_.drain();
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

    void vector(Opcode opcode, std::int64_t cycles) { run(Unit::vector, opcode, cycles); }
    /// The maximum of a vector, whose logits stay as they are for the sum, and the sums of logits and noise in the
    /// scratch vector.
    void noise() {
        vector(Opcode::v_red_max, costs_.plain_max);
        vector(Opcode::v_random, costs_.random);
        vector(Opcode::v_add_vv, costs_.add);
    }
    void maximum_pass(std::int64_t vectors) {
        bool const indexed = d_.softmax == SoftmaxForm::stable_max && d_.max_idx == Means::instruction;
        for_each_vector(vectors, [&] {
            if (d_.scales_logits()) vector(Opcode::v_mul_vf, costs_.multiply);
            if (d_.is_noisy()) noise();
            if (indexed)
                vector(Opcode::v_red_max_idx, costs_.red_max);
            else
                vector(Opcode::v_red_max, costs_.plain_max);
            if (d_.is_noisy() && !indexed) search_scratch();
            bump(indexed ? 2 : 1);
        });
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
        for_each_vector(vectors, [&] {
            if (d_.scales_logits_again()) vector(Opcode::v_mul_vf, costs_.multiply);
            if (d_.searches_logits()) index_search();  // before the differences replace the logits
            vector(Opcode::v_sub_vf, costs_.sub);
            vector(Opcode::v_exp_v, exponential);
            vector(Opcode::v_red_sum, costs_.red_sum);
            bump();
        });
    }
    /// Plain softmax: the probabilities of a row and the largest one.
    void probability_pass(std::int64_t vectors) {
        auto const exponential = program_.exponential();
        for_each_vector(vectors, [&] {
            if (d_.mode == Mode::edge) {
                vector(Opcode::v_sub_vf, costs_.sub);
                vector(Opcode::v_exp_v, exponential);
            }
            vector(Opcode::v_mul_vf, costs_.multiply);
            bump();
            if (d_.max_idx == Means::program) {
                index_search();
                return;
            }
            vector(Opcode::v_red_max_idx, costs_.red_max);
            bump();
        });
    }
    void rescale() {
        if (d_.passes == Passes::two) return;
        run(Unit::scalar, Opcode::s_exp_fp, costs_.scalar_exp);
        run(Unit::scalar, Opcode::s_mul_fp, costs_.scalar_multiply);
    }
    void choose_positions(std::int64_t row) {
        auto const length = d_.block_length;
        if (d_.topk == Means::instruction) {
            for (std::int64_t i = 0; i < program_.topk_rounds(); ++i)
                sink_.run(Unit::vector, Opcode::v_topk_mask, length, row);
            return;
        }
        at(row, Opcode::s_ld_fp, length);
        for (std::int64_t i = 0; i < program_.sort_exchanges(); ++i) {
            at(row, Opcode::s_max_fp, 1);
            at(row, Opcode::s_min_fp, 1);
            at(row, Opcode::s_select_int, 2);
        }
        at(row, Opcode::s_st_fp, length);
    }

    void whole_group(std::int64_t group) {
        auto const rows = d_.preload * d_.block_length, length = d_.block_length, start = group * rows;
        row_ = start;
        preload_logits(rows * d_.vocab, program_.preload_offset(group));
        for (std::int64_t first = 0; first < rows;) {
            auto const together = std::min(d_.interleaved_rows(), rows - first);
            rows_on_chip(start, first, together);
            auto const ended = first / length;
            first += together;
            for (auto i = ended + 1; i <= first / length; ++i) tail(start + i * length);
        }
    }

    void chunked_row() {
        row_registers();
        for (std::int64_t pass = 0; pass < program_.fetches_per_chunk(); ++pass) {
            if (pass == 2) before_probabilities();
            for (std::int64_t i = 0; i < d_.chunks_per_row(); ++i) {
                preload_logits(d_.v_chunk, row_ % d_.rows_in_memory() * d_.vocab + i * d_.v_chunk);
                chunk(pass);
            }
        }
        row_end();
        if ((row_ + 1) % d_.block_length == 0) tail(row_ + 1);
    }

    Program const& program_;
    Design const& d_;
    InstructionCosts const& costs_;
    Sink& sink_;
    std::int64_t row_ = -1, together_ = 1;  ///< the first of the rows that instructions are emitted for; their number
};

}  // namespace pimdse::models::dplena
