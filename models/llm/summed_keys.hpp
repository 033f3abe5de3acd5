#pragma once

#include "models/llm/request_passes.hpp"
#include "models/llm/workload.hpp"
#include "sim/base/each_number.hpp"

#include <cstdint>
#include <span>

namespace pimdse::models {

/// What attention, indexer and state of one layer of a kind do for the sequences of a pass: sums over these.
struct SummedKeys {
    double products = 0.0;             ///< multiply-accumulates of attention
    double read = 0.0, written = 0.0;  ///< keys and values
    double pairs = 0.0;                ///< of a query and a key
    double square = 0.0;               ///< the same with those that a causal mask hides
    double queries = 0.0, sequences = 0.0;
    double indexed = 0.0;                          ///< pairs that an indexer compares
    double index_read = 0.0, index_written = 0.0;  ///< keys of an indexer
    double state_products = 0.0;                   ///< multiply-accumulates of states
    double states_read = 0.0, states_written = 0.0;
    /// The same products where the queries of each sequence fill whole tiles; 0 if tiles were not asked for.
    double tiled_products = 0.0, tiled_indexed = 0.0, tiled_state_products = 0.0;
    SummedKeys& operator+=(SummedKeys const& o) {
        sim::add_numbers(*this, o);
        return *this;
    }
};

/// Queries that a unit computes together (of a state, positions of a chunk); 0: tiles are not asked for.
/// `of_shared_keys`: queries of all heads that share keys are rows of one tile, and states have none.
struct QueryTile {
    double rows = 0.0;
    bool of_shared_keys = false;
};

/// The sums over `sequences` sequences of this shape.
[[nodiscard]] SummedKeys summed(LanguageModel const& alike, PassShape const& shape, double sequences,
                                QueryTile tile = {});
/// The same over sequences with these contexts that decode a token each.
[[nodiscard]] SummedKeys summed_tokens(LanguageModel const& alike, std::span<std::int64_t const> contexts,
                                       QueryTile tile = {});

}  // namespace pimdse::models
