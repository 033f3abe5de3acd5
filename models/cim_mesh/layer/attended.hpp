#pragma once

#include "models/cim_mesh/design.hpp"
#include "models/llm/workload.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Keys to which the positions of a request attend in a layer of the design (README.md, Windows). With a window that is
/// shorter than the request, a layer at some context is a layer without a window at the number of keys in its window:
/// the cache is a ring with a place for each of these keys. All functions give the context itself without such a
/// window.

/// Whether the layers have a window that is shorter than the request.
[[nodiscard]] bool is_windowed(Design const& design);
/// Keys of the position at `context`, itself included.
[[nodiscard]] std::int64_t keys_at(Design const& design, std::int64_t context);
/// Most keys to which a position up to `context` attends; the cache holds as many.
[[nodiscard]] std::int64_t max_keys(Design const& design, std::int64_t context);
/// Mean number of keys of the decoded tokens, or of the last positions of passes that verify proposals, by the
/// trapezoid rule over all contexts; the same as a whole number.
[[nodiscard]] double mean_decoded_keys(Design const& design);
[[nodiscard]] std::int64_t middle_keys(Design const& design);
/// Mean number of keys of the positions 1 to `tokens` of a prompt.
[[nodiscard]] double mean_prompt_keys(Design const& design, std::int64_t tokens);

/// A context, or a number of keys, at which a decoded token is simulated, and its weight in the mean over all decoded
/// tokens. Contexts lie between input and input + output. The mean uses the trapezoid rule over all contexts up to
/// `max` generated tokens, and over max + 1 evenly spaced contexts beyond (between them every cost obeys a recurrence
/// with steps of whole flits per key). Weights sum to 1; the mean of a linear cost is its value in the middle.
struct Sample {
    std::int64_t context = 0;
    double weight = 0.0;
};
[[nodiscard]] std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output, std::int64_t max);
/// The same for the numbers of keys. With a window, each stretch of contexts in which their number grows is sampled for
/// itself, and stretches with the same numbers are counted together. The numbers are in no order.
[[nodiscard]] std::vector<Sample> sampled_keys(Design const& design, std::int64_t max);
/// The numbers of keys of tokens at each of these contexts: all of them if they are not more than `max`, otherwise
/// sampled as above.
[[nodiscard]] std::vector<Sample> keys_between(Design const& design, std::int64_t first, std::int64_t last,
                                               std::int64_t max);

/// Elements of the attention of one layer: those that are fixed before a request, and those that it makes.
struct AttentionData {
    double fixed = 0.0, dynamic = 0.0;
};

/// LEAP, equations 1 and 2: 4 D^2 weights; 5 S D of input, queries, keys, values and output, and S^2 scores, for a
/// sequence of S = `tokens`; a window limits keys, values and the scores of a query. With queries of another width than
/// D, or grouped ones, every matrix counts with its own width. The scores are those of one head, as in the paper.
[[nodiscard]] AttentionData attention_data(LanguageModel const& model, std::int64_t tokens);

}  // namespace pimdse::models::cim_mesh
