// Random loads, settings and step laws.
#pragma once

#include "sim/base/random.hpp"
#include "sim/serving/scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace pimdse::sim::serving::test {

/// Whole numbers of a seed.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(mixed_bits(seed)) {}
    std::int64_t between(std::int64_t first, std::int64_t last) {
        auto const size = static_cast<std::uint64_t>(last - first + 1);
        return first + static_cast<std::int64_t>(mixed_sequence(++state_) % size);
    }
    double fraction() { return mixed_fraction(mixed_sequence(++state_)); }

  private:
    std::uint64_t state_;
};

struct RandomCase {
    ServiceLoad load;
    SchedulerSettings settings;
};

inline RandomCase random_case(std::uint64_t seed) {
    Draws draws(seed);
    RandomCase made;
    auto const count = draws.between(1, 40);
    auto const longest = draws.between(1, 3) == 1 ? 8 : 120;
    double const gap = draws.between(0, 2) == 0 ? 0.0 : 2.0 * draws.fraction();
    double now = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
        made.load.requests.push_back({now, draws.between(1, longest), draws.between(1, longest)});
        if (draws.between(0, 3) > 0) now += gap * draws.fraction();
    }
    if (draws.between(0, 3) == 0) made.load.concurrency = draws.between(1, 6);
    made.settings.max_sequences = draws.between(1, 12);
    made.settings.max_batched_tokens = draws.between(0, 2) == 0 ? 0 : draws.between(1, 100);
    made.settings.block_tokens = draws.between(1, 20);
    // From caches that reject some to caches that hold everything.
    made.settings.blocks = draws.between(1, 1 + draws.between(1, 8) * longest / made.settings.block_tokens);
    made.settings.policy = static_cast<AdmissionOrder>(draws.between(0, 1));
    return made;
}

/// The same with requests whose prompt was computed elsewhere.
inline RandomCase random_case_with_prompts(std::uint64_t seed) {
    auto made = random_case(seed);
    Draws draws(seed + (std::uint64_t{1} << 41U));
    for (auto& request : made.load.requests) request.has_prompt = request.output > 1 && draws.between(0, 3) > 0;
    return made;
}

/// The same with sequences that have a state beside their positions.
inline RandomCase random_case_with_states(std::uint64_t seed) {
    auto made = seed % 2 == 0 ? random_case(seed) : random_case_with_prompts(seed);
    Draws draws(seed + (std::uint64_t{1} << 42U));
    made.settings.state_blocks = draws.between(1, 3);
    made.settings.blocks += draws.between(0, 12);
    return made;
}

/// The same with layers that keep the last positions only.
inline RandomCase random_case_with_windows(std::uint64_t seed) {
    auto made = seed % 3 == 0 ? random_case_with_states(seed) : random_case(seed);
    Draws draws(seed + (std::uint64_t{1} << 43U));
    made.settings.position_blocks = draws.between(0, 2);
    for (auto more = draws.between(1, 2); more > 0; --more)
        made.settings.windows.push_back({draws.between(1, 60), draws.between(1, 3)});
    made.settings.blocks *= draws.between(1, 5);
    return made;
}

/// The same with sequences that yield several tokens in a step.
inline RandomCase random_case_of_blocks(std::uint64_t seed) {
    auto made = random_case(seed);
    Draws draws(seed + (std::uint64_t{1} << 40U));
    made.settings.tokens_per_step = draws.between(2, draws.between(0, 3) == 0 ? 40 : 9);
    auto& limit = made.settings.max_batched_tokens;
    if (limit > 0) limit = std::max(limit, made.settings.tokens_per_step);
    return made;
}

/// The same, with blocks or without, in a cache in which requests take their whole output at once.
inline RandomCase random_case_of_reserved(std::uint64_t seed) {
    auto made = seed % 2 == 0 ? random_case(seed) : random_case_of_blocks(seed);
    made.settings.reserves_output = true;
    return made;
}

/// The same with requests that continue others, and with prompts that begin alike: parts of a tree of few branches.
inline RandomCase random_case_with_past(std::uint64_t seed) {
    auto made = random_case(seed);
    Draws draws(seed + (std::uint64_t{1} << 44U));
    auto& requests = made.load.requests;
    auto const chance = draws.between(0, 3);
    for (std::size_t i = 1; i < requests.size(); ++i) {
        if (draws.between(0, 3) >= chance) continue;
        requests[i].parent = static_cast<std::uint32_t>(draws.between(0, static_cast<std::int64_t>(i) - 1));
        requests[i].after = draws.between(0, 1) * draws.fraction();
    }
    auto tree = std::make_shared<Prefixes>();
    std::map<std::vector<std::int64_t>, std::uint32_t> parts;
    auto const branches = draws.between(1, 3), longest = draws.between(1, 40);
    for (auto& request : requests) {
        if (draws.between(0, 6) == 0) continue;
        std::vector<std::int64_t> so_far;
        std::int64_t end = 0;
        auto const all = request.input + (draws.between(0, 1) == 0 ? 0 : request.output);
        while (end < all && draws.between(0, 12) > 0) {
            auto const branch = draws.between(1, branches), tokens = std::min(all - end, 1 + branch * 7 % longest);
            so_far.insert(so_far.end(), {branch, tokens});
            auto const [found, is_new] = parts.try_emplace(so_far, static_cast<std::uint32_t>(tree->parts.size()));
            if (is_new) tree->parts.push_back({end, end + tokens});
            tree->steps.push_back(found->second);
            end += tokens;
        }
        request.path = tree->end_path();
    }
    made.load.prefixes = std::move(tree);
    made.settings.prefix_units = {made.settings.block_tokens * draws.between(1, 2), 1};
    made.settings.prefix_units.blocks = made.settings.prefix_units.tokens / made.settings.block_tokens;
    return made;
}

/// The same with layers that keep the last positions only, and with states: a unit takes more than its positions.
inline RandomCase random_case_with_past_and_windows(std::uint64_t seed) {
    auto made = random_case_with_past(seed);
    auto const other = random_case_with_windows(seed);
    made.settings.position_blocks = other.settings.position_blocks;
    made.settings.windows = other.settings.windows;
    made.settings.blocks = std::max(made.settings.blocks, other.settings.blocks);
    Draws draws(seed + (std::uint64_t{1} << 45U));
    if (draws.between(0, 1) == 0) made.settings.state_blocks = draws.between(1, 3);
    auto& unit = made.settings.prefix_units;
    unit.blocks = made.settings.position_blocks * (unit.tokens / made.settings.block_tokens) + draws.between(1, 4);
    return made;
}

/// The same, with windows or without, with a tier behind the cache, from fast ones to slow ones. Most prompts begin
/// alike.
inline RandomCase random_case_with_tier(std::uint64_t seed) {
    auto made = seed % 2 == 0 ? random_case_with_past(seed) : random_case_with_past_and_windows(seed);
    Draws draws(seed + (std::uint64_t{1} << 46U));
    auto& tier = made.settings.tier;
    tier.units = draws.between(1, draws.between(0, 1) == 0 ? 4 : 200);
    auto const transfer = [&] { return 0.02 * draws.fraction() * draws.fraction() * draws.fraction(); };
    tier.fetch_seconds = transfer();
    tier.store_seconds = transfer();
    tier.latency = draws.between(0, 1) == 0 ? 0.0 : 0.1 * draws.fraction();
    tier.fetch_joules = draws.fraction();
    tier.store_joules = draws.fraction();
    auto const reuse = draws.between(0, 7);
    tier.reuse = reuse == 0 ? TierReuse::compute : reuse < 4 ? TierReuse::fetch : TierReuse::automatic;
    return made;
}

/// The same with requests whose prompt was computed elsewhere and comes over a link, as far as it is not there.
inline RandomCase random_case_with_prompt_link(std::uint64_t seed) {
    auto made = seed % 3 == 0 ? random_case_with_tier(seed) : random_case_with_past(seed);
    Draws draws(seed + (std::uint64_t{1} << 47U));
    for (auto& request : made.load.requests) request.has_prompt = request.output > 1 && draws.between(0, 3) > 0;
    double const of_position = 1e-3 * draws.fraction() * draws.fraction(), latency = 0.01 * draws.fraction();
    made.settings.prompt_link.seconds = [=](std::int64_t positions) {
        return latency + of_position * static_cast<double>(positions);
    };
    made.settings.prompt_link.joules = [](std::int64_t positions) { return 0.1 * static_cast<double>(positions); };
    return made;
}

/// All of that in caches at the edge: those that hold the longest request and no block more, one block less, a single
/// block; tiers of one unit, blocks of one token, outputs that are reserved.
inline RandomCase random_case_at_the_edge(std::uint64_t seed) {
    auto made = seed % 2 == 0 ? random_case_with_tier(seed) : random_case_with_prompt_link(seed);
    Draws draws(seed + (std::uint64_t{1} << 48U));
    auto& settings = made.settings;
    settings.reserves_output = draws.between(0, 2) == 0;
    if (draws.between(0, 3) == 0 && settings.windows.empty()) {
        settings.block_tokens = 1;
        settings.prefix_units.tokens = draws.between(1, 3);
        settings.prefix_units.blocks = settings.position_blocks * settings.prefix_units.tokens;
    }
    if (draws.between(0, 3) == 0) settings.tier.units = std::min<std::int64_t>(settings.tier.units, 1);
    std::int64_t longest = 1;
    for (auto const& request : made.load.requests)
        longest = std::max(longest, blocks_for(settings, request.input + request.output - 1));
    auto const edge = draws.between(0, 4);
    settings.blocks = edge == 0 ? 1 : edge == 1 ? std::max<std::int64_t>(1, longest - 1) : longest + edge - 2;
    return made;
}

/// The cost of sums; whole numbers below 2^53, so the order of the sums does not matter.
inline StepCost cost_of(std::int64_t sequences, std::int64_t tokens, std::int64_t keys) {
    auto const seconds = 1e-2 + 1e-4 * static_cast<double>(tokens) + 1.1e-6 * static_cast<double>(keys);
    return {seconds, 3.3 * seconds + 1e-3 * static_cast<double>(sequences)};
}

inline StepCost with_ends(StepCost cost, std::int64_t ahead) {
    cost.seconds += 2.3e-5 * static_cast<double>(ahead);
    cost.first_tokens = 0.4 * cost.seconds;
    return cost;
}

inline StepCost cost_of_step(StepWork const& work) {
    std::int64_t tokens = 0, keys = 0;
    for (auto const& chunk : work.chunks) {
        tokens += chunk.tokens;
        keys += chunk.tokens * (chunk.cached + chunk.tokens);
    }
    for (auto const context : work.contexts) keys += context;
    tokens += static_cast<std::int64_t>(work.contexts.size());
    auto cost = cost_of(work.heads, tokens, keys);
    // Where sequences yield blocks, their ends matter, and first tokens come before the end of the step.
    bool blocks = !work.ahead.empty();
    std::int64_t ahead = 0;
    for (auto const& chunk : work.chunks) {
        ahead += chunk.ahead;
        blocks = blocks || chunk.ahead > 0;
    }
    for (auto const positions : work.ahead) ahead += positions;
    return blocks ? with_ends(cost, ahead) : cost;
}

inline void costs_of_steps(StepWork const& first, std::int64_t tokens, std::span<StepCost> costs) {
    auto const sequences = static_cast<std::int64_t>(first.contexts.size());
    std::int64_t keys = 0, ahead = 0;
    for (auto const context : first.contexts) keys += context;
    for (auto const positions : first.ahead) ahead += positions;
    for (auto& cost : costs) {
        cost = cost_of(sequences, sequences, keys);
        if (!first.ahead.empty()) cost = with_ends(cost, ahead);
        keys += sequences * tokens;
        ahead -= sequences * tokens;
    }
}

inline StepLaw step_by_step() { return {cost_of_step, {}}; }
/// With sequences that yield so many tokens in a step.
inline StepLaw several_steps(std::int64_t tokens = 1) {
    return {cost_of_step, [tokens](StepWork const& first, std::span<StepCost> costs) {
                return costs_of_steps(first, tokens, costs);
            }};
}

}  // namespace pimdse::sim::serving::test
