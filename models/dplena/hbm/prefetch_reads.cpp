#include "models/dplena/hbm/prefetch_reads.hpp"

namespace pimdse::models::dplena {

PrefetchReads::PrefetchReads(Fetching const& fetching)
    : width_(static_cast<std::uint64_t>(fetching.vlen)),
      vectors_(static_cast<std::uint64_t>(fetching.prefetch)),
      block_(static_cast<std::uint64_t>(fetching.mx_block)),
      map_(fetching.channels) {
    places_.reserve(count());
}

std::span<HbmAddress const> PrefetchReads::of(PrefetchAddress const& address) {
    constexpr std::uint64_t line = line_bytes, half = line / 2;
    places_.clear();
    auto const read_line = [this](std::uint64_t byte) {
        auto const aligned = byte / line * line;
        places_.push_back(map_.decode(aligned));
        places_.push_back(map_.decode(aligned + half));
    };
    for (std::uint64_t vector = 0; vector < vectors_; ++vector) {
        auto const data = address.data + vector * width_;
        for (std::uint64_t at = 0; at < width_; at += line) read_line(data + at);
        read_line(address.scale + vector * width_ / block_);
    }
    return places_;
}

}  // namespace pimdse::models::dplena
