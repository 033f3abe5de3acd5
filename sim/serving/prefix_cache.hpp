#pragma once

#include "sim/serving/load.hpp"
#include "sim/serving/prefix_tier.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::sim::serving {

/// Parts of a tree in the order in which they were appended.
class PartList {
  public:
    explicit PartList(std::size_t parts) : links_(parts + 1) {
        auto const head = static_cast<std::uint32_t>(parts);
        links_[head] = {head, head};
    }
    [[nodiscard]] std::uint32_t front() const { return links_.back().after; }
    void append(std::uint32_t part) {
        auto const head = static_cast<std::uint32_t>(links_.size() - 1);
        auto const last = links_[head].before;
        links_[part] = {last, head};
        links_[last].after = links_[head].before = part;
    }
    void remove(std::uint32_t part) {
        auto const& link = links_[part];
        links_[link.before].after = link.after;
        links_[link.after].before = link.before;
    }

  private:
    struct Link {
        std::uint32_t before = 0, after = 0;
    };
    std::vector<Link> links_;  ///< by part; the last one is the head of the list
};

/// Keys and values of beginnings of prompts that an engine keeps for later requests, in units of so many tokens. A unit
/// belongs to the part of the tree in which its last token is, so that a unit is kept only as a whole, and a request
/// uses all units of its path or none of a part. Parts that running sequences use stay; of the others, the part that
/// was used longest ago goes first, of those of one sequence the deepest, and of a part its last unit.
///
/// What goes is stored in the tier, if there is one. The tier loses the part first of which a unit was stored longest
/// ago, and of a part its last unit. A unit is in the cache or in the tier: those of a part in the tier follow those in
/// the cache.
class PrefixCache {
  public:
    /// Precondition: unit_tokens is positive; `prefixes` outlives the cache.
    PrefixCache(Prefixes const& prefixes, std::int64_t unit_tokens, PrefixTier const& tier = {});

    /// Units that a path finds, from its beginning on.
    struct Match {
        std::int64_t units = 0, idle = 0;  ///< in the cache, and how many of them no running sequence uses
        std::int64_t in_tier = 0;          ///< behind them
        double there = 0.0;                ///< s: when the last of those in the cache has arrived from the tier
    };
    [[nodiscard]] Match match(std::uint32_t path) const;

    /// A sequence begins to use its path; returns the units that were idle.
    std::int64_t pin(std::uint32_t path);
    /// A sequence ends to use it; returns the units that become idle.
    std::int64_t unpin(std::uint32_t path);

    /// A sequence that uses its path has computed it up to so many tokens: keeps at most `most` units of it that nobody
    /// else has computed meanwhile. Returns how many. `step` is where in the path it goes on, at first 0.
    std::int64_t keep(std::uint32_t path, std::uint32_t& step, std::int64_t tokens, std::int64_t most);

    /// Evicts units until at most so many are idle; `now` in s.
    void shrink(std::int64_t idle, double now) {
        if (idle_ > idle) evict(idle, now);
    }

    /// s: when the first `units` of a path's units in the tier would be in the cache if they were fetched now.
    [[nodiscard]] double fetched_at(std::uint32_t path, std::int64_t units, double now) const {
        return link_after(path, units, now) + tier_.latency;
    }
    /// Fetches them for a sequence that uses the path; returns the same time. The cache has room for them.
    double fetch(std::uint32_t path, std::int64_t units, double now);

    [[nodiscard]] std::int64_t evictions() const { return evictions_; }  ///< of units, from the cache
    [[nodiscard]] std::int64_t fetched() const { return fetched_; }      ///< units
    [[nodiscard]] std::int64_t stored() const { return stored_; }        ///< units

  private:
    struct State {
        std::uint32_t units = 0;  ///< of the part that are kept, from its beginning on
        std::uint32_t users = 0;
    };
    /// What the tier has of a part, behind what the cache has.
    struct InTier {
        std::uint32_t units = 0;
        double stored = 0.0;  ///< s: when the last of them is there
        double there = 0.0;   ///< s: when the last of those that were fetched is in the cache
    };
    [[nodiscard]] std::int64_t size_of(std::uint32_t part) const {
        auto const& one = prefixes_.parts[part];
        return one.end / unit_tokens_ - one.begin / unit_tokens_;
    }
    void evict(std::int64_t idle, double now);
    void store(std::uint32_t part, std::int64_t units, double now);
    void leave_tier(std::uint32_t part, std::int64_t units);
    [[nodiscard]] double link_after(std::uint32_t path, std::int64_t units, double now) const;

    Prefixes const& prefixes_;
    std::int64_t unit_tokens_;
    PrefixTier tier_;
    std::vector<State> states_;  ///< by part
    PartList idle_parts_;
    std::vector<InTier> in_tier_;  ///< by part; empty without a tier
    PartList tier_parts_;
    std::int64_t idle_ = 0, evictions_ = 0, held_ = 0, fetched_ = 0, stored_ = 0;  ///< held_: in the tier
    double store_link_ = 0.0, fetch_link_ = 0.0;  ///< s: when the link is free, each way
};

}  // namespace pimdse::sim::serving
