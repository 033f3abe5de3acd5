#include "sim/serving/past.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"
#include "sim/serving/prefix_cache.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

namespace pimdse::sim::serving {
namespace {

void set_parents(std::vector<ServiceRequest>& requests, TracePast const& past) {
    std::unordered_map<std::uint32_t, std::uint32_t> named, last_of_session;
    auto const element = [](auto const& list, std::size_t i) { return list.empty() ? TracePast::none : list[i]; };
    auto const find = [](auto const& map, std::uint32_t name) {
        auto const found = name == TracePast::none ? map.end() : map.find(name);
        return found == map.end() ? ServiceRequest::none : found->second;
    };
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto const own = static_cast<std::uint32_t>(i), session = element(past.session, i);
        requests[i].parent = find(named, element(past.parent, i));
        if (requests[i].parent == ServiceRequest::none) requests[i].parent = find(last_of_session, session);
        if (auto const name = element(past.request, i); name != TracePast::none) named[name] = own;
        if (session != TracePast::none) last_of_session[session] = own;
    }
}

/// A block behind another one.
struct Block {
    std::uint32_t before = 0, name = 0, tokens = 0;
    friend bool operator==(Block const&, Block const&) = default;
};
struct HashOfBlock {
    std::size_t operator()(Block const& block) const {
        return mixed_bits((std::uint64_t{block.before} << 32U | block.name) ^ mixed_bits(block.tokens));
    }
};

}  // namespace

Turns set_past(ServiceLoad& load, TracePast const& past) {
    set_parents(load.requests, past);
    Turns turns;
    for (auto const& request : load.requests) {
        if (request.parent == ServiceRequest::none) continue;
        ++turns.all;
        turns.no_longer += request.input <= load.requests[request.parent].input ? 1 : 0;
    }
    if (past.blocks.empty() && !past.added) return turns;
    expects(past.blocks.empty() || past.block_tokens > 0, "blocks have tokens");
    auto tree = std::make_shared<Prefixes>();
    std::unordered_map<Block, std::uint32_t, HashOfBlock> parts;
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        auto& request = load.requests[i];
        std::int64_t begin = 0;
        std::uint32_t before = ServiceRequest::none;
        auto const own_part = [&](std::int64_t end) {
            tree->steps.push_back(before = static_cast<std::uint32_t>(tree->parts.size()));
            tree->parts.push_back({std::exchange(begin, end), end});
        };
        if (past.added && request.parent != ServiceRequest::none) {
            auto const& parent = load.requests[request.parent];
            request.input += begin = parent.input + parent.output;
            auto const to = tree->first[parent.path + 1];
            for (auto step = tree->first[parent.path]; step < to; ++step) tree->steps.push_back(tree->steps[step]);
            before = tree->steps.back();
        }
        std::size_t const blocks_end = past.blocks.empty() ? 0 : past.first_block[i + 1];
        for (std::size_t b = past.blocks.empty() ? 0 : past.first_block[i]; b < blocks_end && begin < request.input;
             ++b) {
            auto const end = std::min(begin + past.block_tokens, request.input);
            Block const block{before, past.blocks[b], static_cast<std::uint32_t>(end - begin)};
            auto const known = parts.find(block);
            if (known == parts.end()) {
                own_part(end);
                parts.emplace(block, before);
            } else {
                tree->steps.push_back(before = known->second);
                begin = end;
            }
        }
        if (past.added && begin < request.input) own_part(request.input);
        if (past.added) own_part(request.input + request.output);
        if (begin > 0) request.path = tree->end_path();
    }
    load.prefixes = std::move(tree);
    return turns;
}

std::int64_t found_without_end(ServiceLoad const& load, std::int64_t unit_tokens) {
    if (load.prefixes == nullptr) return 0;
    PrefixCache cache(*load.prefixes, unit_tokens);
    std::int64_t found = 0;
    for (auto const& request : load.requests) {
        if (request.path == ServiceRequest::none) continue;
        found += std::min(cache.match(request.path).units, (request.input - 1) / unit_tokens) * unit_tokens;
        (void)cache.pin(request.path);
        std::uint32_t step = 0;
        constexpr auto all = std::numeric_limits<std::int64_t>::max();
        (void)cache.keep(request.path, step, request.input + request.output - 1, all);
        (void)cache.unpin(request.path);
    }
    return found;
}

}  // namespace pimdse::sim::serving
