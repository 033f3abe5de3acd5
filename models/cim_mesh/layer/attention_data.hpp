#pragma once

#include "models/llm/workload.hpp"

namespace pimdse::models::cim_mesh {

/// Elements of the attention of one layer: those that are fixed before a request, and those that it makes.
struct AttentionData {
    double fixed = 0.0, dynamic = 0.0;
};

/// LEAP, equations 1 and 2: 4 D^2 weights; 5 S D of input, queries, keys, values and output, and S^2 scores, for a
/// sequence of S = `tokens`; a window limits keys, values and the scores of a query. With queries of another width than
/// D, or grouped ones, every matrix counts with its own width. The scores are those of one head, as in the paper.
[[nodiscard]] AttentionData attention_data(LanguageModel const& model, std::int64_t tokens);

}  // namespace pimdse::models::cim_mesh
