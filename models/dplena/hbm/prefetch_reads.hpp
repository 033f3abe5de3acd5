#pragma once

#include "models/dplena/hbm/address.hpp"
#include "models/dplena/hbm/fetching.hpp"

#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// First byte of the data of a prefetch, and of its scales.
struct PrefetchAddress {
    std::uint64_t data = 0, scale = 0;
};

/// The 32-byte reads of one H_PREFETCH_V: for each of its vectors the data lines, then its lines of scales.
class PrefetchReads {
  public:
    explicit PrefetchReads(Fetching const& fetching);
    /// Of elements [offset, offset + prefetch x vlen) of an area at `base` whose scales lie `scales` bytes behind it.
    [[nodiscard]] PrefetchAddress address(std::uint64_t base, std::uint64_t scales, std::uint64_t offset) const {
        return {base + bytes(offset), base + bytes(scales) + offset / block_};
    }
    /// Where the reads go. Valid until the next call.
    std::span<HbmAddress const> of(PrefetchAddress const& address);

    /// Reads of one prefetch.
    [[nodiscard]] std::size_t count() const { return vectors_ * reads_per_vector(); }
    [[nodiscard]] std::size_t reads_per_vector() const { return data_reads_per_vector() + 2 * scale_lines_; }
    [[nodiscard]] std::size_t data_reads_per_vector() const { return 2 * (bytes(width_) / line_bytes); }

  private:
    /// That many elements take.
    [[nodiscard]] std::uint64_t bytes(std::uint64_t elements) const { return elements * bits_ / 8; }

    std::uint64_t width_, vectors_, block_, bits_, scale_lines_;
    AddressMap map_;
    std::vector<HbmAddress> places_;
};

}  // namespace pimdse::models::dplena
