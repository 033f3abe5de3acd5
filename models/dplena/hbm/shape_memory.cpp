#include "models/dplena/hbm/shape_memory.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// A row that no prefetch touches.
constexpr std::int64_t elsewhere = Channel::closed - 1;

}  // namespace

ShapeMemory::ShapeMemory(Fetching const& fetching, PrefetchMemoryLimits const& limits)
    : reads_(fetching),
      limits_(limits),
      banks_(static_cast<std::size_t>(fetching.channels) * AddressMap::banks),
      row_shift_(AddressMap(fetching.channels).row_shift()),
      rows_spanned_((fetching.vlen * fetching.prefetch >> row_shift_) + 2) {}

ShapeMemory::FirstRows ShapeMemory::first_rows(PrefetchAddress const& address) const {
    return {static_cast<std::int64_t>(address.data >> row_shift_),
            static_cast<std::int64_t>(address.scale >> row_shift_)};
}

PrefetchShape ShapeMemory::shape_of(PrefetchAddress const& address) const {
    auto const mask = (1ULL << row_shift_) - 1;
    auto const first = first_rows(address);
    return {address.data & mask, address.scale & mask,
            std::clamp(first.scale - first.data, -rows_spanned_, rows_spanned_)};
}

PrefetchAddress ShapeMemory::standard(PrefetchShape const& shape) const {
    auto const rows = [this](std::int64_t row) { return static_cast<std::uint64_t>(row) << row_shift_; };
    return {rows(rows_spanned_) | shape.data, rows(rows_spanned_ + shape.rows_apart) | shape.scale};
}

std::vector<ShapeMemory::Touched> ShapeMemory::touched_by(PrefetchShape const& shape) {
    auto const address = standard(shape);
    auto const first = first_rows(address);
    auto const reads = reads_.of(address);
    auto const per_vector = reads_.reads_per_vector();
    std::vector<Touched> touched;
    std::vector<std::vector<std::uint32_t>> of_bank(banks_);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        bool const scale = i % per_vector >= reads_.data_reads_per_vector();
        Touched const row{bank_index(reads[i]), reads[i].row - (scale ? first.scale : first.data), scale};
        auto& before = of_bank[row.bank];
        if (std::any_of(before.begin(), before.end(), [&](auto t) { return first.of(touched[t]) == first.of(row); }))
            continue;
        before.push_back(static_cast<std::uint32_t>(touched.size()));
        touched.push_back(row);
    }
    return touched;
}

void ShapeMemory::see_states(std::vector<Touched> const& touched, OpenRows const& open) {
    states_.resize(touched.size());
    for (std::size_t i = 0; i < touched.size(); ++i) {
        auto const row = open[touched[i].bank];
        states_[i] = row == Channel::closed         ? RowState::closed
                     : row == first_.of(touched[i]) ? RowState::open
                                                    : RowState::another_open;
    }
}

ShapeMemory::Known ShapeMemory::simulate(PrefetchShape const& shape, std::vector<Touched> const& touched,
                                         RowStates const& states, OutcomeMemory& outcomes) {
    auto const address = standard(shape);
    auto const first = first_rows(address);
    OpenRows open(banks_, Channel::closed);
    for (std::size_t i = 0; i < touched.size(); ++i) {
        auto& row = open[touched[i].bank];
        if (states[i] == RowState::open) row = first.of(touched[i]);
        if (states[i] == RowState::another_open && row == Channel::closed) row = elsewhere;
    }
    auto const reads = reads_.of(address);
    Known known{.states = states, .last_issue = outcomes.plan(reads, open), .opened = {}};
    outcomes.carry_out(reads, open);
    for (std::uint32_t i = 0; i < touched.size(); ++i) {
        if (open[touched[i].bank] == first.of(touched[i])) known.opened.push_back(i);
    }
    return known;
}

std::int64_t ShapeMemory::plan(PrefetchAddress const& address, OpenRows const& open, OutcomeMemory& outcomes) {
    auto const shape = shape_of(address);
    first_ = first_rows(address);
    if (static_cast<std::int64_t>(shapes_.size()) > limits_.shapes) shapes_.clear();
    auto found = shapes_.find(shape);
    if (found == shapes_.end()) found = shapes_.emplace(shape, Remembered{touched_by(shape), {}}).first;
    auto& [touched, known] = found->second;
    see_states(touched, open);
    auto same = std::find_if(known.begin(), known.end(), [this](Known const& k) { return k.states == states_; });
    if (same == known.end()) same = known.insert(same, simulate(shape, touched, states_, outcomes));
    touched_ = &touched;
    known_ = &*same;
    return known_->last_issue;
}

void ShapeMemory::carry_out(OpenRows& open) const {
    for (auto const i : known_->opened) open[(*touched_)[i].bank] = first_.of((*touched_)[i]);
}

}  // namespace pimdse::models::dplena
