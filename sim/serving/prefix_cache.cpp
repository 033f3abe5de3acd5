#include "sim/serving/prefix_cache.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <ranges>

namespace pimdse::sim::serving {

PrefixCache::PrefixCache(Prefixes const& prefixes, std::int64_t unit_tokens)
    : prefixes_(prefixes), unit_tokens_(unit_tokens), states_(prefixes.parts.size() + 1) {
    expects(unit_tokens > 0, "a unit of a cache has tokens");
    auto const head = static_cast<std::uint32_t>(prefixes.parts.size());
    states_[head].before = states_[head].after = head;
}

void PrefixCache::append(std::uint32_t part) {
    auto const head = static_cast<std::uint32_t>(states_.size() - 1);
    auto const last = states_[head].before;
    states_[part].before = last;
    states_[part].after = head;
    states_[last].after = states_[head].before = part;
    idle_ += states_[part].units;
}

void PrefixCache::unlink(std::uint32_t part) {
    auto const& state = states_[part];
    states_[state.before].after = state.after;
    states_[state.after].before = state.before;
    idle_ -= state.units;
}

PrefixCache::Match PrefixCache::match(std::uint32_t path) const {
    Match found;
    for (auto const part : prefixes_.path(path)) {
        auto const& state = states_[part];
        found.units += state.units;
        if (state.users == 0) found.idle += state.units;
        if (state.units < size_of(part)) break;
    }
    return found;
}

std::int64_t PrefixCache::pin(std::uint32_t path) {
    auto const before = idle_;
    for (auto const part : prefixes_.path(path)) {
        auto& state = states_[part];
        if (state.users++ == 0 && state.units > 0) unlink(part);
    }
    return before - idle_;
}

std::int64_t PrefixCache::unpin(std::uint32_t path) {
    auto const before = idle_;
    for (auto const part : std::views::reverse(prefixes_.path(path))) {
        auto& state = states_[part];
        if (--state.users == 0 && state.units > 0) append(part);
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
        }
        if (tokens < part.end || state.units < size_of(all[step])) break;
    }
    return kept;
}

void PrefixCache::shrink(std::int64_t idle) {
    auto const head = states_.size() - 1;
    while (idle_ > idle) {
        auto const part = states_[head].after;
        auto& state = states_[part];
        unlink(part);
        auto const gone = std::min<std::int64_t>(state.units, idle_ + state.units - idle);
        state.units -= static_cast<std::uint32_t>(gone);
        evictions_ += gone;
        if (state.units == 0) continue;
        // What is left of the part goes next.
        auto const next = states_[head].after;
        state.before = static_cast<std::uint32_t>(head);
        state.after = next;
        states_[head].after = states_[next].before = part;
        idle_ += state.units;
    }
}

}  // namespace pimdse::sim::serving
