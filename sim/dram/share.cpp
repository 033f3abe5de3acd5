#include "sim/dram/share.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace pimdse::sim::dram {
namespace {

/// Behind every transaction of a run, and small enough to be multiplied by the number of runs.
constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max() / Share::most_runs / 2;

}  // namespace

Share::Share(Mapping const& mapping, Stream const& stream, std::size_t first, std::size_t count)
    : mapping_(mapping), stream_(stream), first_(first), count_(count), runs_(stream.runs()) {
    bool const all = count_ == std::size_t{1} << mapping.masks(Field::channel).size();
    if (!all && count_ == 1 && runs_ && runs_->count <= most_runs)
        order_.emplace(mapping, static_cast<std::uint32_t>(first));
}

Share::Part Share::fill(std::uint64_t from, std::span<Numbered> out) const {
    return order_ ? deal(from, out) : look_through(from, out);
}

Share::Part Share::look_through(std::uint64_t from, std::span<Numbered> out) const {
    std::array<Transaction, most_requests> block;
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

/// Goes on from request `nested` of the loops.
Share::Head Share::head(std::uint64_t run, std::uint64_t nested) const {
    Head head{runs_->base + run * runs_->stride, 0, 0, none};
    std::uint64_t const transaction = nested / runs_->count + (run < nested % runs_->count ? 1 : 0);
    head.rank = order_->below(head.begin + (transaction << mapping_.offset_bits()));
    if (head.rank < order_->size()) {
        head.address = order_->address(head.rank);
        place(head);
    }
    return head;
}

void Share::place(Head& head) const { head.transaction = (head.address - head.begin) >> mapping_.offset_bits(); }

/// Every run knows the next burst of the channel in it; of those that come in the same turn the first run's is first.
Share::Part Share::deal(std::uint64_t from, std::span<Numbered> out) const {
    std::uint64_t const nested = runs_->first + from, end = runs_->first + stream_.size();
    std::array<Head, most_runs> storage;
    std::span const heads(storage.data(), static_cast<std::size_t>(runs_->count));
    for (std::size_t run = 0; run < heads.size(); ++run) heads[run] = head(run, nested);
    for (std::size_t found = 0;;) {
        std::uint64_t turn = none;
        for (auto const& head : heads) turn = std::min(turn, head.transaction);
        for (std::size_t run = 0; run < heads.size(); ++run) {
            auto& head = heads[run];
            if (head.transaction != turn) continue;
            std::uint64_t const at = turn * runs_->count + run;
            if (at >= end) return {out.first(found), stream_.size()};
            if (found == out.size()) return {out.first(found), at - runs_->first};
            out[found++] = {at - runs_->first, {head.address, runs_->access}, mapping_.place(head.address)};
            advance(head);
        }
    }
}

void Share::advance(Head& head) const {
    if (head.rank + 1 == order_->size()) {
        head.transaction = none;
        return;
    }
    head.address = order_->next(head.rank++, head.address);
    place(head);
}

}  // namespace pimdse::sim::dram
