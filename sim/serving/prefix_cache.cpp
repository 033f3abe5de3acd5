#include "sim/serving/prefix_cache.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <ranges>

namespace pimdse::sim::serving {

PrefixCache::PrefixCache(Prefixes const& prefixes, std::int64_t unit_tokens, PrefixTier const& tier)
    : prefixes_(prefixes),
      unit_tokens_(unit_tokens),
      tier_(tier),
      states_(prefixes.parts.size()),
      idle_parts_(prefixes.parts.size()),
      in_tier_(tier.units > 0 ? prefixes.parts.size() : 0),
      tier_parts_(in_tier_.size()) {
    expects(unit_tokens > 0, "a unit of a cache has tokens");
}

PrefixCache::Match PrefixCache::match(std::uint32_t path) const {
    Match found;
    bool in_cache = true;
    for (auto const part : prefixes_.path(path)) {
        auto const& state = states_[part];
        auto const size = size_of(part);
        if (in_cache) {
            found.units += state.units;
            if (state.users == 0) found.idle += state.units;
            if (!in_tier_.empty() && state.units > 0) found.there = std::max(found.there, in_tier_[part].there);
            in_cache = state.units == size;
        }
        if (in_cache) continue;
        if (in_tier_.empty()) break;
        found.in_tier += in_tier_[part].units;
        if (state.units + in_tier_[part].units < size) break;
    }
    return found;
}

std::int64_t PrefixCache::pin(std::uint32_t path) {
    auto const before = idle_;
    for (auto const part : prefixes_.path(path)) {
        auto& state = states_[part];
        if (state.users++ > 0 || state.units == 0) continue;
        idle_parts_.remove(part);
        idle_ -= state.units;
    }
    return before - idle_;
}

std::int64_t PrefixCache::unpin(std::uint32_t path) {
    auto const before = idle_;
    for (auto const part : std::views::reverse(prefixes_.path(path))) {
        auto& state = states_[part];
        if (--state.users > 0 || state.units == 0) continue;
        idle_parts_.append(part);
        idle_ += state.units;
    }
    return idle_ - before;
}

std::int64_t PrefixCache::keep(std::uint32_t path, std::uint32_t& step, std::int64_t tokens, std::int64_t most) {
    auto const all = prefixes_.path(path);
    std::int64_t kept = 0;
    for (; step < all.size(); ++step) {
        auto const& part = prefixes_.parts[all[step]];
        auto& state = states_[all[step]];
        auto const wanted = std::min(tokens, part.end) / unit_tokens_ - part.begin / unit_tokens_;
        auto const more = std::min(wanted - state.units, most - kept);
        if (more > 0) {
            state.units += static_cast<std::uint32_t>(more);
            kept += more;
            if (!in_tier_.empty()) leave_tier(all[step], std::min<std::int64_t>(more, in_tier_[all[step]].units));
        }
        if (tokens < part.end || state.units < size_of(all[step])) break;
    }
    return kept;
}

void PrefixCache::evict(std::int64_t idle, double now) {
    while (idle_ > idle) {
        auto const part = idle_parts_.front();
        auto& state = states_[part];
        auto const gone = std::min<std::int64_t>(state.units, idle_ - idle);
        state.units -= static_cast<std::uint32_t>(gone);
        idle_ -= gone;
        evictions_ += gone;
        if (state.units == 0) idle_parts_.remove(part);
        if (!in_tier_.empty()) store(part, gone, now);
    }
}

/// The last units of a part first.
void PrefixCache::store(std::uint32_t part, std::int64_t units, double now) {
    auto& own = in_tier_[part];
    for (std::int64_t i = 0; i < units; ++i)
        store_link_ = std::max({store_link_, now, own.there}) + tier_.store_seconds;
    own.stored = store_link_;
    stored_ += units;
    held_ += units;
    if (own.units > 0) tier_parts_.remove(part);
    own.units += static_cast<std::uint32_t>(units);
    tier_parts_.append(part);
    while (held_ > tier_.units) {
        auto const oldest = tier_parts_.front();
        leave_tier(oldest, std::min<std::int64_t>(in_tier_[oldest].units, held_ - tier_.units));
    }
}

void PrefixCache::leave_tier(std::uint32_t part, std::int64_t units) {
    if (units == 0) return;
    in_tier_[part].units -= static_cast<std::uint32_t>(units);
    held_ -= units;
    if (in_tier_[part].units == 0) tier_parts_.remove(part);
}

/// When the link is free after it has moved them, part by part, none before it was stored.
double PrefixCache::link_after(std::uint32_t path, std::int64_t units, double now) const {
    double free = fetch_link_;
    for (auto const part : prefixes_.path(path)) {
        auto const moved = std::min<std::int64_t>(in_tier_[part].units, units);
        if (moved == 0) continue;
        free = std::max({free, now, in_tier_[part].stored}) + as_double(moved) * tier_.fetch_seconds;
        if ((units -= moved) == 0) break;
    }
    return free;
}

double PrefixCache::fetch(std::uint32_t path, std::int64_t units, double now) {
    fetch_link_ = link_after(path, units, now);
    double const there = fetch_link_ + tier_.latency;
    fetched_ += units;
    for (auto const part : prefixes_.path(path)) {
        auto const moved = std::min<std::int64_t>(in_tier_[part].units, units);
        if (moved == 0) continue;
        leave_tier(part, moved);
        states_[part].units += static_cast<std::uint32_t>(moved);
        in_tier_[part].there = there;
        if ((units -= moved) == 0) break;
    }
    return there;
}

}  // namespace pimdse::sim::serving
