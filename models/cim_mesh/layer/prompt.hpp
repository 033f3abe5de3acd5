#pragma once

#include "models/cim_mesh/layer/program.hpp"

namespace pimdse::models::cim_mesh {

/// Query vectors a router holds while keys stream past: `context_tile`, or the room the cache leaves when so many
/// tokens of every request are in it; at least one.
class HeldQueries {
  public:
    HeldQueries(KvCache const& cache, std::int64_t context_tile);

    /// With the keys of so many tokens in the cache.
    [[nodiscard]] std::int64_t at(std::int64_t tokens) const;
    [[nodiscard]] std::int64_t max() const { return at(1); }

  private:
    friend class TokensByHeld;
    /// The last number of tokens at which `held` are held; far more than any request has where the cache keeps none.
    [[nodiscard]] std::int64_t last_with(std::int64_t held) const;

    std::int64_t slots_, routers_, per_token_, tile_;
};

/// What one more token of a prompt keeps busy, cycles, and what a pair of a query and a key does.
struct PromptUnits {
    double vectors = 0.0;        ///< busiest router, or slowest stage of the tree
    double adapters = 0.0;       ///< SRAM-DCIM
    double crossbar = 0.0;       ///< one product of every crossbar; beside all others
    double softmax = 0.0;        ///< a pair
    double stream = 0.0;         ///< a key that passes all queries held
    double products = 0.0;       ///< a pair, multipliers
    double attained = 1.0;       ///< share of their peak that programs attain of all these
    double alone = 0.0;          ///< a token that has the layer for itself, without keys
    double alone_per_key = 0.0;  ///< and for each key

    [[nodiscard]] double pair(std::int64_t held) const;
};

/// Cycles of the tokens that follow the first through the pipeline, by what they wait for.
struct Following {
    double vectors = 0.0, adapters = 0.0, attention = 0.0;
    double crossbars = 0.0;  ///< of tokens whose crossbars are the slowest
    double alone = 0.0;      ///< of tokens that are sooner through one after the other than in the pipeline

    [[nodiscard]] double total() const { return vectors + adapters + attention + crossbars + alone; }
};

/// `count` tokens of a causal prompt that follow each other. Token i adds 2 i pairs, so that all of them are a full
/// square, as the published figures say.
[[nodiscard]] Following following(PromptUnits const& units, HeldQueries const& held, std::int64_t count);
/// `count` positions, a mean, that attend to `keys` each.
[[nodiscard]] Following following(PromptUnits const& units, HeldQueries const& held, double count, std::int64_t keys);

/// Keys that stream past held queries, each once: of `count` tokens of a causal prompt; of positions that attend to
/// `keys` each.
[[nodiscard]] double key_streams(HeldQueries const& held, std::int64_t count);
[[nodiscard]] double key_streams(HeldQueries const& held, double count, std::int64_t keys);

}  // namespace pimdse::models::cim_mesh
