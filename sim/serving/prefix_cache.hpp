#pragma once

#include "sim/serving/load.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::sim::serving {

/// Keys and values of beginnings of prompts that an engine keeps for later requests, in units of so many tokens. A unit
/// belongs to the part of the tree in which its last token is, so that a unit is kept only as a whole, and a request
/// uses all units of its path or none of a part. Parts that running sequences use stay; of the others, the part that
/// was used longest ago goes first, of those of one sequence the deepest, and of a part its last unit.
class PrefixCache {
  public:
    /// Precondition: unit_tokens is positive; `prefixes` outlives the cache.
    PrefixCache(Prefixes const& prefixes, std::int64_t unit_tokens);

    /// Units that a path finds, from its beginning on, and how many of them no running sequence uses.
    struct Match {
        std::int64_t units = 0, idle = 0;
    };
    [[nodiscard]] Match match(std::uint32_t path) const;

    /// A sequence begins to use its path; returns the units that were idle.
    std::int64_t pin(std::uint32_t path);
    /// A sequence ends to use it; returns the units that become idle.
    std::int64_t unpin(std::uint32_t path);

    /// A sequence that uses its path has computed it up to so many tokens: keeps at most `most` units of it that nobody
    /// else has computed meanwhile. Returns how many. `step` is where in the path it goes on, at first 0.
    std::int64_t keep(std::uint32_t path, std::uint32_t& step, std::int64_t tokens, std::int64_t most);

    /// Evicts units until at most so many are idle.
    void shrink(std::int64_t idle);

    [[nodiscard]] std::int64_t evictions() const { return evictions_; }  ///< of units

  private:
    struct State {
        std::uint32_t units = 0;  ///< of the part that are kept, from its beginning on
        std::uint32_t users = 0;
        std::uint32_t before = 0, after = 0;  ///< in the list of idle parts
    };
    [[nodiscard]] std::int64_t size_of(std::uint32_t part) const {
        auto const& one = prefixes_.parts[part];
        return one.end / unit_tokens_ - one.begin / unit_tokens_;
    }
    void append(std::uint32_t part);
    void unlink(std::uint32_t part);

    Prefixes const& prefixes_;
    std::int64_t unit_tokens_;
    std::vector<State> states_;  ///< by part; the last one is the head of the list
    std::int64_t idle_ = 0, evictions_ = 0;
};

}  // namespace pimdse::sim::serving
