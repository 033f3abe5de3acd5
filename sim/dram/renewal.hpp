#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pimdse::sim::dram {

/// A state seen from now and from the stream's position. `state` decides every later command; `arrivals` (how long ago
/// each waiting request came, what the bus did last) only shows in the counters, so it need not repeat for a suspicion,
/// but must for a skip.
struct Signature {
    std::vector<std::uint64_t> state, arrivals;
    bool operator==(Signature const&) const = default;
};

/// Finds out when a run repeats itself. Between two moments with equal signatures (phase of the stream, contents of the
/// queues relative to the next request, timers relative to now, refresh lateness, write mode) everything between
/// repeats for as long as the stream goes on, because the stream and the mapping are invariant under the step between
/// them. A signature seen before is only a suspicion; it is believed when the same stretch has been run again and the
/// full signatures agree.
class Renewal {
  public:
    /// Decides whether stream and mapping allow it: the stream moves by a fixed step and the mapping has a translation
    /// bit.
    Renewal(Mapping const& mapping, Stream const& stream, Options const& options);

    [[nodiscard]] bool possible() const { return period_ != 0; }
    /// After this many requests the stream comes back to its phase, at an address that many bytes higher.
    [[nodiscard]] std::uint64_t period() const { return period_; }
    [[nodiscard]] std::uint64_t bytes_per_period() const { return bytes_; }
    [[nodiscard]] int bit() const { return bit_; }

    struct Moment {
        Tick now = 0;
        std::uint64_t request = 0;
    };
    enum class Verdict : std::uint8_t { unknown, suspected, renewed };
    /// True if a look at this request can tell anything (not while a suspicion waits to be confirmed).
    [[nodiscard]] bool wants(std::uint64_t request) const { return !confirming_ || request >= expected_.request; }
    /// Compares. suspected: the caller keeps its counters. renewed: what was counted since then is one orbit.
    [[nodiscard]] Verdict look(Moment const& moment, Signature const& signature);
    [[nodiscard]] Moment const& orbit() const { return orbit_; }
    /// Orbits were left out up to this moment: the next one can be at once when it has been run.
    void go_on(Moment const& from);
    /// No more looks.
    void give_up() { period_ = 0; }

  private:
    static constexpr std::size_t most_moments = std::size_t{1} << 16;

    std::uint64_t period_ = 0, bytes_ = 0;
    int bit_ = 0;
    std::unordered_map<std::uint64_t, Moment> seen_;  ///< by hash of the signature
    bool confirming_ = false;
    Moment expected_, orbit_;
    Signature suspect_;
};

}  // namespace pimdse::sim::dram
