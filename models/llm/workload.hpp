#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models {

enum class Attention : std::uint8_t { causal, bidirectional };

/// The shape of a decoder model as published in its configuration; all counts are elements. A file of models/llm.
struct LanguageModel {
    std::string name;
    Attention attention = Attention::causal;
    std::int64_t layers = 0;
    std::int64_t hidden = 0;  ///< width of the residual stream, d
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;  ///< fewer than `heads` under grouped-query attention
    std::int64_t head_dimension = 0;
    std::int64_t ffn = 0;  ///< width of the feed-forward network, or of the shared expert, that every token uses; or 0
    bool gated = false;    ///< gate, up and down matrices instead of up and down
    std::int64_t vocabulary = 0;
    bool tied_embedding = false;  ///< the LM head is the token embedding
    std::int64_t maximum_context = 0;
    bool qkv_bias = false;
    bool output_bias = false;
    bool ffn_bias = false;
    bool layer_norm = false;  ///< LayerNorm (scale and shift) instead of RMSNorm (scale)
    bool learned_positions = false;
    std::int64_t experts = 0;
    std::int64_t experts_active = 0;
    std::int64_t expert_ffn = 0;
    std::int64_t other_layer_parameters = 0;  ///< of a layer: norms of queries and keys, gate of a shared expert
    std::int64_t embedding_projection = 0;    ///< width of the token embedding; differs from hidden in OPT-350M
    double published_parameters = 0.0;        ///< number of parameters that the authors state; 0 if unknown
    std::string source;

    [[nodiscard]] std::int64_t query_width() const { return heads * head_dimension; }
    [[nodiscard]] std::int64_t kv_width() const { return kv_heads * head_dimension; }
};

/// One weight matrix of a layer: y[outputs] = x[inputs] W.
struct WeightMatrix {
    std::string name;  ///< q, k, v, o, gate, up, down
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::int64_t count = 1;   ///< how many matrices of this shape a layer has (experts)
    std::int64_t active = 1;  ///< how many of them a token uses
};

/// The weight matrices of one decoder layer, in the order of execution.
[[nodiscard]] std::vector<WeightMatrix> layer_matrices(LanguageModel const& model);

/// Which experts count in the weights of one layer (without biases and norms): all, or those that a token uses.
enum class Experts : std::uint8_t { all, active };
[[nodiscard]] std::int64_t layer_weights(LanguageModel const& model, Experts experts = Experts::all);

/// Expected number of experts of a layer that at least one of `tokens` tokens chooses, if each token chooses
/// independently and uniformly.
[[nodiscard]] double touched_experts(LanguageModel const& model, double tokens);

/// Copies of a weight matrix of a layer that `tokens` tokens read: one, or the touched experts. Each of these
/// multiplies tokens x active / touched of the tokens on average.
[[nodiscard]] double touched_copies(LanguageModel const& model, WeightMatrix const& matrix, double tokens);

/// Weights of the LM head matrix, hidden x vocabulary (embedding_projection x vocabulary where they differ).
[[nodiscard]] std::int64_t lm_head_weights(LanguageModel const& model);

/// Number of parameters computed from the dimensions: matrices, biases, norms, embeddings, positions. A file whose
/// `published_parameters` differs from it by more than 1 % is refused.
[[nodiscard]] std::int64_t total_parameters(LanguageModel const& model);

/// Elements of keys and values that a token adds to the cache of a layer.
[[nodiscard]] std::int64_t kv_elements_per_token(LanguageModel const& model);

}  // namespace pimdse::models
