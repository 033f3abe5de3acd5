#include "models/service/scheduler_parameters.hpp"

#include "models/contract/parameter_table.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace pimdse::models::service {
namespace {

constexpr std::int64_t max_sequences_in_step = std::int64_t{1} << 20;
constexpr std::int64_t max_tokens_in_step = std::int64_t{1} << 30;
constexpr Limits up_to(std::int64_t lower, std::int64_t upper) {
    return {static_cast<double>(lower), static_cast<double>(upper)};
}

/// What the parameters set.
struct Chosen {
    std::int64_t max_sequences = 0, max_batched_tokens = 0, block_tokens = 0;
    sim::serving::AdmissionOrder policy{};
    double memory_share = 0.0;
    std::int64_t cache_tokens = 0;
};

std::string named(std::string_view name) { return fmt::format("{}{}", scheduler_prefix, name); }

ParameterTable<Chosen> const& table() {
    static auto const made = [] {
        sim::serving::SchedulerSettings const usual;
        constexpr double share_of_programs = static_cast<double>(9) / 10;
        ParameterTable<Chosen> rows;
        rows.row<&Chosen::max_sequences>(count(named("max_sequences"), "", usual.max_sequences,
                                               up_to(1, max_sequences_in_step),
                                               "sequences that a step of the engine serves"));
        rows.row<&Chosen::max_batched_tokens>(
            count(named("max_batched_tokens"), "tokens", usual.max_batched_tokens, up_to(0, max_tokens_in_step),
                  "new positions that a step computes, so that longer prompts are cut; 0: prompts are never cut"));
        rows.row<&Chosen::block_tokens>(count(named("block_tokens"), "tokens", usual.block_tokens,
                                              up_to(1, sim::serving::max_block_tokens),
                                              "positions in a block of the cache of keys and values"));
        rows.row<&Chosen::policy>(
            choice(named("policy"), {"fcfs", "shortest_prompt"},
                   "order in which requests are admitted: as they arrive, or short prompts first"));
        rows.row<&Chosen::memory_share>(quantity(named("memory_share"), "", share_of_programs, {0.0, 1.0},
                                                 "share of the memory beside the weights that the cache takes"));
        rows.row<&Chosen::cache_tokens>(
            count(named("cache_tokens"), "tokens", 0, up_to(0, max_tokens_in_step),
                  "positions of the cache of an engine; 0: those that memory_share of the memory holds"));
        return rows;
    }();
    return made;
}

/// A cache without keys, whose blocks are states: a sequence has one, and its positions, which take no memory, another.
void set_cache_of_states(sim::serving::SchedulerSettings& settings, ServiceEngine const& engine, double memory_share) {
    constexpr double most = 1 << 30;
    double const bytes = memory_share * engine.cache_bytes;
    double const states = engine.state_bytes > 0.0 ? std::min(most, bytes / engine.state_bytes) : most;
    settings.block_tokens = sim::serving::max_block_tokens;
    settings.state_blocks = 1;
    settings.blocks = 2 * sim::whole_part(states);
}

}  // namespace

Parameters scheduler_parameters() { return table().parameters(); }

sim::serving::SchedulerSettings settings_of(Point point, ServiceEngine const& engine) {
    auto const chosen = table().read(point.last(table().parameters().size()));
    sim::serving::SchedulerSettings settings;
    settings.max_sequences =
        engine.max_sequences == 0 ? chosen.max_sequences : std::min(chosen.max_sequences, engine.max_sequences);
    // A step has room for the block that a sequence yields.
    settings.tokens_per_step = engine.tokens_per_step;
    settings.reserves_output = engine.reserves_output;
    settings.max_batched_tokens =
        chosen.max_batched_tokens == 0 ? 0 : std::max(chosen.max_batched_tokens, engine.tokens_per_step);
    settings.block_tokens = chosen.block_tokens;
    settings.max_context = engine.max_context;
    settings.policy = chosen.policy;
    if (engine.position_bytes == 0.0) {
        set_cache_of_states(settings, engine, chosen.memory_share);
        return settings;
    }
    double const fitting = engine.cache_bytes / engine.position_bytes;
    double const asked = chosen.cache_tokens == 0 ? chosen.memory_share * fitting : sim::as_double(chosen.cache_tokens);
    settings.blocks = sim::whole_part(std::min(asked, fitting)) / chosen.block_tokens;
    double const block_bytes = engine.position_bytes * sim::as_double(chosen.block_tokens);
    settings.state_blocks = sim::whole_part(std::ceil(engine.state_bytes / block_bytes));
    return settings;
}

}  // namespace pimdse::models::service
