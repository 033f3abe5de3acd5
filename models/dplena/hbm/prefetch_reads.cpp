#include "models/dplena/hbm/prefetch_reads.hpp"

namespace pimdse::models::dplena {

PrefetchReads::PrefetchReads(Design const& design)
    : width_(static_cast<std::uint64_t>(design.vlen)),
      vectors_(static_cast<std::uint64_t>(design.prefetch)),
      block_(static_cast<std::uint64_t>(design.mx_block)),
      map_(design.channels) {
    places_.reserve(2 * static_cast<std::size_t>(design.lines_per_prefetch()));
}

std::span<Place const> PrefetchReads::of(std::uint64_t base, std::uint64_t scales, std::uint64_t offset) {
    constexpr std::uint64_t line = 64, half = 32;
    places_.clear();
    auto const read_line = [this](std::uint64_t address) {
        auto const aligned = address / line * line;
        places_.push_back(map_.place(aligned));
        places_.push_back(map_.place(aligned + half));
    };
    for (std::uint64_t vector = 0; vector < vectors_; ++vector) {
        auto const data = base + offset + vector * width_;
        for (std::uint64_t at = 0; at < width_; at += line) read_line(data + at);
        read_line(base + scales + offset / block_ + vector * width_ / block_);
    }
    return places_;
}

}  // namespace pimdse::models::dplena
