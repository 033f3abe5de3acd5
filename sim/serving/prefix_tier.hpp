#pragma once

#include <cstdint>

namespace pimdse::sim::serving {

/// What a request does with units of its prompt that lie in the tier.
enum class TierReuse : std::uint8_t {
    automatic,  ///< fetches them if it would have its first token no later than by computing them, were it alone
    fetch,
    compute
};

/// A second level of the cache of prefixes, behind a link with a direction for each way. Units that the cache evicts
/// are stored there, one after the other; units that a request fetches return to the cache. Both happen beside the
/// steps.
struct PrefixTier {
    std::int64_t units = 0;                           ///< that it holds; 0: without a tier
    double fetch_seconds = 0.0, store_seconds = 0.0;  ///< s of the link for a unit
    double latency = 0.0;                             ///< s from the end of a fetch on the link until it can be used
    double fetch_joules = 0.0, store_joules = 0.0;    ///< J of a unit
    double unit_bytes = 0.0;                          ///< B of a unit
    TierReuse reuse = TierReuse::automatic;
};

}  // namespace pimdse::sim::serving
