#pragma once

#include <cstdint>
#include <functional>

namespace pimdse::sim::serving {

/// What an engine did without a change of its sequences: one step, or several between which only lengths change.
struct EngineActivity {
    double start = 0.0, end = 0.0;  ///< s from the start of the load
    std::int64_t steps = 1;
    std::int64_t prompts = 0;        ///< sequences of whose prompt each step computes a part
    std::int64_t prompt_tokens = 0;  ///< positions of these parts
    std::int64_t prompt_cached = 0;  ///< positions before these parts, whose keys are cached
    std::int64_t decoding = 0;       ///< sequences that each step decodes
    std::int64_t decode_cached = 0;  ///< positions before the first tokens of these, whose keys are cached
    std::int64_t tokens = 0;         ///< tokens that all of these steps yield
    std::int64_t running = 0;        ///< sequences that were admitted
    std::int64_t waiting = 0;        ///< requests that had arrived when the first step began and were not admitted
    std::int64_t blocks = 0;         ///< of the cache in use at the end, before complete requests free theirs
    std::int64_t cache_blocks = 1;   ///< that the cache of the engine has
    std::int64_t engine = 0;         ///< number of the engine, from 0
    double watts = 0.0;              ///< mean power of the hottest of these steps; 0 if their energy is not stated

    friend bool operator==(EngineActivity const&, EngineActivity const&) = default;
};

/// Is called with what an engine does, in the order of time of each engine; engine after engine. May be empty.
using Observer = std::function<void(EngineActivity const&)>;

}  // namespace pimdse::sim::serving
