#include "models/upmem/dpu/block_program.hpp"

#include "sim/check.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem::dpu {
namespace {

constexpr std::int64_t address_instructions = 2;
constexpr std::int64_t row = 1024;

}  // namespace

BlockProgram::BlockProgram(BlockWork work) : work_(work), threads_(static_cast<std::size_t>(work.tasklets)) {
    sim::expects(work.tasklets >= 1 && work.chunk >= 1 && work.blocks >= 0, "work is dealt to at least one tasklet");
    std::int64_t const bytes = work.blocks * std::max(work.read_bytes, work.write_bytes);
    area_ = (bytes + row - 1) / row * row;
}

/// Cumulative rounding, so that all blocks together have exactly the instructions asked for.
std::int64_t BlockProgram::count_of(std::int64_t block) const {
    auto const upto = [&](std::int64_t b) { return b >= work_.blocks ? work_.instructions : std::min(work_.instructions, static_cast<double>(b) * work_.per_block); };
    return static_cast<std::int64_t>(std::floor(upto(block + 1) + 0.5) - std::floor(upto(block) + 0.5));
}

std::int64_t BlockProgram::following(std::int64_t block) const {
    bool const more = (block + 1) % work_.chunk != 0;
    return more ? block + 1 : block + 1 + (work_.tasklets - 1) * work_.chunk;
}

void BlockProgram::enter_transfers(Thread& t, Stage stage) const {
    t.stage = stage;
    t.transfers = 0;
    std::int64_t const transfers = work_.reads + work_.writes;
    std::int64_t const spare = count_of(t.block) - transfers;
    t.left = spare >= address_instructions * transfers ? address_instructions : 0;
}

void BlockProgram::next_block(std::size_t, Thread& t, std::int64_t block) const {
    t.block = block;
    if (block >= work_.blocks) {
        t.stage = Stage::stop;
    } else {
        enter_transfers(t, Stage::read);
    }
}

Issued BlockProgram::transfer(std::size_t tasklet, Thread& t, bool to_mram) const {
    std::int64_t const operand = to_mram ? work_.reads + t.transfers : t.transfers;
    std::uint32_t const bytes = to_mram ? work_.write_bytes : work_.read_bytes;
    ++t.transfers;
    enum { address_space = 1U << 31 };
    auto const address = static_cast<std::uint32_t>((operand * area_ + t.block * bytes) % address_space);
    return {.kind = Issued::Kind::transfer, .tasklet = static_cast<std::uint8_t>(tasklet), .to_mram = to_mram, .mram = address, .bytes = bytes};
}

Issued BlockProgram::issue(std::size_t tasklet) {
    Thread& t = threads_[tasklet];
    Issued plain{.tasklet = static_cast<std::uint8_t>(tasklet)};
    while (true) {
        switch (t.stage) {
            case Stage::compare:
                t.stage = tasklet + 1 < threads_.size() ? Stage::boot : Stage::call;
                return plain;
            case Stage::boot:
                t.stage = Stage::call;
                plain.kind = Issued::Kind::boot;
                plain.booted = static_cast<std::uint8_t>(tasklet + 1);
                return plain;
            case Stage::call:
                t.stage = Stage::fixed;
                t.left = std::llround(work_.fixed);
                return plain;
            case Stage::fixed:
                if (t.left-- > 0) return plain;
                next_block(tasklet, t, static_cast<std::int64_t>(tasklet) * work_.chunk);
                break;
            case Stage::read:
            case Stage::write: {
                bool const writing = t.stage == Stage::write;
                if (t.transfers < (writing ? work_.writes : work_.reads)) {
                    if (t.left-- > 0) return plain;
                    auto const issued = transfer(tasklet, t, writing);
                    int const done = t.transfers;
                    enter_transfers(t, t.stage);
                    t.transfers = done;
                    return issued;
                }
                if (writing) {
                    next_block(tasklet, t, following(t.block));
                    break;
                }
                std::int64_t const transfers = work_.reads + work_.writes;
                std::int64_t const spare = count_of(t.block) - transfers;
                t.left = std::max<std::int64_t>(0, spare >= address_instructions * transfers ? spare - address_instructions * transfers : spare);
                t.stage = Stage::compute;
                break;
            }
            case Stage::compute:
                if (t.left-- > 0) return plain;
                enter_transfers(t, Stage::write);
                break;
            case Stage::stop: plain.kind = Issued::Kind::stop; return plain;
        }
    }
}

}  // namespace pimdse::models::upmem::dpu
