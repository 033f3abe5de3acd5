#include "sim/dram/mapping/channel_order.hpp"

namespace pimdse::sim::dram {
namespace {

/// Address bits that tell channels apart, each with lower ones of their kind, found from the lowest on.
class Telling {
  public:
    /// Brings the channel of `address` to zero with bits that are known. Zero if it could; else the channel that is
    /// left, which `address` tells from now on.
    std::uint32_t reduce(std::uint32_t channel, std::uint64_t& address) const {
        while (channel != 0) {
            auto const& known = by_lead_[lead(channel)];
            if (known.channel == 0) break;
            channel ^= known.channel;
            address ^= known.address;
        }
        return channel;
    }
    void add(std::uint32_t channel, std::uint64_t address) { by_lead_[lead(channel)] = {channel, address}; }

  private:
    static std::size_t lead(std::uint32_t channel) { return static_cast<std::size_t>(std::bit_width(channel)) - 1; }
    struct Known {
        std::uint32_t channel = 0;
        std::uint64_t address = 0;
    };
    std::array<Known, 32> by_lead_{};
};

}  // namespace

ChannelOrder::ChannelOrder(Mapping const& mapping, std::uint32_t channel) {
    Telling telling;
    std::uint64_t sum = 0;
    for (int bit = mapping.offset_bits(); bit < mapping.address_bits(); ++bit) {
        std::uint64_t address = std::uint64_t{1} << bit;
        if (auto const left = telling.reduce(mapping.place(address).channel, address); left != 0) {
            telling.add(left, address);
            continue;
        }
        basis_[dimensions_] = address;
        steps_[dimensions_++] = sum ^= address;
    }
    telling.reduce(channel, lowest_);
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
