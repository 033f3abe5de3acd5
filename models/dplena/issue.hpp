#pragma once

#include "models/dplena/program.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

/// Cycles after which the next instruction may issue are those of Program; the result of an instruction is there these
/// cycles later. All 0 with the times of the library.
using ResultDelays = std::array<std::int64_t, opcode_names.size()>;
[[nodiscard]] ResultDelays result_delays(Program const& program);

/// Issue in order, one instruction at a time: an instruction begins when the one before lets it and the results that it
/// reads are there. Every row that is interleaved has results of its own (issue.cpp). With the times of the library an
/// instruction keeps the next one from issuing until its result is there, so that none waits.
class InOrderIssue {
  public:
    /// Results of a row that instructions wait for.
    static constexpr std::size_t results = 5;
    /// By interleaved row and result, a number of cycles.
    using Cycles = std::vector<std::array<std::int64_t, results>>;

    explicit InOrderIssue(Program const& program);

    /// Issues an instruction on `row` (-1: on none) that keeps the next one from issuing for `cycles`.
    void run(Opcode opcode, std::int64_t cycles, std::int64_t row) {
        if (pipelined_) wait_for_operands(opcode, cycles, row);
        now_ += cycles;
    }
    /// Waits for all results.
    void drain();
    /// Stands still until the cycle `end`, in which nothing is in flight.
    void stand_until(std::int64_t end) { now_ = end; }

    [[nodiscard]] std::int64_t now() const { return now_; }
    /// Cycles in which the next instruction waited for results.
    [[nodiscard]] std::int64_t stalls() const { return stalls_; }
    /// How long results are still in flight.
    [[nodiscard]] Cycles in_flight() const;

  private:
    void wait_for_operands(Opcode opcode, std::int64_t cycles, std::int64_t row);
    void wait_until(std::int64_t cycle);

    bool pipelined_;
    ResultDelays delays_;
    Cycles ready_;  ///< when results are there
    std::int64_t now_ = 0, stalls_ = 0;
};

/// The stalls of `program`; none with the times of the library.
[[nodiscard]] Stalls stalls_of(Program const& program);

}  // namespace pimdse::models::dplena
