#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/hbm/address.hpp"

#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// The 32-byte reads of one H_PREFETCH_V: for each of its vectors the data lines, then the one line of scales that is
/// read whatever the block size.
class PrefetchReads {
  public:
    explicit PrefetchReads(Design const& design);
    /// Places of the reads for elements [offset, offset + prefetch x vlen) of an area at `base` whose scales lie
    /// `scales` bytes behind it. Valid until the next call.
    std::span<Place const> of(std::uint64_t base, std::uint64_t scales, std::uint64_t offset);

    /// Reads of one prefetch.
    [[nodiscard]] std::size_t count() const { return 2 * static_cast<std::size_t>(vectors_ * (width_ / 64 + 1)); }

  private:
    std::uint64_t width_, vectors_, block_;
    AddressMap map_;
    std::vector<Place> places_;
};

}  // namespace pimdse::models::dplena
