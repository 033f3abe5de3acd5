#include "models/dplena/issue.hpp"

#include "models/dplena/walk.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace pimdse::models::dplena {
namespace {

/// The results that an instruction reads and writes: the maximum of a row with its index, its sum, the vector of
/// differences and exponentials, the vector of probabilities, and any other number. Logits are on chip before the work
/// on them begins, and an address is there in the cycle after its instruction.
struct Operands {
    static constexpr unsigned maximum = 1, sum = 2, vector = 4, probabilities = 8, number = 16;
    unsigned read = 0, written = 0;
};

constexpr Operands operands_of(Opcode opcode) {
    using O = Operands;
    switch (opcode) {
        case Opcode::v_red_max_idx:
        case Opcode::v_red_max:
            return {O::maximum | O::probabilities, O::maximum};
        case Opcode::v_sub_vf:
            return {O::maximum, O::vector};
        case Opcode::v_exp_v:
            return {O::vector, O::vector};
        case Opcode::v_red_sum:
            return {O::vector | O::sum, O::sum};
        case Opcode::v_mul_vf:
            return {O::vector | O::number, O::probabilities};
        case Opcode::s_add_fp:
            return {0, O::maximum | O::sum};
        case Opcode::s_exp_fp:
            return {O::maximum, O::number};
        case Opcode::s_mul_fp:
            return {O::number | O::sum, O::sum};
        case Opcode::s_reci_fp:
            return {O::sum, O::number};
        case Opcode::s_st_fp:
            return {O::maximum | O::number, 0};
        case Opcode::s_st_int:
            return {O::maximum, 0};
        case Opcode::s_map_v_fp:
            return {0, O::number};
        case Opcode::v_topk_mask:
            return {O::number, 0};
        default:
            return {};
    }
}

template <class Each>
void for_each_in(unsigned set, Each each) {
    for (std::size_t i = 0; i < InOrderIssue::results; ++i)
        if ((set >> i & 1U) != 0) each(i);
}

/// A sink of Walk that counts stalls. If a turn of a loop leaves the results as long in flight as the turn before did,
/// all further turns stall as it did, because they are the same instructions: these are counted without a walk.
class StallCount {
  public:
    explicit StallCount(Program const& program) : issue_(program) {}

    void run(Unit, Opcode opcode, std::int64_t cycles, std::int64_t row) { issue_.run(opcode, cycles, row); }
    void fetch(std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t) {}
    void drain() { issue_.drain(); }
    std::int64_t skip(std::int64_t turn, std::int64_t left) {
        auto const of_turn = issue_.stalls() - stalls_before_;
        stalls_before_ = issue_.stalls();
        bool const steady = std::exchange(in_flight_, issue_.in_flight()) == in_flight_ && turn > 0;
        if (!steady) return 0;
        skipped_ += left * of_turn;
        return left;
    }

    /// Stalls of `instructions` and of the wait for their results.
    template <class Instructions>
    [[nodiscard]] std::int64_t of(Instructions instructions) {
        auto const before = issue_.stalls() + skipped_;
        instructions();
        issue_.drain();
        return issue_.stalls() + skipped_ - before;
    }

  private:
    InOrderIssue issue_;
    InOrderIssue::Cycles in_flight_;
    std::int64_t stalls_before_ = 0, skipped_ = 0;
};

}  // namespace

ResultDelays result_delays(Program const& program) {
    ResultDelays delays{};
    auto const& d = program.design();
    if (!d.is_pipelined()) return delays;
    auto const& rtl = program.costs().rtl;
    auto const levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(d.vlen)));
    for (auto const& [opcode, latency] :
         {std::pair{Opcode::v_red_max_idx, rtl.reduction + rtl.max_level * levels},
          std::pair{Opcode::v_red_max, rtl.reduction + rtl.max_level * levels},
          std::pair{Opcode::v_red_sum, rtl.reduction + rtl.sum_level * levels}, std::pair{Opcode::v_sub_vf, rtl.sub},
          std::pair{Opcode::v_exp_v, rtl.exp}, std::pair{Opcode::v_mul_vf, rtl.multiply},
          std::pair{Opcode::s_add_fp, rtl.scalar_add}, std::pair{Opcode::s_mul_fp, rtl.scalar_multiply},
          std::pair{Opcode::s_exp_fp, rtl.scalar_exp}, std::pair{Opcode::s_reci_fp, rtl.reciprocal},
          std::pair{Opcode::s_map_v_fp, rtl.map + d.vlen}})
        delays[static_cast<std::size_t>(opcode)] = latency - 1;
    return delays;
}

InOrderIssue::InOrderIssue(Program const& program)
    : pipelined_(program.design().is_pipelined()),
      delays_(result_delays(program)),
      ready_(static_cast<std::size_t>(program.design().interleaved_rows())) {}

void InOrderIssue::wait_until(std::int64_t cycle) {
    if (cycle <= now_) return;
    stalls_ += cycle - now_;
    now_ = cycle;
}

void InOrderIssue::wait_for_operands(Opcode opcode, std::int64_t cycles, std::int64_t row) {
    auto const operands = operands_of(opcode);
    auto& of_row = ready_[static_cast<std::size_t>(std::max<std::int64_t>(row, 0)) % ready_.size()];
    for_each_in(operands.read, [&](std::size_t i) { wait_until(of_row[i]); });
    auto const there = now_ + cycles + delays_[static_cast<std::size_t>(opcode)];
    for_each_in(operands.written, [&](std::size_t i) { of_row[i] = there; });
}

void InOrderIssue::drain() {
    for (auto const& of_row : ready_) wait_until(std::ranges::max(of_row));
}

InOrderIssue::Cycles InOrderIssue::in_flight() const {
    auto left = ready_;
    for (auto& of_row : left)
        for (auto& cycle : of_row) cycle = std::max<std::int64_t>(0, cycle - now_);
    return left;
}

Stalls stalls_of(Program const& program) {
    Stalls stalls;
    auto const& d = program.design();
    if (!d.is_pipelined()) return stalls;
    StallCount count(program);
    Walk walk(program, count);
    stalls.tail = count.of([&] { walk.tail(d.block_length); });
    if (d.mode == Mode::edge) {
        stalls.row_start = count.of([&] { walk.row_registers(); });
        for (std::int64_t pass = 0; pass < program.fetches_per_chunk(); ++pass)
            stalls.chunk[static_cast<std::size_t>(pass)] = count.of([&] { walk.chunk(pass); });
        stalls.before_probabilities = count.of([&] { walk.before_probabilities(); });
        stalls.row_end = count.of([&] { walk.row_end(); });
        return stalls;
    }
    // Rows differ by the instructions that load their addresses, of which there are more beyond a limit.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> known;
    auto const rows = d.preload * d.block_length;
    for (std::int64_t first = 0; first < rows; first += d.interleaved_rows()) {
        auto const together = std::min(d.interleaved_rows(), rows - first);
        auto const near = std::clamp<std::int64_t>(program.near_rows() - first, 0, together);
        auto const [kind, is_new] = known.try_emplace({together, near}, 0);
        if (is_new) kind->second = count.of([&] { walk.rows_on_chip(0, first, together); });
        stalls.group += kind->second;
    }
    return stalls;
}

}  // namespace pimdse::models::dplena
