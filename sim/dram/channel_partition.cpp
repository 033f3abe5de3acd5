#include "sim/dram/channel_partition.hpp"

#include "sim/dram/gf2.hpp"
#include "sim/dram/mapping_class.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace pimdse::sim::dram {
namespace {

/// True if every run reaches every channel in the same pattern.
bool runs_reach_channels_alike(Stream::Runs const& runs, Mapping const& mapping) {
    std::uint64_t selecting = 0;
    for (auto const mask : mapping.masks(Field::channel)) selecting |= mask;
    int const unit = std::countr_zero(runs.base | runs.stride);
    return runs.count == 1 || (selecting >> std::min(unit, 63)) == 0;
}

/// The part of a bank's number that affects timing.
std::uint64_t visible_name(std::uint32_t bank, Organisation const& o, Visible visible) {
    auto const of_rank = static_cast<std::uint32_t>(o.bank_groups * o.banks);
    return (visible.rank_order ? bank / of_rank * of_rank : 0) + (visible.bank_order ? bank % of_rank : 0);
}

/// Later than every transaction of a run, and small enough to be multiplied by the number of runs.
constexpr std::uint64_t no_transaction = std::numeric_limits<std::uint64_t>::max() / ChannelPartition::max_runs / 2;

}  // namespace

EquivalentChannels::EquivalentChannels(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                       Options const& options)
    : mapping_(mapping), channels_(static_cast<std::size_t>(standard.organisation.channels)), runs_(stream.runs()) {
    bool const independent = options.front_end == FrontEndMode::independent && channels_ > 1;
    if (!independent || !runs_ || runs_->count > ChannelPartition::max_runs ||
        !runs_reach_channels_alike(*runs_, mapping))
        return;
    auto const visible = visible_to(standard, options);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        auto const& order = orders_.emplace_back(mapping, static_cast<std::uint32_t>(channel));
        auto& beginning = beginnings_.emplace_back();
        beginning.push_back(visible_name(mapping.place(order.lowest()).bank, standard.organisation, visible));
        for (std::uint64_t run = 0; run < runs_->count; ++run) beginning.push_back(bursts_before(channel, run, 0));
    }
}

/// Number of bursts of the channel that a run has passed after `length` requests of the stream.
std::uint64_t EquivalentChannels::bursts_before(std::size_t channel, std::uint64_t run, std::uint64_t length) const {
    std::uint64_t const transaction = length / runs_->count + (run < length % runs_->count ? 1 : 0);
    return orders_[channel].below(runs_->base + run * runs_->stride + (transaction << mapping_.offset_bits()));
}

std::uint64_t EquivalentChannels::requests(std::size_t channel, std::uint64_t length) const {
    std::uint64_t sum = 0;
    for (std::uint64_t run = 0; run < runs_->count; ++run)
        sum += bursts_before(channel, run, length) - beginnings_[channel][run + 1];
    return sum;
}

/// In each turn the runs deliver one burst of the channel each, in order.
std::uint64_t EquivalentChannels::prefix_with(std::size_t channel, std::uint64_t requests) const {
    if (requests == 0) return 0;
    auto const& order = orders_[channel];
    std::uint64_t const last = requests - 1;
    auto const address = order.address(order.below(runs_->base) + last / runs_->count);
    std::uint64_t const turn = (address - runs_->base) >> mapping_.offset_bits();
    return turn * runs_->count + last % runs_->count + 1;
}

std::vector<std::size_t> EquivalentChannels::representatives(std::uint64_t length) const {
    std::vector<std::size_t> of(channels_);
    std::iota(of.begin(), of.end(), std::size_t{0});
    std::map<std::pair<std::vector<std::uint64_t>, std::uint64_t>, std::size_t> first;
    for (std::size_t channel = 0; any() && channel < channels_; ++channel)
        of[channel] = first.try_emplace({beginnings_[channel], requests(channel, length)}, channel).first->second;
    return of;
}

std::vector<std::size_t> EquivalentChannels::longest(std::uint64_t length) const {
    std::map<std::vector<std::uint64_t>, std::size_t> max;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        auto& known = max.try_emplace(beginnings_[channel], channel).first->second;
        if (requests(channel, length) > requests(known, length)) known = channel;
    }
    std::vector<std::size_t> of(channels_);
    for (std::size_t channel = 0; channel < channels_; ++channel) of[channel] = max.at(beginnings_[channel]);
    return of;
}

ChannelPartition::ChannelPartition(Mapping const& mapping, Stream const& stream, std::size_t first, std::size_t count)
    : mapping_(mapping), stream_(stream), first_(first), count_(count), runs_(stream.runs()) {
    bool const all = count_ == std::size_t{1} << mapping.masks(Field::channel).size();
    if (!all && count_ == 1 && runs_ && runs_->count <= max_runs)
        order_.emplace(mapping, static_cast<std::uint32_t>(first));
}

ChannelPartition::Chunk ChannelPartition::fill(std::uint64_t from, std::span<NumberedRequest> out) const {
    return order_ ? merge_runs(from, out) : scan(from, out);
}

ChannelPartition::Chunk ChannelPartition::scan(std::uint64_t from, std::span<NumberedRequest> out) const {
    std::array<Transaction, max_requests> block;
    std::uint64_t const length = std::min<std::uint64_t>(out.size(), stream_.size() - from);
    stream_.fill(from, std::span(block.data(), static_cast<std::size_t>(length)));
    std::size_t found = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
        auto const& transaction = block[static_cast<std::size_t>(i)];
        Place const place = mapping_.place(transaction.address);
        if (place.channel - first_ < count_) out[found++] = {from + i, transaction, place};
    }
    return {out.first(found), from + length};
}

/// The next burst of a run from request `from` of the stream on.
ChannelPartition::RunCursor ChannelPartition::cursor_at(std::uint64_t run, std::uint64_t from) const {
    RunCursor cursor{runs_->base + run * runs_->stride, 0, 0, no_transaction};
    std::uint64_t const transaction = from / runs_->count + (run < from % runs_->count ? 1 : 0);
    cursor.burst = order_->below(cursor.begin + (transaction << mapping_.offset_bits()));
    if (cursor.burst < order_->size()) {
        cursor.address = order_->address(cursor.burst);
        set_transaction(cursor);
    }
    return cursor;
}

void ChannelPartition::set_transaction(RunCursor& cursor) const {
    cursor.transaction = (cursor.address - cursor.begin) >> mapping_.offset_bits();
}

/// Merges the bursts of the runs by turn; within a turn in order of the runs.
ChannelPartition::Chunk ChannelPartition::merge_runs(std::uint64_t from, std::span<NumberedRequest> out) const {
    std::array<RunCursor, max_runs> storage;
    std::span const cursors(storage.data(), static_cast<std::size_t>(runs_->count));
    for (std::size_t run = 0; run < cursors.size(); ++run) cursors[run] = cursor_at(run, from);
    for (std::size_t found = 0;;) {
        std::uint64_t turn = no_transaction;
        for (auto const& cursor : cursors) turn = std::min(turn, cursor.transaction);
        for (std::size_t run = 0; run < cursors.size(); ++run) {
            auto& cursor = cursors[run];
            if (cursor.transaction != turn) continue;
            std::uint64_t const at = turn * runs_->count + run;
            if (at >= stream_.size()) return {out.first(found), stream_.size()};
            if (found == out.size()) return {out.first(found), at};
            out[found++] = {at, {cursor.address, runs_->access}, mapping_.place(cursor.address)};
            advance(cursor);
        }
    }
}

void ChannelPartition::advance(RunCursor& cursor) const {
    if (cursor.burst + 1 == order_->size()) {
        cursor.transaction = no_transaction;
        return;
    }
    cursor.address = order_->next(cursor.burst++, cursor.address);
    set_transaction(cursor);
}

ChannelOrder::ChannelOrder(Mapping const& mapping, std::uint32_t channel) {
    gf2::Sums selecting;
    std::uint64_t sum = 0;
    for (int bit = mapping.offset_bits(); bit < mapping.address_bits(); ++bit) {
        std::uint64_t const address = std::uint64_t{1} << bit;
        auto const term = selecting.add({mapping.place(address).channel, address});
        if (term.vector != 0) continue;
        basis_[dimensions_] = term.word;
        steps_[dimensions_++] = sum ^= term.word;
    }
    lowest_ = selecting.reduced({channel, 0}).word;
}

std::uint64_t ChannelOrder::address(std::uint64_t number) const {
    std::uint64_t address = lowest_;
    for (std::uint64_t rest = number; rest != 0; rest &= rest - 1)
        address ^= basis_[static_cast<std::size_t>(std::countr_zero(rest))];
    return address;
}

std::uint64_t ChannelOrder::below(std::uint64_t address) const {
    std::uint64_t last = lowest_, number = 0;
    if (last >= address) return 0;
    for (std::size_t i = dimensions_; i-- > 0;) {
        if ((last ^ basis_[i]) >= address) continue;
        last ^= basis_[i];
        number |= std::uint64_t{1} << i;
    }
    return number + 1;
}

}  // namespace pimdse::sim::dram
