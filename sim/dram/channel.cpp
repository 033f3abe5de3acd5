#include "sim/dram/channel.hpp"

namespace pimdse::sim::dram {

void Channel<Family::lpddr5>::append_signature(Tick now, Origin const& origin, Signature& signature) const {
    ChannelState::append_signature(now, origin, signature);
    auto& out = signature.state;
    out.insert(out.end(), {static_cast<std::uint64_t>(std::max<Tick>(0, clock_until_ - now)),
                           synchronising_ ? 1U + static_cast<std::uint64_t>(synchronising_.node()) : 0U,
                           (static_cast<std::uint64_t>(synchronising_.source()) << 8) |
                               static_cast<std::uint64_t>(synchronising_.command())});
    if (activating_ != 0) {
        append(half_opened_, now, origin.address, signature);
        out.push_back(static_cast<std::uint64_t>(deadline_ - now));
    }
}

void Channel<Family::lpddr5>::skip(Jump const& jump, Counters const& earlier) {
    ChannelState::skip(jump, earlier);
    clock_until_ += jump.ticks;
    deadline_ += jump.ticks;
    if (activating_ != 0) shift(half_opened_, jump);
}

}  // namespace pimdse::sim::dram
