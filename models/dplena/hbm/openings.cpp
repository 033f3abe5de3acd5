#include "models/dplena/hbm/openings.hpp"

#include "models/dplena/hbm/busiest.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

using sim::divide_up;

/// Bytes of four aligned lines: the first two meet banks that the last two meet again.
constexpr std::int64_t bytes_that_meet = 4 * line_bytes;

std::int64_t lines_of_a_row(Design const& d) { return columns_of_a_row * lines_of_a_column(d); }

/// Rows that the mask's data and scales may have opened before.
std::int64_t rows_of_mask(Program const& program) {
    auto const& d = program.design();
    if (program.mask_prefetches() == 0) return 0;
    auto const bytes = 2 * d.batch * d.vlen + d.batch * d.vlen / d.mx_block;
    return bytes / (lines_of_a_row(d) * line_bytes) + 2;
}

/// Prefetches that lie in the first column of a row and meet none of the row's banks a second time.
std::int64_t fresh_in_a_row(Design const& d) {
    auto const lines = d.prefetch * d.data_lines(), column = lines_of_a_column(d);
    auto const inside = column % lines == 0 ? column / lines : std::max<std::int64_t>(0, (column + 1) / lines - 1);
    if (lines % 4 == 0) return inside;
    return lines <= 2 && d.channels > 1 ? inside / 2 : 0;
}

std::int64_t fresh(Program const& program) {
    auto const& d = program.design();
    auto const first_time = program.distinct_prefetches() / program.fetches_per_chunk();
    auto const rows = first_time * d.prefetch * d.data_lines() / lines_of_a_row(d);
    return std::max<std::int64_t>(0, rows - 1 - rows_of_mask(program)) * fresh_in_a_row(d);
}

/// Scales of whole powers of two: vectors share lines evenly, or have whole lines of their own.
bool even_scales(Design const& d) {
    auto const bytes = d.vlen / d.mx_block;
    return line_bytes % bytes == 0 || bytes % line_bytes == 0;
}

/// Prefetches that are the first to read a line of scales whose banks no line of scales shortly before it has met.
std::int64_t first_at_scales(Design const& d, std::int64_t prefetches) {
    auto const bytes = d.prefetch * d.vlen / d.mx_block;
    if (bytes >= bytes_that_meet) return prefetches;
    auto const firsts = prefetches * bytes / bytes_that_meet;
    return bytes <= line_bytes ? 2 * firsts : firsts;
}

std::int64_t switched(Program const& program) {
    auto const& d = program.design();
    if (program.fetches_per_chunk() > 1 || d.channels == 1 || !even_scales(d)) return 0;
    auto const prefetches = program.distinct_prefetches(), lines = d.prefetch * d.data_lines();
    auto const all_banks = divide_up(2 * lines_of_a_column(d), lines);  // so many prefetches meet every bank
    auto const scale_lines = prefetches * (d.prefetch * d.vlen / d.mx_block) / line_bytes;
    auto const columns = scale_lines / lines_of_a_column(d) + 2;
    auto const shared_row = prefetches * lines % lines_of_a_row(d) / lines + 2;
    return std::max<std::int64_t>(0, first_at_scales(d, prefetches) - (columns + 1) * (all_banks + 2) - shared_row);
}

}  // namespace

bool without_gaps(Program const& program) {
    auto const& d = program.design();
    if (d.mode == Mode::edge) return d.vocab % d.v_chunk == 0;
    return d.preload * d.block_length * d.vocab % (d.prefetch * d.vlen) == 0;
}

RowOpenings openings_of(Program const& program) {
    if (program.logit_prefetches() == 0 || !without_gaps(program)) return {};
    auto const fresh_ones = fresh(program);
    return {fresh_ones, std::max(fresh_ones, switched(program))};
}

}  // namespace pimdse::models::dplena
