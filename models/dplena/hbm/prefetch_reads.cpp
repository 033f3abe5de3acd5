#include "models/dplena/hbm/prefetch_reads.hpp"

namespace pimdse::models::dplena {

PrefetchReads::PrefetchReads(Fetching const& fetching)
    : width_(static_cast<std::uint64_t>(fetching.vlen)),
      vectors_(static_cast<std::uint64_t>(fetching.prefetch)),
      block_(static_cast<std::uint64_t>(fetching.mx_block)),
      bits_(static_cast<std::uint64_t>(fetching.element_bits)),
      scale_lines_(static_cast<std::uint64_t>(fetching.scale_lines)),
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
        auto const data = address.data + vector * bytes(width_), scale = address.scale + vector * width_ / block_;
        for (std::uint64_t at = 0; at < bytes(width_); at += line) read_line(data + at);
        for (std::uint64_t at = 0; at < scale_lines_; ++at) read_line(scale + at * line);
    }
    return places_;
}

}  // namespace pimdse::models::dplena
