#include "models/dplena/hbm/busiest.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::dplena {
namespace {

using sim::divide_up;

/// Consecutive lines of which some two are two apart within four aligned ones: their halves meet.
constexpr std::int64_t lines_that_meet = 5, aligned_lines_that_meet = 3, lines_that_may_meet = 4;
/// Lines that are two apart, of which some two lie within four aligned ones.
constexpr std::int64_t even_lines_that_meet = 3;

/// Elements from one unit of contiguous prefetches to the next.
std::int64_t stride(Design const& d) {
    return d.mode == Mode::performance ? d.preload * d.block_length * d.vocab : std::gcd(d.vocab, d.v_chunk);
}

/// Whether all prefetches begin at multiples of `lines` lines of data.
bool data_aligned(Design const& d, std::int64_t lines) {
    auto const bits = lines * line_bytes * 8;
    return d.prefetch * d.vlen * d.element_bits() % bits == 0 && stride(d) * d.element_bits() % bits == 0;
}

/// Whether the scales of all prefetches begin at multiples of `bytes`.
bool scales_aligned(Design const& d, std::int64_t bytes) {
    auto const elements = bytes * d.mx_block;
    return d.logits() * d.element_bits() % (8 * bytes) == 0 && d.prefetch * d.vlen % elements == 0 &&
           stride(d) % elements == 0;
}

/// Pseudo-channels over which lines that are `lines` apart spread, each line over two of them (over one of a single
/// channel's).
std::int64_t reached(Design const& d, std::int64_t lines) {
    auto const all = pseudo_channels(d);
    auto const common = std::gcd(lines, all);
    if (d.channels == 1 || common <= 2) return all / common;
    return 2 * all / common;
}

/// Stretches of lines with one column that `lines` lines touch at most.
std::int64_t columns_touched(Design const& d, std::int64_t lines) {
    auto const column = lines_of_a_column(d);
    bool const inside = column % lines == 0 && scales_aligned(d, lines * line_bytes);
    return inside ? 1 : (lines - 1) / column + 2;
}

/// Reads of the busiest pseudo-channel for the scales of vectors that have lines of their own, `apart` lines apart.
std::int64_t scales_apart(Design const& d, std::int64_t apart) {
    auto const vectors = divide_up(d.prefetch, columns_touched(d, d.prefetch * apart));
    bool const four = scales_aligned(d, lines_that_may_meet * line_bytes);
    auto const met = apart == 1 ? (four ? aligned_lines_that_meet : lines_that_meet)
                     : four     ? even_lines_that_meet - 1
                                : even_lines_that_meet;
    bool const meet = apart <= 2 && d.prefetch >= met;
    return std::max<std::int64_t>(divide_up(2 * vectors, reached(d, apart)), meet ? 2 : 1);
}

/// The same where vectors share lines of `bytes` each.
std::int64_t scales_shared(Design const& d, std::int64_t bytes) {
    auto const all = d.prefetch * bytes;
    bool const whole = all % line_bytes == 0 || line_bytes % all == 0;
    auto const lines = whole && scales_aligned(d, all) ? divide_up(all, line_bytes) : (all - bytes) / line_bytes + 2;
    bool const fours = all % (lines_that_may_meet * line_bytes) == 0;
    if (fours && scales_aligned(d, lines_that_may_meet * line_bytes)) return divide_up(2 * d.prefetch, lines);
    return divide_up(d.prefetch, lines);
}

std::int64_t busiest_scales(Design const& d) {
    auto const bytes = d.vlen / d.mx_block;
    auto const even = divide_up(2 * d.prefetch * d.scale_lines(), pseudo_channels(d));
    if (d.scale_lines() > 1 || (bytes > line_bytes && bytes % line_bytes != 0)) return even;
    return std::max(even, bytes < line_bytes ? scales_shared(d, bytes) : scales_apart(d, bytes / line_bytes));
}

/// Of the data alone, where they are no multiple of the pseudo-channels.
std::int64_t busiest_data(Design const& d, std::int64_t lines) {
    auto const whole = lines / pseudo_channels(d);
    if (whole > 0) return 2 * whole + 1;
    bool const meet =
        lines >= lines_that_meet || (lines >= aligned_lines_that_meet && data_aligned(d, lines_that_may_meet));
    return meet || d.channels == 1 ? 2 : 1;
}

}  // namespace

std::int64_t even_reads(Design const& d) { return divide_up(2 * d.lines_per_prefetch(), pseudo_channels(d)); }

std::int64_t busiest_reads(Program const& program) {
    auto const& d = program.design();
    auto const lines = d.prefetch * d.data_lines();
    auto const parts = pseudo_channels(d);
    auto const scales = busiest_scales(d);
    if (data_aligned(d, parts)) return std::max(even_reads(d), 2 * (lines / parts) + scales);
    auto const everywhere = std::max<std::int64_t>(0, lines / parts - 1);
    auto const data = lines % parts == 0 ? 2 * (lines / parts) : busiest_data(d, lines);
    return std::max({even_reads(d), data, 2 * everywhere + scales});
}

}  // namespace pimdse::models::dplena
