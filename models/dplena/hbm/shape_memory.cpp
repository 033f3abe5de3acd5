#include "models/dplena/hbm/prefetch_memory.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

constexpr std::size_t most_shapes = 1U << 14;
/// With fewer reads than this the shape costs more than it saves.
constexpr std::size_t fewest_reads = 32;

}  // namespace

PrefetchMemory::Shape& PrefetchMemory::shape_of(std::uint64_t base, std::uint64_t scales, std::uint64_t offset) {
    auto const data = base + offset;
    auto const scale = base + scales + offset / scale_block_;
    auto const mask = (1ULL << row_shift_) - 1;
    data_row_ = static_cast<std::int64_t>(data >> row_shift_);
    scale_row_ = static_cast<std::int64_t>(scale >> row_shift_);
    if (shapes_.size() > most_shapes) shapes_.clear();
    ShapeKey const key{data & mask, scale & mask, std::clamp(scale_row_ - data_row_, -rows_spanned_, rows_spanned_)};
    auto const known = shapes_.find(key);
    if (known != shapes_.end()) return known->second;
    return shapes_.emplace(key, new_shape(reads_.of(base, scales, offset))).first->second;
}

PrefetchMemory::Shape PrefetchMemory::new_shape(std::span<Place const> reads) const {
    Shape shape;
    std::vector<std::vector<std::uint32_t>> of_bank(open_.size());
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        bool const scale = i / 2 % lines_per_vector_ == lines_per_vector_ - 1;
        Touched const touched{bank_index(reads[i]), reads[i].row - (scale ? scale_row_ : data_row_), scale};
        auto& before = of_bank[touched.bank];
        if (std::any_of(before.begin(), before.end(),
                        [&](auto t) { return row_of(shape.touched[t]) == row_of(touched); }))
            continue;
        before.push_back(static_cast<std::uint32_t>(shape.touched.size()));
        shape.touched.push_back(touched);
    }
    return shape;
}

void PrefetchMemory::see_states(Shape const& shape) {
    states_.resize(shape.touched.size());
    for (std::size_t i = 0; i < shape.touched.size(); ++i) {
        auto const open = open_[shape.touched[i].bank];
        states_[i] = open == Channel::closed ? 'c' : open == row_of(shape.touched[i]) ? 'o' : 'x';
    }
}

void PrefetchMemory::learn(Shape& shape, std::int64_t last_issue) {
    Known known{states_, last_issue, {}};
    for (std::uint32_t i = 0; i < shape.touched.size(); ++i) {
        if (open_[shape.touched[i].bank] == row_of(shape.touched[i])) known.opened.push_back(i);
    }
    shape.known.push_back(std::move(known));
}

std::int64_t PrefetchMemory::fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start) {
    if (reads_.count() < fewest_reads) return fetch(reads_.of(base, scales, offset), start);
    bool const refreshes = refresh_ == Refresh::on;
    auto const begin = refreshes ? after_refresh(start) : start;
    auto& shape = shape_of(base, scales, offset);
    see_states(shape);
    auto const known =
        std::find_if(shape.known.begin(), shape.known.end(), [this](Known const& k) { return k.states == states_; });
    bool const found = known != shape.known.end();
    auto const reads = found ? std::span<Place const>{} : reads_.of(base, scales, offset);
    auto const last = found ? known->last_issue : plan(reads);
    if (refreshes && begin + last >= next_refresh()) return through_refresh(reads_.of(base, scales, offset), begin);
    if (found) {
        for (auto const i : known->opened) open_[shape.touched[i].bank] = row_of(shape.touched[i]);
    } else {
        carry_out(reads);
        learn(shape, last);
    }
    return begin + last + timing_.read_time();
}

}  // namespace pimdse::models::dplena
