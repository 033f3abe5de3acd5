#include "models/llm/summed_keys.hpp"

#include "models/llm/state.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pimdse::models {
namespace {

using sim::as_double;

/// As `cached` of attention_multiplications: more keys than are worth expanding for a token.
constexpr double all_cached = std::numeric_limits<double>::infinity();

double filled(double rows, double tile) { return std::ceil(rows / tile) * tile; }

/// Queries of each head that fill tiles, where so many heads share keys. One head alone needs no product of matrices.
double queries_of(double queries, QueryTile tile, std::int64_t heads) {
    if (!tile.of_shared_keys) return filled(queries, tile.rows);
    return heads > 1 ? filled(queries, tile.rows / static_cast<double>(heads)) : queries;
}

std::int64_t heads_of_a_key(LanguageModel const& alike) {
    return alike.kv_rank > 0 ? alike.heads : alike.heads / alike.kv_heads;
}

/// What a pass reads in the layers of one kind.
struct KeysRead {
    double keys = 0.0;       ///< to which a query attends, on average
    double positions = 0.0;  ///< whose keys and values are read; a compressed one counts as one
};
/// Tokens read what any of them attends to; a prompt, its own positions and what its first one attends to.
KeysRead keys_read(LanguageModel const& alike, PassShape const& s) {
    double const keys = mean_keys(alike, s.contexts);
    if (s.decodes || s.queries <= 1.0)
        return {keys, std::min(s.cached * keys_per_position(alike), keys + s.queries - 1.0)};
    double const before = std::max(0.0, single_keys(alike, s.contexts.first) - 1.0);
    // Queries of a prompt choose among all compressed keys.
    double const compressed = s.contexts.last * (keys_per_position(alike) - 1.0);
    return {keys, std::min(s.cached, before + s.queries) + compressed};
}

/// A tile has queries of one sequence, or positions of a chunk of one.
void add_tiles(LanguageModel const& alike, PassShape const& s, double sequences, QueryTile tile, SummedKeys& to) {
    if (alike.attends) {
        auto const [keys, read] = keys_read(alike, s);
        auto const fill = [&](double rows) { return sequences * queries_of(rows, tile, heads_of_a_key(alike)); };
        to.tiled_products = attention_multiplications(alike, fill(s.queries), keys, fill(read - s.queries));
    }
    if (alike.indexer.heads > 0)
        to.tiled_indexed = sequences * queries_of(s.queries, tile, alike.indexer.heads) *
                           (s.contexts.first + s.contexts.last) / 2.0 * index_keys_per_position(alike);
    if (tile.of_shared_keys) {
        to.tiled_state_products = to.state_products;
        return;
    }
    if (has_state(alike)) {
        double const rows = s.decodes ? 1.0 : static_cast<double>(alike.state.chunk);
        to.tiled_state_products = to.state_products / rows * filled(rows, tile.rows);
    }
}

/// Whether what tokens do that attend to so many keys or more follows from sums of keys: latent attention of few keys
/// may expand them instead.
bool adds_up(LanguageModel const& alike, double keys, QueryTile tile) {
    if (!alike.attends || alike.kv_rank == 0) return true;
    double const queries = tile.rows > 0.0 ? queries_of(1.0, tile, heads_of_a_key(alike)) : 1.0;
    return keys > 1.0 && attention_multiplications(alike, queries, 2.0, 1.0) ==
                             attention_multiplications(alike, queries, 2.0, all_cached);
}

}  // namespace

SummedKeys summed(LanguageModel const& alike, PassShape const& s, double sequences, QueryTile tile) {
    double const queries = sequences * s.queries;
    SummedKeys sum{.queries = queries, .sequences = sequences};
    if (alike.attends) {
        auto const [keys, read] = keys_read(alike, s);
        sum.products = attention_multiplications(alike, queries, keys, sequences * (read - s.queries));
        sum.read = sequences * read;
        sum.written = queries * keys_per_position(alike);
        sum.pairs = queries * keys;
        sum.square = queries * std::max(keys, read);
    }
    if (alike.indexer.heads > 0) {
        double const each = index_keys_per_position(alike);
        sum.indexed = queries * (s.contexts.first + s.contexts.last) / 2.0 * each;
        sum.index_read = sequences * s.cached * each;
        sum.index_written = queries * each;
    }
    if (has_state(alike)) {
        sum.state_products =
            s.decodes ? token_state_multiplications(alike, queries) : prompt_state_multiplications(alike, queries);
        sum.states_read = sequences;
        sum.states_written = s.decodes ? queries : sequences;
    }
    if (tile.rows > 0.0) add_tiles(alike, s, sequences, tile, sum);
    return sum;
}

SummedKeys summed_tokens(LanguageModel const& alike, std::span<std::int64_t const> contexts, QueryTile tile) {
    SummedKeys sum;
    if (contexts.empty()) return sum;
    auto const [least, most] = std::ranges::minmax(contexts);
    if (!adds_up(alike, keys_of(alike, as_double(least)), tile)) {
        for (auto const context : contexts) sum += summed(alike, token_at(context), 1.0, tile);
        return sum;
    }
    sum = summed(alike, token_at(1), as_double(std::ssize(contexts)), tile);
    auto const positions = as_double(std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0}));
    if (alike.attends) {
        double attended = exceeded_window(alike, most) == 0 ? positions * keys_per_position(alike) : 0.0;
        if (attended == 0.0)
            for (auto const context : contexts) attended += keys_of(alike, as_double(context));
        sum.products = attention_multiplications(alike, 1.0, attended, all_cached);
        sum.read = sum.pairs = sum.square = attended;
        if (tile.rows > 0.0) sum.tiled_products = sum.products * queries_of(1.0, tile, heads_of_a_key(alike));
    }
    if (alike.indexer.heads > 0) {
        sum.indexed = sum.index_read = positions * index_keys_per_position(alike);
        if (tile.rows > 0.0) sum.tiled_indexed = sum.indexed * queries_of(1.0, tile, alike.indexer.heads);
    }
    return sum;
}

}  // namespace pimdse::models
