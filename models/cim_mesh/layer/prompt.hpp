#pragma once

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/program.hpp"

namespace pimdse::models::cim_mesh {

/// Number of query vectors that a router holds while keys stream past: `context_tile`, or the space that the cache
/// leaves at a number of tokens per request; at least one. Each has its scores with it, if they are kept.
class HeldQueries {
  public:
    HeldQueries(KvCache const& cache, std::int64_t context_tile);

    /// The number with the keys of `tokens` tokens of every request in the cache.
    [[nodiscard]] std::int64_t at(std::int64_t tokens) const;
    [[nodiscard]] std::int64_t max() const { return at(1); }
    /// The largest number of tokens at which `held` queries are held; practically infinite if no keys are kept.
    [[nodiscard]] std::int64_t last_with(std::int64_t held) const;
    /// Queries held by a router if the cache has the tokens of `requests` requests and `others` further positions.
    [[nodiscard]] HeldQueries beside(std::int64_t requests, std::int64_t others) const;

  private:
    std::int64_t slots_, scores_, routers_, per_token_, tile_;
    std::int64_t others_ = 0;  ///< slots of further positions
};

/// Busy times [cycles] of units per token of a prompt, and per pair of a query and a key.
struct PromptUnits {
    double vectors = 0.0;        ///< busiest router, or slowest stage of the tree
    double adapters = 0.0;       ///< SRAM-DCIM
    double crossbar = 0.0;       ///< one product of every crossbar, arrays of keys and values, or a counted activation;
                                 ///< overlaps all others
    double link = 0.0;           ///< busiest link, at the share of its saturation that it is given
    double softmax = 0.0;        ///< per pair
    double stream = 0.0;         ///< a key that passes all held queries
    double products = 0.0;       ///< multipliers, per pair
    double attained = 1.0;       ///< share of the peak of all units but the link that programs attain
    double alone = 0.0;          ///< latency of a token that is alone in the layer, without keys
    double alone_per_key = 0.0;  ///< additional latency per key

    [[nodiscard]] double pair(std::int64_t held) const;
};

/// Cycles of the tokens that follow the first one through the pipeline, by the unit that limits them.
struct Following {
    double vectors = 0.0, adapters = 0.0, attention = 0.0;
    double crossbars = 0.0;  ///< of tokens that crossbars limit
    double alone = 0.0;      ///< of tokens that are faster one after the other than in the pipeline
    double link = 0.0;       ///< of tokens that wait for the busiest link

    [[nodiscard]] double total() const { return vectors + adapters + attention + crossbars + alone + link; }
    Following& operator+=(Following const& more);
};

/// The tokens 1 to `count` of a causal prompt whose windows, if there are any, end the growth of their keys: token i
/// attends to at most `window` keys, or to those since the last multiple of it. Without windows, token i adds 2 i
/// pairs, so that the pairs of all tokens are a full square, as the published figures imply. Of a part of a prompt,
/// token i attends to the `cached` tokens before that part as well: it adds a row of pairs with all its keys, and a
/// column with the tokens of its part alone, so that the pairs of a part are a full rectangle.
struct PromptTokens {
    std::int64_t count = 0;
    std::int64_t window = 0;  ///< 0: token i attends to `cached` + i keys
    bool chunked = false;
    std::int64_t cached = 0;
};
[[nodiscard]] PromptTokens tokens_of_prompt(Design const& design, std::int64_t count, std::int64_t cached = 0);
[[nodiscard]] Following following(PromptUnits const& units, HeldQueries const& held, PromptTokens const& tokens);

/// `count` positions (a mean number) that attend to `keys` keys each.
[[nodiscard]] Following following(PromptUnits const& units, HeldQueries const& held, double count, std::int64_t keys);

/// Number of keys that stream past held queries: for `count` tokens of a causal prompt; for `count` positions that
/// attend to `keys` keys each.
[[nodiscard]] double key_streams(HeldQueries const& held, PromptTokens const& tokens);
[[nodiscard]] double key_streams(HeldQueries const& held, double count, std::int64_t keys);

/// Pairs of a query and a key that these tokens add.
[[nodiscard]] double added_pairs(PromptTokens const& tokens);

}  // namespace pimdse::models::cim_mesh
