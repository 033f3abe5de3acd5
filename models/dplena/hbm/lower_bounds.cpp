#include "models/dplena/hbm/lower_bounds.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/hbm/prefetch_cache.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;
using sim::divide_up;

constexpr std::int64_t columns_of_a_row = 8;

/// Whether the address ranges of prefetches that fetch data for the first time follow each other without a gap.
bool without_gaps(Program const& program) {
    auto const& d = program.design();
    if (d.mode == Mode::edge) return d.vocab % d.v_chunk == 0;
    return d.preload * d.block_length * d.vocab % (d.prefetch * d.vlen) == 0;
}

/// Number of consecutive lines in one column of their rows: each bank holds one half of two of these lines.
std::int64_t lines_of_a_column(Design const& d) { return d.channels * AddressMap::banks; }

/// Reads of one prefetch over the number of pseudo-channels, rounded up: a lower bound for the busiest pseudo-channel.
std::int64_t even_reads(Design const& d) { return divide_up(2 * d.lines_per_prefetch(), pseudo_channels(d)); }

/// Lower bound of the ticks that row activations add to all prefetches whose busiest pseudo-channel has `reads` reads,
/// from the number of prefetches that open rows.
double counted_ticks(Program const& program, HbmTiming const& t, std::int64_t bus, std::int64_t reads) {
    auto const& d = program.design();
    auto const row_activations = row_activations_of(program);
    auto const open = t.precharge + t.activate_to_read, filled = (reads - 1) * bus;
    auto const data_reads = std::max<std::int64_t>(1, 2 * d.prefetch * d.data_lines() / pseudo_channels(d));
    auto const fresh = std::max<std::int64_t>(0, open + (data_reads - 1) * bus - filled);
    auto const switched = std::max<std::int64_t>(0, open - filled);
    return as_double(row_activations.in_new_rows * fresh +
                     (row_activations.conflicts - row_activations.in_new_rows) * switched);
}

/// Lower bound of the ticks by which a refresh delays a prefetch, if it begins at most `before` ticks before the
/// prefetch. It may begin while the last read of a prefetch arrives, or in the distance between two reads; after it all
/// banks are closed.
double refresh_delay(HbmTiming const& t, double before) {
    auto const apart = as_double(*std::max_element(t.bus.begin(), t.bus.end()));
    auto const quiet = as_double(t.refresh_duration + t.activate_to_read);
    return std::max(0.0, quiet - as_double(t.read_latency + t.burst) - apart - before);
}

/// One kind of intervals without a prefetch in flight: upper bounds of their number and of their length.
struct Waits {
    double count = 0.0, longest = 0.0;
    /// Upper bound of the number of refreshes that begin in these intervals.
    [[nodiscard]] double refreshes(double interval) const { return count * (std::floor(longest / interval) + 1.0); }
};

/// The longest intervals without a prefetch: at the end of a row or of a group of sequences, and at the start.
Waits long_waits(Program const& program) {
    auto const& d = program.design();
    auto const before = program.prologue().sum() + program.preload_header(program.costs().immediate_limit + 1).sum();
    auto const rows = d.mode == Mode::edge ? d.rows() : program.preloads();
    auto const each = program.total().sum() / std::max<std::int64_t>(1, rows) + 1;
    auto const published = 5 * d.block_length + 6 * program.costs().scalar;
    auto const longer = std::max<std::int64_t>(0, program.tail().sum() - published);
    return {as_double(rows + 2), as_double(before + each + longer)};
}

/// The intervals between the preloads of a row that has several.
Waits short_waits(Program const& program) {
    auto const& d = program.design();
    if (d.mode == Mode::performance) return {};
    auto const vectors = d.vectors_per_chunk();
    auto const first = program.maximum_pass(vectors).sum(), second = program.sum_pass(vectors).sum();
    auto passes = program.fetches_per_chunk() > 1 ? std::max(first, second) : first + second;
    if (d.softmax == SoftmaxForm::plain)
        passes = std::max(passes, program.probability_pass(vectors).sum()) + program.before_probabilities(0).sum();
    auto const header = program.preload_header(program.costs().immediate_limit + 1) +
                        program.prefetch_bumps(program.prefetches_per_preload());
    auto const other = header + program.between_passes(0) + program.chunk_end();
    return {as_double(program.preloads()), as_double(passes + other.sum())};
}

/// Lower bound of the ticks that `refreshes` refreshes add: as many as possible begin where the delay is least.
double total_refresh_delay(double refreshes, Program const& program, HbmTiming const& t) {
    double ticks = 0.0;
    for (auto const& waits : {long_waits(program), short_waits(program)}) {
        auto const here = std::min(refreshes, waits.refreshes(as_double(t.refresh_interval)));
        ticks += here * refresh_delay(t, waits.longest);
        refreshes -= here;
    }
    return ticks + refreshes * refresh_delay(t, as_double(program.prefetch_bumps(1).sum()));
}

/// Number of refreshes that begin in a run of `cycles`.
double begun_in(double cycles, HbmTiming const& t) {
    return std::max(0.0, std::floor((cycles - 1.0) / as_double(t.refresh_interval)));
}

/// Lower bound of a run of `cycles` with at least `refreshes` refreshes and with row activations. With exactly this
/// number of refreshes the run includes the row ticks that they leave; with more it lasts until the next one has begun.
double with_rows(double cycles, double refreshes, Program const& program, HbmTiming const& t, RowTicks const& rows) {
    constexpr int rounds = 4;
    auto const interval = as_double(t.refresh_interval);
    double lower = 0.0;
    for (int i = 0; i < rounds; ++i) {
        auto const delay = total_refresh_delay(refreshes, program, t);
        auto const just = cycles + rows.ticks - refreshes * rows.lost_by_a_refresh + delay;
        auto const next = (refreshes + 1.0) * interval + 1.0;
        lower = std::min(just, next);
        if (just < next) break;
        // A run with this number of refreshes would last beyond the next one: continue with the next possible number.
        refreshes = std::floor((cycles + rows.ticks + delay - interval - 1.0) / (interval + rows.lost_by_a_refresh));
        refreshes += 1.0;
    }
    return lower;
}

constexpr std::int64_t banks_of_a_pseudo_channel = 16;
/// Smallest number of channels with which the mapping folds no bit of the column into the bank.
constexpr std::int64_t channels_that_take_the_fold = 16;
/// Number of aligned lines whose halves share banks with each other and with no other line of the column.
constexpr std::int64_t lines_that_share = 4;
/// Upper bound of the commands for two reads in each pseudo-channel before a row that was closed for them can be open.
constexpr std::int64_t commands_of_a_first_vector = 4;

bool is_power(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

/// Lines of data per line of scales; 0 if that is not a whole number.
std::int64_t lines_of_data_a_scale(Design const& d) {
    auto const bits = d.element_bits() * d.mx_block;
    return bits % 8 == 0 ? bits / 8 : 0;
}

/// Lines of data before the last scales that are the first in their banks; the prefetch has `lines` lines of scales.
std::int64_t data_before_last_scales(Design const& d, std::int64_t lines) {
    auto const per_vector = lines / d.prefetch;
    auto const vectors_after = per_vector >= lines_that_share ? 0 : per_vector >= 2 ? 1 : 3 * d.prefetch / lines - 1;
    return (d.prefetch - vectors_after) * d.data_lines();
}

/// Reads of the last scales that share a bank, in which two lines have halves. A vector with many lines of scales reads
/// one of these lines or all, depending on scale_lines().
std::int64_t reads_of_last_scales(Design const& d, std::int64_t lines) {
    auto const per_vector = lines / d.prefetch;
    if (per_vector >= lines_that_share) return d.scale_lines() > 1 ? 2 : 1;
    return per_vector >= 2 ? 2 : 2 * d.prefetch / lines;
}

/// Bytes of four aligned lines: the last two access the same banks as the first two.
constexpr std::int64_t bytes_that_meet = 4 * line_bytes;

std::int64_t lines_of_a_row(Design const& d) { return columns_of_a_row * lines_of_a_column(d); }

/// Upper bound of the number of rows that data and scales of the mask have opened before.
std::int64_t rows_of_mask(Program const& program) {
    auto const& d = program.design();
    if (program.mask_prefetches() == 0) return 0;
    auto const bytes =
        std::max<std::int64_t>(8, d.element_bits()) / 4 * d.batch * d.vlen + d.batch * d.vlen / d.mx_block;
    return bytes / (lines_of_a_row(d) * line_bytes) + 2;
}

/// Number of prefetches per row that lie in its first column and are the first to access their banks in this row.
std::int64_t new_rows_in_a_row(Design const& d) {
    auto const lines = d.prefetch * d.data_lines(), column = lines_of_a_column(d);
    auto const inside = column % lines == 0 ? column / lines : std::max<std::int64_t>(0, (column + 1) / lines - 1);
    if (lines % 4 == 0) return inside;
    return lines <= 2 && d.channels > 1 ? inside / 2 : 0;
}

std::int64_t in_new_rows(Program const& program) {
    auto const& d = program.design();
    auto const first_time = program.distinct_prefetches() / program.fetches_per_chunk();
    auto const rows = first_time * d.prefetch * d.data_lines() / lines_of_a_row(d);
    return std::max<std::int64_t>(0, rows - 1 - rows_of_mask(program)) * new_rows_in_a_row(d);
}

/// Whether a whole number of vectors shares a line of scales, or each vector has whole lines.
bool even_scales(Design const& d) {
    auto const bytes = d.vlen / d.mx_block;
    return line_bytes % bytes == 0 || bytes % line_bytes == 0;
}

/// Number of prefetches that are the first to read a line of scales, in banks that no line of scales has accessed
/// shortly before.
std::int64_t first_at_scales(Design const& d, std::int64_t prefetches) {
    auto const bytes = d.prefetch * d.vlen / d.mx_block;
    if (bytes >= bytes_that_meet) return prefetches;
    auto const firsts = prefetches * bytes / bytes_that_meet;
    return bytes <= line_bytes ? 2 * firsts : firsts;
}

std::int64_t conflicts(Program const& program) {
    auto const& d = program.design();
    if (program.fetches_per_chunk() > 1 || d.channels == 1 || d.scale_lines() == 0 || !even_scales(d)) return 0;
    auto const prefetches = program.distinct_prefetches(), lines = d.prefetch * d.data_lines();
    auto const all_banks = divide_up(2 * lines_of_a_column(d), lines);  // prefetches that access every bank
    auto const scale_lines = prefetches * (d.prefetch * d.vlen / d.mx_block) / line_bytes;
    auto const columns = scale_lines / lines_of_a_column(d) + 2;
    auto const shared_row = prefetches * lines % lines_of_a_row(d) / lines + 2;
    return std::max<std::int64_t>(0, first_at_scales(d, prefetches) - (columns + 1) * (all_banks + 2) - shared_row);
}

/// Numbers of consecutive lines (anywhere; aligned) that contain two lines which are two apart within four aligned
/// ones: halves of these two share a pseudo-channel.
constexpr std::int64_t lines_that_meet = 5, aligned_lines_that_meet = 3, lines_that_may_meet = 4;
/// Number of lines, each two apart from the next, that contain two within four aligned ones.
constexpr std::int64_t even_lines_that_meet = 3;

/// Distance in elements from one unit of contiguous prefetches to the next.
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

/// Number of pseudo-channels that lines at a distance of `lines` reach. Each line is in two pseudo-channels (with a
/// single channel: in one).
std::int64_t reached(Design const& d, std::int64_t lines) {
    auto const all = pseudo_channels(d);
    auto const common = std::gcd(lines, all);
    if (d.channels == 1 || common <= 2) return all / common;
    return 2 * all / common;
}

/// Upper bound of the number of columns that `lines` consecutive lines touch.
std::int64_t columns_touched(Design const& d, std::int64_t lines) {
    auto const column = lines_of_a_column(d);
    bool const inside = column % lines == 0 && scales_aligned(d, lines * line_bytes);
    return inside ? 1 : (lines - 1) / column + 2;
}

/// Lower bound of the reads of scales in the busiest pseudo-channel, if each vector has lines of its own, `apart` lines
/// apart.
std::int64_t scales_apart(Design const& d, std::int64_t apart) {
    auto const vectors = divide_up(d.prefetch, columns_touched(d, d.prefetch * apart));
    bool const four = scales_aligned(d, lines_that_may_meet * line_bytes);
    auto const met = apart == 1 ? (four ? aligned_lines_that_meet : lines_that_meet)
                     : four     ? even_lines_that_meet - 1
                                : even_lines_that_meet;
    bool const meet = apart <= 2 && d.prefetch >= met;
    return std::max<std::int64_t>(divide_up(2 * vectors, reached(d, apart)), meet ? 2 : 1);
}

/// The same if vectors with `bytes` bytes of scales each share lines.
std::int64_t scales_shared(Design const& d, std::int64_t bytes) {
    auto const all = d.prefetch * bytes;
    bool const whole = all % line_bytes == 0 || line_bytes % all == 0;
    auto const lines = whole && scales_aligned(d, all) ? divide_up(all, line_bytes) : (all - bytes) / line_bytes + 2;
    bool const fours = all % (lines_that_may_meet * line_bytes) == 0;
    if (fours && scales_aligned(d, lines_that_may_meet * line_bytes)) return divide_up(2 * d.prefetch, lines);
    return divide_up(d.prefetch, lines);
}

std::int64_t busiest_scales(Design const& d) {
    if (d.scale_lines() == 0) return 0;
    auto const bytes = d.vlen / d.mx_block;
    auto const even = divide_up(2 * d.prefetch * d.scale_lines(), pseudo_channels(d));
    if (d.scale_lines() > 1 || (bytes > line_bytes && bytes % line_bytes != 0)) return even;
    return std::max(even, bytes < line_bytes ? scales_shared(d, bytes) : scales_apart(d, bytes / line_bytes));
}

/// Lower bound of the reads of data in the busiest pseudo-channel, if `lines` is not a multiple of the number of
/// pseudo-channels.
std::int64_t busiest_data(Design const& d, std::int64_t lines) {
    auto const whole = lines / pseudo_channels(d);
    if (whole > 0) return 2 * whole + 1;
    bool const meet =
        lines >= lines_that_meet || (lines >= aligned_lines_that_meet && data_aligned(d, lines_that_may_meet));
    return meet || d.channels == 1 ? 2 : 1;
}

}  // namespace

PrefetchLowerBound::PrefetchLowerBound(Program const& program, HbmTiming const& hbm2) {
    auto const& d = program.design();
    auto const clocks = clocks_of(d, hbm2);
    auto const timing = timing_of(hbm2, d.generation_of_hbm);
    auto const ticks = timing.bus[static_cast<std::size_t>(d.bus)];
    auto const busiest = busiest_reads(program);
    latency = as_double(timing.read_latency + timing.burst);
    bus = as_double(ticks);
    of_mask = latency + as_double((even_reads(d) - 1) * ticks);
    alone = latency + as_double((busiest - 1) * ticks);
    reads_per_channel = as_double(d.lines_per_prefetch()) / as_double(d.channels);
    outstanding = as_double(fetching_of(d).outstanding);
    if (!has_clocks_of_hbm2(d)) {
        // Commands and data wait for edges of their clocks, which makes nothing earlier.
        for (auto* member : {&latency, &bus, &of_mask, &alone}) *member *= clocks.cycles_per_tick();
        return;
    }
    if (outstanding > 1.0) return;
    auto const aligned = AlignedLowerBound::of(program, timing, busiest);
    auto const lower = timing.read_latency + timing.burst + (busiest - 1) * ticks;
    auto const rows = aligned ? RowTicks{aligned->beyond(lower), aligned->lost_by_a_refresh(lower)} : RowTicks{};
    if (d.refresh == Refresh::on) {
        row_ticks_with_refresh = rows;
    } else {
        row_ticks = std::max(counted_ticks(program, timing, ticks, busiest), rows.ticks);
    }
}

double PrefetchLowerBound::consecutive(double prefetches) const {
    if (outstanding == 1.0 || prefetches == 0.0) return prefetches * alone;
    auto const reads = std::ceil(prefetches * reads_per_channel);
    return std::max(latency + (reads - 1.0) * bus, std::ceil(prefetches / outstanding) * alone);
}

double PrefetchLowerBound::busy(double prefetches) const {
    return std::max(prefetches * alone / outstanding, prefetches * reads_per_channel * bus);
}

double refreshes_of_alternating(Program const& program, HbmTiming const& timing, double cycles, RowTicks const& rows) {
    if (program.design().refresh == Refresh::off || program.preloads() == 0) return 0.0;
    if (!has_clocks_of_hbm2(program.design())) return 0.0;
    constexpr int rounds = 4;  // each round gives a valid lower bound; they increase towards a fixed point
    double ticks = 0.0;
    for (int i = 0; i < rounds; ++i) ticks = total_refresh_delay(begun_in(cycles + ticks, timing), program, timing);
    if (rows.ticks == 0.0) return ticks;
    return std::max(ticks, with_rows(cycles, begun_in(cycles + ticks, timing), program, timing, rows) - cycles);
}

double refreshes_of_overlapped(HbmTiming const& timing, Refresh refresh, double ticks) {
    if (refresh == Refresh::off) return 0.0;
    auto const interval = as_double(timing.refresh_interval), duration = as_double(timing.refresh_duration);
    auto const share = refresh_delay(timing, 0.0) / interval;
    // Number of complete refreshes in a run of T ticks: more than (T - duration) / interval - 1.
    return std::max(0.0, (share * (ticks - duration - interval)) / (1.0 - share));
}

std::optional<AlignedLowerBound> AlignedLowerBound::of(Program const& program, HbmTiming const& t, std::int64_t reads) {
    auto const& d = program.design();
    auto const parts = pseudo_channels(d), lines = d.prefetch * d.data_lines();
    if (d.channels < channels_that_take_the_fold || d.scale_lines() == 0 || program.fetches_per_chunk() != 1 ||
        lines % parts != 0)
        return {};
    AlignedLowerBound lower;
    lower.banks_ = lines / parts;
    lower.ratio_ = lines_of_data_a_scale(d);
    if (!is_power(lower.banks_) || lower.banks_ > banks_of_a_pseudo_channel || !is_power(lower.ratio_)) return {};
    bool const in_step = lower.ratio_ == 1 && d.scale_lines() == 1 && d.data_lines() == parts;
    if (lower.ratio_ == 1 && !in_step) return {};
    if (lines / lower.ratio_ < lines_that_share || !without_gaps(program)) return {};
    lower.before_scales_ = data_before_last_scales(d, lines / lower.ratio_) / parts;
    lower.prefetches_ = program.distinct_prefetches();
    lower.turn_ = banks_of_a_pseudo_channel / lower.banks_;
    lower.turn_bits_ = std::countr_zero(static_cast<std::uint64_t>(lower.turn_));
    lower.ratio_bits_ = std::countr_zero(static_cast<std::uint64_t>(lower.ratio_));
    lower.period_ = lower.turn_ * std::max(lower.ratio_, columns_of_a_row);
    lower.set_ticks(d, t, reads);
    return lower;
}

void AlignedLowerBound::set_ticks(Design const& d, HbmTiming const& t, std::int64_t reads) {
    auto const latency = t.read_latency + t.burst, open = t.precharge + t.activate_to_read;
    auto const parts = pseudo_channels(d);
    auto const scale_reads = reads_of_last_scales(d, banks_ * parts / ratio_);
    auto const opened_twice = latency + t.precharge + t.activate_to_precharge + open;
    bus_ = t.bus[static_cast<std::size_t>(d.bus)];
    activate_to_read_ = t.activate_to_read;
    bus_fills_ = bus_ == 2 && t.same_group <= 2;
    opens_for_scales_ = latency + open + (scale_reads - 1) * bus_;
    opens_first_ = latency + open + (reads - 1) * bus_;
    if (ratio_ > 1 && d.data_lines() <= parts && t.precharge >= commands_of_a_first_vector)
        scales_before_data_ = opened_twice + (d.data_lines() == parts ? 2 : 0) + bus_;
    bool const closed_at_once = bus_ == 4 && t.read_to_precharge == 3 && t.same_group <= 4 && t.precharge >= 6;
    if (ratio_ > 1 || banks_ > 4 || 5 * banks_ > t.read_queue || prefetches_ % first() != 0 || !closed_at_once) return;
    scales_close_data_ = opened_twice + (banks_ > 1 ? 2 : 3) + (banks_ - 1) * bus_;
}

std::int64_t AlignedLowerBound::first() const { return turn_ * columns_of_a_row; }
std::int64_t AlignedLowerBound::end() const { return std::max(first(), prefetches_ / first() * first()); }

bool AlignedLowerBound::opens_first(std::int64_t index) const { return (index >> turn_bits_) % columns_of_a_row == 0; }

std::int64_t AlignedLowerBound::place_of_scales(std::int64_t index) const {
    return (prefetches_ + (index >> ratio_bits_)) & (turn_ - 1);
}

bool AlignedLowerBound::meets_own_scales(std::int64_t index) const {
    return place_of_scales(index) == (index & (turn_ - 1));
}

std::int64_t AlignedLowerBound::scales_since_last_visit(std::int64_t index) const {
    std::int64_t sum = 0;
    for (auto at = index - turn_; at < index;) {
        auto const next = std::min(index, ((at >> ratio_bits_) + 1) << ratio_bits_);
        if (place_of_scales(at) == (index & (turn_ - 1))) sum += next - at;
        at = next;
    }
    return sum;
}

std::int64_t AlignedLowerBound::first_tick_of_scales(std::int64_t index) const {
    if (before_scales_ == 0) return 0;
    constexpr std::int64_t first_of_either_pseudo_channel = 2;
    if (!bus_fills_ || opens_first(index) || meets_own_scales(index)) return first_of_either_pseudo_channel;
    auto const closed = scales_since_last_visit(index) * sim::divide_up(banks_, ratio_);
    return std::max(first_of_either_pseudo_channel, 2 * (before_scales_ - closed) * bus_);
}

std::int64_t AlignedLowerBound::ticks(std::int64_t index) const {
    auto lower = opens_for_scales_ + first_tick_of_scales(index);
    lower = std::max(lower, opens_first(index) ? opens_first_ : scales_close_data_);
    bool const behind_first_bank = (index & (ratio_ - 1)) * banks_ >= ratio_;
    return meets_own_scales(index) && behind_first_bank ? std::max(lower, scales_before_data_) : lower;
}

double AlignedLowerBound::beyond(std::int64_t alone) const {
    auto const all = end() - first(), periods = all / period_, rest = all % period_;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < (periods > 0 ? period_ : rest); ++i)
        sum += std::max<std::int64_t>(0, ticks(first() + i) - alone) * (periods + (i < rest ? 1 : 0));
    return static_cast<double>(sum);
}

double AlignedLowerBound::lost_by_a_refresh(std::int64_t alone) const {
    auto const scales = opens_for_scales_ + std::max<std::int64_t>(2, 2 * before_scales_ * bus_);
    auto const max =
        std::max<std::int64_t>(0, std::max({scales, opens_first_, scales_before_data_, scales_close_data_}) - alone);
    // The prefetch in flight and the next one in its banks; between them, prefetches that find all of their banks
    // closed.
    return static_cast<double>(2 * max + (turn_ - 1) * std::max<std::int64_t>(0, max - activate_to_read_));
}

RowActivations row_activations_of(Program const& program) {
    if (program.logit_prefetches() == 0 || !without_gaps(program)) return {};
    auto const new_rows = in_new_rows(program);
    return {new_rows, std::max(new_rows, conflicts(program))};
}

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
