#include "models/upmem/dpu/block_program.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem::dpu {
namespace {

constexpr std::int64_t row = 1024;

/// Register sets that cost 0, 1, 2 and 3 cycles to read.
constexpr std::array<std::uint32_t, 4> conflicting{0, 0b101, 0b1010101, 0b1010101010101};

/// The smallest q so that the rounded multiples 0 ... blocks of `step` grow by the same whole number every q; 0: none
/// is certain. Multiples of p / q with an odd q stay 1 / (2 q) away from where rounding turns, which is more than
/// floating point is wrong; those of a power of two are exact.
std::int64_t period_of(double step, std::int64_t blocks) {
    constexpr std::int64_t longest = 64;
    constexpr double exact = 0x1p53, error = 0x1p-50;  // largest whole number; several roundings, relative
    double const most = sim::as_double(blocks) * step;
    if (!(most < exact / sim::as_double(longest))) return 0;
    for (std::int64_t q = 1; q <= longest; ++q) {
        double const whole = std::round(step * sim::as_double(q));
        bool const is_odd = q % 2 == 1 && std::abs(step * sim::as_double(q) - whole) <= error * whole &&
                            sim::as_double(4 * q) * error * most < 1.0;
        bool const is_exact = std::has_single_bit(static_cast<std::uint64_t>(q)) && step * sim::as_double(q) == whole;
        if (is_odd || is_exact) return q;
    }
    return 0;
}

}  // namespace

BlockProgram::BlockProgram(BlockWork work) : work_(work), threads_(static_cast<std::size_t>(work.tasklets)) {
    sim::expects(work.tasklets >= 1 && work.chunk >= 1 && work.blocks >= 0, "work is dealt to at least one tasklet");
    std::int64_t const bytes = work.blocks * std::max(work.read_bytes, work.write_bytes);
    area_ = sim::round_up(bytes, row);
    period_ = period_of(work.per_block, work.blocks);
}

/// Cumulative rounding, so that all blocks together have exactly the given number of instructions.
std::int64_t BlockProgram::count_of(std::int64_t block) const {
    auto const upto = [&](std::int64_t b) {
        return b >= work_.blocks ? work_.instructions
                                 : std::min(work_.instructions, static_cast<double>(b) * work_.per_block);
    };
    return static_cast<std::int64_t>(std::floor(upto(block + 1) + 0.5) - std::floor(upto(block) + 0.5));
}

/// Address instructions before each transfer of this block.
std::int64_t BlockProgram::leading(std::int64_t block) const {
    std::int64_t const transfers = work_.reads + work_.writes;
    return count_of(block) >= (address_instructions + 1) * transfers ? address_instructions : 0;
}

void BlockProgram::begin_block(Thread& t, std::int64_t block) const {
    t.block = block;
    t.stage = block >= work_.blocks ? Stage::stop : Stage::read;
    t.transfers = 0;
    t.left = t.stage == Stage::stop ? 0 : leading(block);
}

void BlockProgram::begin_compute(Thread& t) const {
    std::int64_t const transfers = work_.reads + work_.writes;
    t.stage = Stage::compute;
    t.left = std::max<std::int64_t>(0, count_of(t.block) - transfers * (1 + leading(t.block)));
}

void BlockProgram::finish_transfers(Thread& t) const {
    if (t.stage == Stage::read) return begin_compute(t);
    bool const same_chunk = (t.block + 1) % work_.chunk != 0;
    begin_block(t, same_chunk ? t.block + 1 : t.block + 1 + (work_.tasklets - 1) * work_.chunk);
}

std::uint32_t BlockProgram::conflict(Thread& t) const {
    t.extras += work_.extras;
    auto const whole = static_cast<std::size_t>(std::min(static_cast<double>(conflicting.size() - 1), t.extras));
    t.extras -= static_cast<double>(whole);
    return conflicting[whole];
}

Issued BlockProgram::transfer(std::size_t tasklet, Thread& t) const {
    bool const to_mram = t.stage == Stage::write;
    std::int64_t const operand = to_mram ? work_.reads + t.transfers : t.transfers;
    std::uint32_t const bytes = to_mram ? work_.write_bytes : work_.read_bytes;
    auto const address = static_cast<std::uint32_t>((operand * area_ + t.block * bytes) % address_space);
    ++t.transfers;
    t.left = leading(t.block);
    return {.kind = Issued::Kind::transfer,
            .tasklet = static_cast<std::uint8_t>(tasklet),
            .to_mram = to_mram,
            .mram = address,
            .bytes = bytes};
}

/// The start-up of every program: compare, boot the next tasklet, call main.
Issued BlockProgram::start_up(std::size_t tasklet, Thread& t) const {
    Issued plain{.tasklet = static_cast<std::uint8_t>(tasklet)};
    bool const last = tasklet + 1 == threads_.size();
    if (t.stage == Stage::boot) {
        plain.kind = Issued::Kind::boot;
        plain.booted = static_cast<std::uint8_t>(tasklet + 1);
    }
    if (t.stage == Stage::call) t.left = std::llround(work_.fixed);
    t.stage = t.stage == Stage::compare ? (last ? Stage::call : Stage::boot)
              : t.stage == Stage::boot  ? Stage::call
                                        : Stage::fixed;
    return plain;
}

std::int64_t BlockProgram::plain_ahead(std::size_t tasklet) const {
    Thread const& t = threads_[tasklet];
    bool const sure = t.stage == Stage::fixed || (t.stage == Stage::compute && work_.extras == 0.0);
    return sure ? t.left : 0;
}

std::vector<std::int64_t> BlockProgram::blocks_in_hand() const {
    std::vector<std::int64_t> blocks;
    for (auto const& t : threads_) blocks.push_back(t.block);
    return blocks;
}

std::int64_t BlockProgram::periods_ahead(std::vector<std::int64_t> const& before) const {
    std::int64_t periods = std::numeric_limits<std::int64_t>::max();
    for (std::size_t t = 0; t < threads_.size(); ++t) {
        std::int64_t const step = threads_[t].block - before[t];
        if (step > 0) periods = std::min(periods, (work_.blocks - 2 - threads_[t].block) / step);
    }
    return std::max<std::int64_t>(0, periods);
}

void BlockProgram::skip_periods(std::vector<std::int64_t> const& before, std::int64_t periods) {
    for (std::size_t t = 0; t < threads_.size(); ++t) threads_[t].block += periods * (threads_[t].block - before[t]);
}

void BlockProgram::describe(StateWords& words) const {
    for (auto const& t : threads_) {
        words.add(t.stage);
        words.add(t.left);
        words.add(t.transfers);
        words.add(t.extras);
        words.add(t.block % work_.chunk);
        if (period_ > 1) words.add(t.block % period_);
    }
}

Issued BlockProgram::issue(std::size_t tasklet) {
    Thread& t = threads_[tasklet];
    if (t.stage <= Stage::call) return start_up(tasklet, t);
    Issued plain{.tasklet = static_cast<std::uint8_t>(tasklet)};
    while (t.stage != Stage::stop) {
        bool const transfers = t.stage == Stage::read || t.stage == Stage::write;
        bool const more =
            t.stage == Stage::read ? t.transfers < work_.reads : t.stage == Stage::write && t.transfers < work_.writes;
        if (t.left > 0 && (more || !transfers)) {
            --t.left;
            if (t.stage != Stage::fixed) plain.reads = conflict(t);
            return plain;
        }
        if (more) return transfer(tasklet, t);
        if (transfers) {
            finish_transfers(t);
        } else if (t.stage == Stage::fixed) {
            begin_block(t, static_cast<std::int64_t>(tasklet) * work_.chunk);
        } else {
            t.stage = Stage::write;
            t.transfers = 0;
            t.left = leading(t.block);
        }
    }
    plain.kind = Issued::Kind::stop;
    return plain;
}

}  // namespace pimdse::models::upmem::dpu
