#include "sim/dram/alike.hpp"

#include "sim/dram/mapping_class.hpp"
#include "sim/dram/share.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace pimdse::sim::dram {
namespace {

/// A run and a channel meet in the same turns as any other two.
bool take_turns_alike(Stream::Runs const& runs, Mapping const& mapping) {
    std::uint64_t telling = 0;
    for (auto const mask : mapping.masks(Field::channel)) telling |= mask;
    int const unit = std::countr_zero(runs.base | runs.stride);
    return runs.count == 1 || (telling >> std::min(unit, 63)) == 0;
}

/// Of the names a channel adds to those of channel 0.
std::uint64_t seen_name(std::uint32_t bank, Organisation const& o, Visible visible) {
    auto const of_rank = static_cast<std::uint32_t>(o.bank_groups * o.banks);
    return (visible.rank_order ? bank / of_rank * of_rank : 0) + (visible.bank_order ? bank % of_rank : 0);
}

}  // namespace

Alike::Alike(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options)
    : mapping_(mapping), channels_(static_cast<std::size_t>(standard.organisation.channels)), runs_(stream.runs()) {
    bool const apart = options.front_end == FrontEnd::independent && channels_ > 1;
    if (!apart || !runs_ || runs_->count > Share::most_runs || !take_turns_alike(*runs_, mapping)) return;
    auto const visible = visible_to(standard, options);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        auto const& order = orders_.emplace_back(mapping, static_cast<std::uint32_t>(channel));
        auto& beginning = beginnings_.emplace_back();
        beginning.push_back(seen_name(mapping.place(order.lowest()).bank, standard.organisation, visible));
        for (std::uint64_t run = 0; run < runs_->count; ++run) beginning.push_back(bursts_before(channel, run, 0));
    }
}

/// Bursts of the channel below where a run is when the stream has come so far.
std::uint64_t Alike::bursts_before(std::size_t channel, std::uint64_t run, std::uint64_t length) const {
    std::uint64_t const nested = runs_->first + length;
    std::uint64_t const transaction = nested / runs_->count + (run < nested % runs_->count ? 1 : 0);
    return orders_[channel].below(runs_->base + run * runs_->stride + (transaction << mapping_.offset_bits()));
}

std::uint64_t Alike::requests(std::size_t channel, std::uint64_t length) const {
    std::uint64_t sum = 0;
    for (std::uint64_t run = 0; run < runs_->count; ++run)
        sum += bursts_before(channel, run, length) - beginnings_[channel][run + 1];
    return sum;
}

/// A burst of the channel is followed by those of the other runs in the same turn.
std::uint64_t Alike::length_with(std::size_t channel, std::uint64_t requests) const {
    if (requests == 0) return 0;
    auto const& order = orders_[channel];
    std::uint64_t before = 0;  // of the loops, ahead of the stream
    for (std::uint64_t run = 0; run < runs_->count; ++run)
        before += beginnings_[channel][run + 1] - order.below(runs_->base + run * runs_->stride);
    std::uint64_t const last = before + requests - 1;
    auto const address = order.address(order.below(runs_->base) + last / runs_->count);
    std::uint64_t const turn = (address - runs_->base) >> mapping_.offset_bits();
    return turn * runs_->count + last % runs_->count + 1 - runs_->first;
}

std::vector<std::size_t> Alike::same(std::uint64_t length) const {
    std::vector<std::size_t> of(channels_);
    std::iota(of.begin(), of.end(), std::size_t{0});
    std::map<std::pair<std::vector<std::uint64_t>, std::uint64_t>, std::size_t> first;
    for (std::size_t channel = 0; any() && channel < channels_; ++channel)
        of[channel] = first.try_emplace({beginnings_[channel], requests(channel, length)}, channel).first->second;
    return of;
}

std::vector<std::size_t> Alike::longest(std::uint64_t length) const {
    std::map<std::vector<std::uint64_t>, std::size_t> most;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        auto& known = most.try_emplace(beginnings_[channel], channel).first->second;
        if (requests(channel, length) > requests(known, length)) known = channel;
    }
    std::vector<std::size_t> of(channels_);
    for (std::size_t channel = 0; channel < channels_; ++channel) of[channel] = most.at(beginnings_[channel]);
    return of;
}

}  // namespace pimdse::sim::dram
