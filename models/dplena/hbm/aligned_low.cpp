#include "models/dplena/hbm/aligned_low.hpp"

#include "models/dplena/hbm/busiest.hpp"
#include "models/dplena/hbm/openings.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>

namespace pimdse::models::dplena {
namespace {

constexpr std::int64_t banks_of_a_pseudo_channel = 16;
/// So many channels take up all bits of a column that the mapping folds into others than the bank's.
constexpr std::int64_t channels_that_take_the_fold = 16;
/// Lines whose halves share banks, and share them with no others of a column.
constexpr std::int64_t lines_that_share = 4;
/// Commands for two reads in each pseudo-channel at most, before a row that was closed for them can be open.
constexpr std::int64_t commands_of_a_first_vector = 4;

bool is_power(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

/// Lines of data for a line of scales; 0 where that is no whole number.
std::int64_t lines_of_data_a_scale(Design const& d) {
    auto const bits = d.element_bits() * d.mx_block;
    return bits % 8 == 0 ? bits / 8 : 0;
}

/// Lines of data before the last scales that are the first to read their banks, `lines` of scales in all.
std::int64_t data_before_last_scales(Design const& d, std::int64_t lines) {
    auto const of_a_vector = lines / d.prefetch;
    auto const vectors_behind = of_a_vector >= lines_that_share ? 0 : of_a_vector >= 2 ? 1 : 3 * d.prefetch / lines - 1;
    return (d.prefetch - vectors_behind) * d.data_lines();
}

/// Reads of the last scales that share a bank, which are two lines' halves; a vector of many lines reads one of them or
/// all.
std::int64_t reads_of_last_scales(Design const& d, std::int64_t lines) {
    auto const of_a_vector = lines / d.prefetch;
    if (of_a_vector >= lines_that_share) return d.scale_lines() > 1 ? 2 : 1;
    return of_a_vector >= 2 ? 2 : 2 * d.prefetch / lines;
}

}  // namespace

std::optional<AlignedLow> AlignedLow::of(Program const& program, HbmTiming const& t, std::int64_t reads) {
    auto const& d = program.design();
    auto const parts = pseudo_channels(d), lines = d.prefetch * d.data_lines();
    if (d.channels < channels_that_take_the_fold || program.fetches_per_chunk() != 1 || lines % parts != 0) return {};
    AlignedLow low;
    low.banks_ = lines / parts;
    low.ratio_ = lines_of_data_a_scale(d);
    if (!is_power(low.banks_) || low.banks_ > banks_of_a_pseudo_channel || !is_power(low.ratio_)) return {};
    bool const in_step = low.ratio_ == 1 && d.scale_lines() == 1 && d.data_lines() == parts;
    if (low.ratio_ == 1 && !in_step) return {};
    if (lines / low.ratio_ < lines_that_share || !without_gaps(program)) return {};
    low.before_scales_ = data_before_last_scales(d, lines / low.ratio_) / parts;
    low.prefetches_ = program.distinct_prefetches();
    low.turn_ = banks_of_a_pseudo_channel / low.banks_;
    low.turn_bits_ = std::countr_zero(static_cast<std::uint64_t>(low.turn_));
    low.ratio_bits_ = std::countr_zero(static_cast<std::uint64_t>(low.ratio_));
    low.period_ = low.turn_ * std::max(low.ratio_, columns_of_a_row);
    low.set_ticks(d, t, reads);
    return low;
}

void AlignedLow::set_ticks(Design const& d, HbmTiming const& t, std::int64_t reads) {
    auto const latency = t.read_latency + t.burst, open = t.precharge + t.activate_to_read;
    auto const parts = pseudo_channels(d);
    auto const of_scales = reads_of_last_scales(d, banks_ * parts / ratio_);
    auto const opened_twice = latency + t.precharge + t.activate_to_precharge + open;
    bus_ = t.bus[static_cast<std::size_t>(d.bus)];
    activate_to_read_ = t.activate_to_read;
    bus_fills_ = bus_ == 2 && t.same_group <= 2;
    opened_ = latency + open + (of_scales - 1) * bus_;
    fresh_ = latency + open + (reads - 1) * bus_;
    if (ratio_ > 1 && d.data_lines() <= parts && t.precharge >= commands_of_a_first_vector)
        early_ = opened_twice + (d.data_lines() == parts ? 2 : 0) + bus_;
    bool const closed_at_once = bus_ == 4 && t.read_to_precharge == 3 && t.same_group <= 4 && t.precharge >= 6;
    if (ratio_ > 1 || banks_ > 4 || 5 * banks_ > t.read_queue || prefetches_ % first() != 0 || !closed_at_once) return;
    caught_ = opened_twice + (banks_ > 1 ? 2 : 3) + (banks_ - 1) * bus_;
}

std::int64_t AlignedLow::first() const { return turn_ * columns_of_a_row; }
std::int64_t AlignedLow::end() const { return std::max(first(), prefetches_ / first() * first()); }

/// The first column of a row: its banks have another row open.
bool AlignedLow::is_fresh(std::int64_t index) const { return (index >> turn_bits_) % columns_of_a_row == 0; }

/// Which prefetch of a turn reads the banks in which the scales of prefetch `index` lie.
std::int64_t AlignedLow::place_of_scales(std::int64_t index) const {
    return (prefetches_ + (index >> ratio_bits_)) & (turn_ - 1);
}

bool AlignedLow::meets_own_scales(std::int64_t index) const { return place_of_scales(index) == (index & (turn_ - 1)); }

/// Prefetches since the one that read the same banks, that one included, whose scales lie there.
std::int64_t AlignedLow::scales_since_last_visit(std::int64_t index) const {
    std::int64_t sum = 0;
    for (auto at = index - turn_; at < index;) {
        auto const next = std::min(index, ((at >> ratio_bits_) + 1) << ratio_bits_);
        if (place_of_scales(at) == (index & (turn_ - 1))) sum += next - at;
        at = next;
    }
    return sum;
}

/// Before which no command for the last line of scales is issued.
std::int64_t AlignedLow::first_tick_of_scales(std::int64_t index) const {
    if (before_scales_ == 0) return 0;
    constexpr std::int64_t first_of_either_pseudo_channel = 2;
    if (!bus_fills_ || is_fresh(index) || meets_own_scales(index)) return first_of_either_pseudo_channel;
    auto const closed = scales_since_last_visit(index) * sim::divide_up(banks_, ratio_);
    return std::max(first_of_either_pseudo_channel, 2 * (before_scales_ - closed) * bus_);
}

std::int64_t AlignedLow::ticks(std::int64_t index) const {
    auto low = opened_ + first_tick_of_scales(index);
    low = std::max(low, is_fresh(index) ? fresh_ : caught_);
    bool const behind_first_bank = (index & (ratio_ - 1)) * banks_ >= ratio_;
    return meets_own_scales(index) && behind_first_bank ? std::max(low, early_) : low;
}

double AlignedLow::beyond(std::int64_t alone) const {
    auto const all = end() - first(), periods = all / period_, rest = all % period_;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < (periods > 0 ? period_ : rest); ++i)
        sum += std::max<std::int64_t>(0, ticks(first() + i) - alone) * (periods + (i < rest ? 1 : 0));
    return static_cast<double>(sum);
}

double AlignedLow::lost_by_a_refresh(std::int64_t alone) const {
    auto const scales = opened_ + std::max<std::int64_t>(2, 2 * before_scales_ * bus_);
    auto const most = std::max<std::int64_t>(0, std::max({scales, fresh_, early_, caught_}) - alone);
    // The prefetch under way and the next in its banks, and between them those that find all of theirs closed.
    return static_cast<double>(2 * most + (turn_ - 1) * std::max<std::int64_t>(0, most - activate_to_read_));
}

}  // namespace pimdse::models::dplena
