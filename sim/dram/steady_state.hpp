#pragma once

#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pimdse::sim::dram {

/// A simulation state relative to the current cycle and to the position in the stream. `state` decides every later
/// command. `arrivals` (how long ago waiting requests arrived, what the data bus did last) affects counters only: a
/// candidate period needs equal `state`, a confirmed one equal `arrivals`, too.
struct Signature {
    std::vector<std::uint64_t> state, arrivals;
    bool operator==(Signature const&) const = default;
};

/// Detects that a simulation has become periodic. Stream and mapping are invariant under a fixed step, so if two states
/// have equal signatures (phase of the stream, queues relative to the next request, timers relative to now, pending
/// refreshes, write mode), everything between them repeats until the stream ends. Two equal hashes make a candidate
/// period; it is confirmed if one more period ends in an equal full signature.
class SteadyStateDetector {
  public:
    /// Possible if the stream moves by a fixed step and the mapping has a translation bit.
    SteadyStateDetector(Mapping const& mapping, Stream const& stream, Options const& options);

    [[nodiscard]] bool possible() const { return period_ != 0; }
    /// Requests after which the stream is in the same phase again, at an address that is bytes_per_period() higher.
    [[nodiscard]] std::uint64_t period() const { return period_; }
    [[nodiscard]] std::uint64_t bytes_per_period() const { return bytes_; }
    /// The translation bit of the mapping.
    [[nodiscard]] int bit() const { return bit_; }

    struct Moment {
        Tick now = 0;
        std::uint64_t request = 0;
    };
    enum class Verdict : std::uint8_t { unknown, candidate, confirmed };
    /// True if observe() at this request can decide anything (false while a candidate waits to be confirmed).
    [[nodiscard]] bool is_useful_at(std::uint64_t request) const {
        return !confirming_ || request >= expected_.request;
    }
    /// Compares a state with earlier ones. candidate: the caller keeps its counters. confirmed: what was counted since
    /// then is one steady-state period.
    [[nodiscard]] Verdict observe(Moment const& moment, Signature const& signature);
    /// Length of the steady-state period found last.
    [[nodiscard]] Moment const& steady_period() const { return steady_period_; }
    /// Periods were skipped up to this moment; the next period is confirmed as soon as it has been simulated.
    void resume(Moment const& from);

  private:
    static constexpr std::size_t max_moments = std::size_t{1} << 16;

    std::uint64_t period_ = 0, bytes_ = 0;
    int bit_ = 0;
    std::unordered_map<std::uint64_t, Moment> seen_;  ///< by hash of the signature
    bool confirming_ = false;
    Moment expected_, steady_period_;
    Signature candidate_;
};

}  // namespace pimdse::sim::dram
