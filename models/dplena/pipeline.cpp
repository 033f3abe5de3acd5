#include "models/dplena/pipeline.hpp"

#include "models/dplena/program/blocks.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace pimdse::models::dplena {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Cycles of work by block: constant in performance mode; in edge mode by pass and by first, middle and last chunk of a
/// row. Rows differ until their addresses need two instructions to load, as those of the last row do.
class Works {
  public:
    Works(Program const& program, Blocks const& blocks) : blocks_(blocks), tail_(as_double(program.tail().sum())) {
        auto const& d = program.design();
        if (d.mode == Mode::performance) {
            same_ = as_double(blocks.work(blocks.count() - 1));
            return;
        }
        chunks_ = d.chunks_per_row();
        passes_ = program.fetches_per_chunk();
        rows_per_sequence_ = d.block_length;
        last_ = row_works(blocks.count() / (chunks_ * passes_) - 1);
        now_ = row_works(0);
    }

    /// Blocks in order: chunk after chunk, pass after pass, row after row.
    double next() {
        if (chunks_ == 0) return same_;
        auto const& works = now_[static_cast<std::size_t>(pass_)];
        bool const last = chunk_ + 1 == chunks_;
        double work = last ? works[2] : chunk_ == 0 ? works[0] : works[1];
        if (!last) {
            ++chunk_;
            return work;
        }
        chunk_ = 0;
        if (++pass_ < passes_) return work;
        if ((row_ + 1) % rows_per_sequence_ == 0) work += tail_;
        pass_ = 0;
        ++row_;
        if (now_ != last_) now_ = row_works(row_);
        return work;
    }

  private:
    using RowWorks =
        std::array<std::array<double, 3>, 2>;  ///< by pass, then first, middle, last chunk; without the tail

    [[nodiscard]] RowWorks row_works(std::int64_t row) const {
        RowWorks works{};
        auto const first_row = row * chunks_ * passes_;
        if (first_row >= blocks_.count()) return works;
        for (std::int64_t pass = 0; pass < passes_; ++pass) {
            auto const first = first_row + pass * chunks_, last = first + chunks_ - 1;
            bool const has_tail = pass + 1 == passes_ && (row + 1) % rows_per_sequence_ == 0;
            auto const without = [&](std::int64_t block) {
                return as_double(blocks_.work(block)) - (has_tail && block == last ? tail_ : 0.0);
            };
            works[static_cast<std::size_t>(pass)] = {without(first), without(std::min(first + 1, last)), without(last)};
        }
        return works;
    }

    Blocks const& blocks_;
    double same_ = 0.0, tail_;
    std::int64_t chunks_ = 0, passes_ = 1, rows_per_sequence_ = 1, chunk_ = 0, pass_ = 0, row_ = 0;
    RowWorks last_{}, now_{};
};

}  // namespace

double pipeline_cycles(Program const& program, FetchTimes const& times, std::int64_t most_blocks) {
    auto const& d = program.design();
    Blocks const blocks(program);
    Works works(program, blocks);
    auto const count = std::min(blocks.count(), most_blocks);
    auto const per_preload = program.preloads() > 0 ? as_double(program.prefetches_per_preload()) : 0.0;
    std::vector<double> const always{times.mean * per_preload};
    auto const& alone = !times.preloads.empty() && per_preload > 0.0 ? times.preloads : always;
    double const streaming = d.outstanding > 1 ? times.mean * per_preload : 0.0;
    double const start = as_double(program.prologue().sum()) + times.mean * as_double(program.mask_prefetches());
    std::vector<double> done(static_cast<std::size_t>(d.buffers), start);
    double fetched = start, worked = start, half = start;
    std::size_t at = 0, buffer = 0;
    for (std::int64_t block = 0; block < count; ++block) {
        double const room = done[buffer];
        bool const follows = streaming > 0.0 && block > 0 && room <= fetched;
        fetched = std::max(fetched, room) + (follows ? streaming : alone[at]);
        worked = std::max(worked, fetched) + works.next();
        done[buffer] = worked;
        buffer = buffer + 1 == done.size() ? 0 : buffer + 1;
        at = at + 1 == alone.size() ? 0 : at + 1;
        if (block + 1 == count / 2) half = worked;
    }
    if (count == blocks.count()) return worked;
    return worked + (worked - half) * as_double(blocks.count() - count) / as_double(count - count / 2);
}

}  // namespace pimdse::models::dplena
