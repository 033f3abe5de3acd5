#include "models/service/scheduler_parameters.hpp"

#include "models/contract/parameter_table.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace pimdse::models::service {
namespace {

constexpr std::int64_t max_sequences_in_step = std::int64_t{1} << 20;
constexpr std::int64_t max_tokens_in_step = std::int64_t{1} << 30;
constexpr std::int64_t usual_state_every = 1024;
constexpr Limits up_to(std::int64_t lower, std::int64_t upper) {
    return {static_cast<double>(lower), static_cast<double>(upper)};
}

enum class Policy : std::uint8_t { fcfs, shortest_prompt, no_eviction };
enum class PrefixCaching : std::uint8_t { off, on };

/// What the parameters set.
struct Chosen {
    std::int64_t copies = 1, max_sequences = 0, max_batched_tokens = 0, block_tokens = 0;
    Policy policy{};
    double memory_share = 0.0;
    std::int64_t cache_tokens = 0;
    PrefixCaching prefix_cache{};
    std::int64_t state_every = 0;
    sim::serving::TierReuse reuse{};
};

std::string named(std::string_view name) { return fmt::format("{}{}", scheduler_prefix, name); }

ParameterTable<Chosen> const& table() {
    static auto const made = [] {
        constexpr double share_of_programs = static_cast<double>(92) / 100;
        constexpr std::int64_t max_copies = 1024;
        ParameterTable<Chosen> rows;
        rows.row<&Chosen::copies>(resource(count(std::string(copies_name), "1", 1, up_to(1, max_copies),
                                                 "equal machines behind a balancer, which take the requests in turn; "
                                                 "everything else describes one of them")));
        rows.row<&Chosen::max_sequences>(count(named("max_sequences"), "", 0, up_to(0, max_sequences_in_step),
                                               "sequences that a step of the engine serves; 0: by the memory of a "
                                               "device, 256, from 70 GiB on 1,024 (vLLM's defaults)"));
        rows.row<&Chosen::max_batched_tokens>(
            count(named("max_batched_tokens"), "tokens", 0, up_to(0, max_tokens_in_step),
                  "new positions that a step computes, so that longer prompts are cut; 0: by the memory of a device, "
                  "2,048, from 70 GiB on 8,192, from 160 GiB on 16,384 (vLLM's defaults)"));
        rows.row<&Chosen::block_tokens>(
            count(named("block_tokens"), "tokens", sim::serving::SchedulerSettings{}.block_tokens,
                  up_to(1, sim::serving::max_block_tokens), "positions in a block of the cache of keys and values"));
        rows.row<&Chosen::policy>(
            choice(named("policy"), {"fcfs", "shortest_prompt", "no_eviction"},
                   "order in which requests are admitted: as they arrive, or short prompts first; no_eviction: as they "
                   "arrive, once their whole output has a place in the cache, so that none is preempted"));
        rows.row<&Chosen::memory_share>(quantity(named("memory_share"), "", share_of_programs, {0.0, 1.0},
                                                 "share of the memory that weights and cache take; where a machine "
                                                 "divides its memory itself, share of what it leaves to the cache"));
        rows.row<&Chosen::cache_tokens>(
            count(named("cache_tokens"), "tokens", 0, up_to(0, max_tokens_in_step),
                  "positions of the cache of an engine; 0: those that memory_share of the memory holds"));
        rows.row<&Chosen::prefix_cache>(choice(named("prefix_cache"), {"off", "on"},
                                               "whether beginnings of prompts stay in the cache for requests that "
                                               "begin alike, until their blocks are needed"));
        rows.row<&Chosen::state_every>(count(named("state_every"), "tokens", usual_state_every,
                                             up_to(1, sim::serving::max_block_tokens),
                                             "tokens after which prefix_cache keeps a copy of the states of linear "
                                             "attention, from which a prompt can go on"));
        rows.row<&Chosen::reuse>(choice(std::string(reuse_name), {"auto", "fetch", "compute"},
                                        "what a request does with beginnings of its prompt in the tier of a machine: "
                                        "the faster of both, or always the same"));
        return rows;
    }();
    return made;
}

struct UsualStep {
    std::int64_t sequences = 0, tokens = 0;
};

/// Defaults of vLLM's engine for a device with so many bytes (get_batch_defaults of vllm/engine/arg_utils.py, API
/// server).
UsualStep usual_step(double device_memory) {
    constexpr double gib = 1 << 30, large = 70 * gib, largest = 160 * gib;
    if (device_memory < large) return {256, 2048};
    return {1024, device_memory < largest ? 8192 : 16384};
}

/// The share of what the weights leave that the cache takes.
double cache_share(Chosen const& chosen, ServiceEngine const& engine) {
    return std::max(0.0, 1.0 - (1.0 - chosen.memory_share) * engine.memory_over_cache);
}

/// A cache without keys, whose blocks are states: a sequence has one, and its positions, which take no memory, another.
void set_cache_of_states(sim::serving::SchedulerSettings& settings, ServiceEngine const& engine, double share) {
    constexpr double most = 1 << 30;
    double const bytes = share * engine.cache_bytes;
    double const states = engine.state_bytes > 0.0 ? std::min(most, bytes / engine.state_bytes) : most;
    settings.block_tokens = sim::serving::max_block_tokens;
    settings.state_blocks = 1;
    settings.blocks = 2 * sim::whole_part(states);
}

/// Blocks of equal size for layers that keep all positions and for those with windows. Returns how many of them
/// block_tokens positions in all layers take: one without windows.
std::int64_t set_layers(sim::serving::SchedulerSettings& settings, ServiceEngine const& engine) {
    if (engine.windows.empty()) return 1;
    constexpr double parts_of_byte = 1024;  // formats have fractions of a byte, and scales
    auto const whole = [](double bytes) { return sim::whole_part(std::max(0.0, std::round(bytes * parts_of_byte))); };
    double growing = engine.position_bytes;
    for (auto const& window : engine.windows) growing -= window.position_bytes;
    settings.position_blocks = whole(growing);
    auto divisor = settings.position_blocks;
    for (auto const& window : engine.windows) {
        settings.windows.push_back({window.positions, std::max<std::int64_t>(1, whole(window.position_bytes))});
        divisor = std::gcd(divisor, settings.windows.back().blocks);
    }
    std::int64_t all = settings.position_blocks /= divisor;
    for (auto& window : settings.windows) all += window.blocks /= divisor;
    return all;
}

/// What prefix_cache keeps as a whole: a block in all layers, those with windows included; of a model with states,
/// state_every tokens with the states and windows after them. `state_only`: blocks that a state takes without keys.
void set_prefix_units(sim::serving::SchedulerSettings& settings, Chosen const& chosen, std::int64_t state_only = 0) {
    if (chosen.prefix_cache == PrefixCaching::off) return;
    auto& unit = settings.prefix_units;
    auto const block = settings.block_tokens;
    if (state_only > 0) {
        unit = {chosen.state_every, state_only};
        return;
    }
    unit.tokens = settings.state_blocks > 0 ? sim::round_up(chosen.state_every, block) : block;
    unit.blocks = settings.position_blocks * (unit.tokens / block) + settings.state_blocks;
    for (auto const& window : settings.windows)
        unit.blocks += window.blocks * std::min(unit.tokens / block, sim::divide_up(window.positions, block));
}

/// The tier in units of prefix_cache. `block_bytes`: of a block of the cache.
void set_tier(sim::serving::SchedulerSettings& settings, KeyTier const& tier, double block_bytes,
              sim::serving::TierReuse reuse) {
    double const bytes = sim::as_double(settings.prefix_units.blocks) * block_bytes;
    if (settings.prefix_units.tokens == 0 || tier.bytes < bytes || bytes == 0.0) return;
    settings.tier = {sim::whole_part(tier.bytes / bytes),
                     bytes / tier.read_bandwidth,
                     bytes / tier.write_bandwidth,
                     tier.latency,
                     bytes * tier.read_energy,
                     bytes * tier.write_energy,
                     bytes,
                     reuse};
}

}  // namespace

Parameters scheduler_parameters() { return table().parameters(); }

bool is_serving_parameter(std::string_view name) { return name == copies_name || name.starts_with(scheduler_prefix); }

std::int64_t copies_of(Point point) { return table().read(point.last(table().parameters().size())).copies; }

sim::serving::SchedulerSettings settings_of(Point point, ServiceEngine const& engine) {
    auto const chosen = table().read(point.last(table().parameters().size()));
    sim::serving::SchedulerSettings settings;
    auto const usual = usual_step(engine.device_memory);
    settings.max_sequences = chosen.max_sequences == 0 ? usual.sequences : chosen.max_sequences;
    if (engine.max_sequences > 0) settings.max_sequences = std::min(settings.max_sequences, engine.max_sequences);
    // A step has room for the block that a sequence yields.
    settings.tokens_per_step = engine.tokens_per_step;
    settings.reserves_output = engine.reserves_output || chosen.policy == Policy::no_eviction;
    settings.max_batched_tokens =
        std::max(chosen.max_batched_tokens == 0 ? usual.tokens : chosen.max_batched_tokens, engine.tokens_per_step);
    settings.block_tokens = chosen.block_tokens;
    settings.max_context = engine.max_context;
    if (chosen.policy == Policy::shortest_prompt) settings.policy = sim::serving::AdmissionOrder::shortest_prompt;
    if (engine.position_bytes == 0.0) {
        set_cache_of_states(settings, engine, cache_share(chosen, engine));
        auto const of_state = engine.state_bytes > 0.0 ? std::int64_t{2} : 1;
        set_prefix_units(settings, chosen, of_state);
        set_tier(settings, engine.tier, engine.state_bytes / sim::as_double(of_state), chosen.reuse);
        return settings;
    }
    double const fitting = engine.cache_bytes / engine.position_bytes;
    double const asked =
        chosen.cache_tokens == 0 ? cache_share(chosen, engine) * fitting : sim::as_double(chosen.cache_tokens);
    auto const whole = set_layers(settings, engine);
    settings.blocks = sim::whole_part(std::min(asked, fitting)) / chosen.block_tokens * whole;
    double const block_bytes = engine.position_bytes * sim::as_double(chosen.block_tokens) / sim::as_double(whole);
    settings.state_blocks = sim::whole_part(std::ceil(engine.state_bytes / block_bytes));
    set_prefix_units(settings, chosen);
    set_tier(settings, engine.tier, block_bytes, chosen.reuse);
    return settings;
}

}  // namespace pimdse::models::service
