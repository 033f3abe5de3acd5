#include "models/dplena/hbm/prefetch_memory.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Whether every timer has run out when a prefetch ends: its last read was issued read_time() ago, its last ACT another
/// activate_to_read before that, and a bank is only opened again behind a PRE.
bool forgets(ChannelTiming const& timing) {
    auto const& t = timing.rules;
    auto const since_read = timing.read_time();
    auto const since_activate = since_read + t.activate_to_read;
    return since_read >= std::max({timing.bus, t.same_group, t.read_to_precharge}) &&
           since_activate + t.precharge >= t.row_cycle &&
           since_activate >=
               std::max({t.activate_to_precharge, t.activate_gap, t.activate_gap_group, t.row_bus, t.four_activates});
}

}  // namespace

PrefetchMemory::PrefetchMemory(Hbm const& hbm, Fetching const& fetching)
    : timing_(hbm.timing, fetching.bus),
      channels_(fetching.channels),
      refresh_(fetching.refresh),
      reads_worth_a_shape_(hbm.memory.reads_worth_a_shape),
      open_(static_cast<std::size_t>(channels_) * AddressMap::banks, Channel::closed),
      reads_(fetching),
      outcomes_(timing_, channels_, hbm.memory),
      shapes_(fetching, hbm.memory) {
    sim::expects(forgets(timing_), "no HBM timer outlives a prefetch");
}

/// Applies the refreshes that have begun by `start`; returns when commands may be issued.
std::int64_t PrefetchMemory::after_refresh(std::int64_t start) {
    if (refresh_ == Refresh::off) return start;
    auto const begun = start / timing_.rules.refresh_interval;
    if (begun > refreshes_) {
        std::fill(open_.begin(), open_.end(), Channel::closed);
        refreshes_ = begun;
    }
    return begun == 0 ? start
                      : std::max(start, begun * timing_.rules.refresh_interval + timing_.rules.refresh_duration);
}

std::int64_t PrefetchMemory::through_refresh(std::span<HbmAddress const> reads, std::int64_t start) {
    Controller controller(timing_, channels_, Refresh::on, next_refresh());
    for (std::size_t i = 0; i < open_.size(); ++i) {
        controller.set_open_row(static_cast<std::uint32_t>(i / AddressMap::banks),
                                static_cast<std::uint32_t>(i % AddressMap::banks), open_[i]);
    }
    controller.present(reads, start);
    auto const end = controller.finish_oldest();
    for (std::size_t i = 0; i < open_.size(); ++i) {
        open_[i] = controller.open_row(static_cast<std::uint32_t>(i / AddressMap::banks),
                                       static_cast<std::uint32_t>(i % AddressMap::banks));
    }
    refreshes_ = controller.last_read() / timing_.rules.refresh_interval;
    return end;
}

std::int64_t PrefetchMemory::fetch(std::span<HbmAddress const> reads, std::int64_t start) {
    auto const begin = after_refresh(start);
    auto const last = begin + outcomes_.plan(reads, open_);
    if (meets_refresh(last)) return through_refresh(reads, begin);
    outcomes_.carry_out(reads, open_);
    return last + timing_.read_time();
}

std::int64_t PrefetchMemory::fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start) {
    auto const address = reads_.address(base, scales, offset);
    if (static_cast<std::int64_t>(reads_.count()) < reads_worth_a_shape_) return fetch(reads_.of(address), start);
    auto const begin = after_refresh(start);
    auto const last = begin + shapes_.plan(address, open_, outcomes_);
    if (meets_refresh(last)) return through_refresh(reads_.of(address), begin);
    shapes_.carry_out(open_);
    return last + timing_.read_time();
}

}  // namespace pimdse::models::dplena
