#pragma once

#include "models/llm/layer_kind.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pimdse::models {

enum class Attention : std::uint8_t { causal, bidirectional };

/// How a matrix is stored; what is not converted has 16 bits.
struct NumberFormat {
    double bits = 16;                ///< of a weight; with all scales where blocks of a file have a fixed size
    bool floating = true;            ///< weights are floating-point numbers with their own exponent
    std::int64_t group_inputs = 0;   ///< inputs of a matrix whose weights share a scale; 0: all
    std::int64_t group_outputs = 1;  ///< outputs, likewise
    double scale_bits = 0.0;         ///< of the scale of a group, including its share of scales of scales
    double zero_bits = 0.0;          ///< of the zero point of a group
    double input_bits = 0.0;         ///< of each input of a matrix: GPTQ states the group of each
    double matrix_bits = 0.0;        ///< of each matrix: a scale of scales
    double activation_bits = 16;     ///< of what products multiply the weights by; 16: it is not converted
    bool activation_floats = true;   ///< and whether these are floating-point numbers

    friend bool operator==(NumberFormat const&, NumberFormat const&) = default;
};

/// How the file of a model stores the matrices of layers that are alike. weight_format.hpp has the bytes.
struct WeightFormat {
    std::string method;  ///< "gptq", as `quantization_config` names it; "": no file says, 16 bits
    NumberFormat usual;  ///< of most matrices
    /// Of those that differ, by matrix_key; also "lm_head", "embedding" and "router", which have 16 bits otherwise.
    std::map<std::string, NumberFormat, std::less<>> others;

    friend bool operator==(WeightFormat const&, WeightFormat const&) = default;
};

/// The shape of a decoder model as published in its configuration; all counts are elements. A file of models/llm. What
/// it inherits is the shape of its layers, or of the first kind if there are several.
struct LanguageModel : LayerKind {
    std::string name;
    Attention attention = Attention::causal;
    std::int64_t hidden = 0;  ///< width of the residual stream, d
    bool gated = false;       ///< gate, up and down matrices instead of up and down
    std::int64_t vocabulary = 0;
    bool tied_embedding = false;   ///< the LM head is the token embedding
    bool borrowed_tables = false;  ///< both are those of the model whose tokens it proposes (prediction heads)
    std::int64_t maximum_context = 0;
    bool qkv_bias = false;
    bool output_bias = false;
    bool ffn_bias = false;
    bool head_bias = false;        ///< of the LM head
    bool layer_norm = false;       ///< LayerNorm (scale and shift) instead of RMSNorm (scale)
    std::int64_t layer_norms = 2;  ///< norms of the residual stream in a layer
    std::int64_t end_norms = 1;    ///< and outside the layers
    bool learned_positions = false;
    std::int64_t position_rows = 0;            ///< of the table of learned positions
    bool router_bias = false;                  ///< of the choice of experts
    bool shared_expert_gate = false;           ///< a weight per element of the residual stream, beside a shared expert
    std::int64_t other_layer_parameters = 0;   ///< of every layer: further norms, sinks, biases of experts
    std::int64_t other_expert_parameters = 0;  ///< of every expert: biases
    std::int64_t other_model_parameters = 0;   ///< beside the layers, embeddings and norms
    std::int64_t unread_parameters = 0;        ///< of these, tables of which a token uses some rows, experts of images
    std::int64_t embedding_projection = 0;     ///< width of the token embedding; differs from hidden in OPT-350M
    std::int64_t layer_vocabulary = 0;         ///< tokens with an embedding per layer; 0: vocabulary
    std::int64_t state_bits = 32;              ///< of an element of a state; a convolution keeps elements of 16 bits
    double published_parameters = 0.0;         ///< number of parameters that the authors state; 0 if unknown
    double published_active = 0.0;             ///< of those that a token uses; 0 if all, or unknown
    std::string source;
    std::vector<std::string> remarks;  ///< on what of its file was read, and what is not counted

    // Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): keys and values of all heads are computed from one
    // vector of `kv_rank` per position, which is cached with one key of `rope_dimension`. `head_dimension` contains
    // `rope_dimension`, and `kv_heads` is `heads`.
    std::int64_t kv_rank = 0;     ///< 0: keys and values are computed from the residual stream, and cached
    std::int64_t query_rank = 0;  ///< 0: so are the queries
    std::int64_t rope_dimension = 0;

    // DeepSeek-V4: `query_rank` without latent attention; two matrices behind the heads, the first one by groups.
    std::int64_t output_groups = 0, output_rank = 0;  ///< of each group; 0: one matrix, o
    std::int64_t residual_streams = 1;                ///< which every part of a layer mixes (mHC, arXiv:2512.24880)

    WeightFormat weight_format;         ///< of the file; machines have formats of their own
    std::vector<WeightFormat> formats;  ///< those of several kinds of layers, the first is `weight_format`; or none
    double plain_bits = 16;             ///< of what the file does not convert; machines have 16 bits
    double file_bytes = 0.0;            ///< of all tensors of the file, if their sizes are known; else 0

    /// The kinds of layers if there are several, each once; `layers` is their sum. alike_layers gives one model for
    /// each.
    std::vector<LayerKind> kinds;
    std::vector<std::uint16_t> order;  ///< which of `kinds` each layer is
    /// Devices that share the experts of this part of a model (shard.hpp), each of which sends its tokens to all.
    std::int64_t expert_devices = 1;
    std::int64_t joined_devices = 1;   ///< that serve this part as one machine (shard.hpp)
    std::vector<LanguageModel> alike;  ///< by finish_layers

    [[nodiscard]] std::int64_t query_width() const { return heads * head_dimension; }
    [[nodiscard]] std::int64_t kv_width() const { return kv_heads * head_dimension; }
    /// Of the vectors that experts read and yield.
    [[nodiscard]] std::int64_t expert_width() const { return expert_inputs > 0 ? expert_inputs : hidden; }
    /// Of the values of a head; of the sums of values of all heads; and of the values of a position.
    [[nodiscard]] std::int64_t value_size() const { return value_dimension > 0 ? value_dimension : head_dimension; }
    [[nodiscard]] std::int64_t value_width() const { return heads * value_size(); }
    [[nodiscard]] std::int64_t kv_value_width() const { return kv_heads * value_size(); }
};

/// Sets the layers of a model, in their order: equal kinds are joined, in the order of their first occurrence.
/// Precondition: there is one.
void set_layers(LanguageModel& model, std::vector<LayerKind> const& kinds);
/// Kinds of the layers that a pattern of their numbers (from 0) gives, which is repeated until all layers are there,
/// for set_layers. Preconditions: the pattern is not empty and names kinds that there are.
[[nodiscard]] std::vector<LayerKind> repeated(std::vector<LayerKind> const& kinds,
                                              std::vector<std::int64_t> const& pattern);
/// Makes the models of alike_layers, once all dimensions are set.
void finish_layers(LanguageModel& model);

/// The model as one model for each kind of layer, which has the layers of that kind only; the model itself if all are
/// alike. Embedding and LM head are in each of them, but belong to none.
[[nodiscard]] std::span<LanguageModel const> alike_layers(LanguageModel const& model);

/// Whether the layers have a network, dense or of experts, and a state. Their models are alike.
[[nodiscard]] inline bool has_network(LayerKind const& layer) { return layer.ffn > 0 || layer.experts > 0; }
[[nodiscard]] inline bool has_state(LayerKind const& layer) { return layer.state.kind != StateKind::none; }

/// Whether the layers of two models, each with one kind of layers, have the same feed-forward network or experts.
[[nodiscard]] bool same_network(LanguageModel const& a, LanguageModel const& b);

/// The weight matrices of one decoder layer of a model whose layers are alike, in the order of execution.
[[nodiscard]] std::vector<WeightMatrix> layer_matrices(LanguageModel const& model);

/// Which experts count in the weights of one layer (without biases and norms): all, or those that a token uses.
enum class Experts : std::uint8_t { all, active };
[[nodiscard]] std::int64_t layer_weights(LanguageModel const& model, Experts experts = Experts::all);

/// Expected number of experts of a layer that at least one of `tokens` tokens chooses, if each token chooses
/// independently and uniformly. Of a part of a model: of the experts that it has, by the tokens of all devices that
/// share experts, each of which has so many.
[[nodiscard]] double touched_experts(LanguageModel const& model, double tokens);

/// Copies of a weight matrix of a layer that `tokens` tokens read: one, or the touched experts. Each of these
/// multiplies tokens x active / touched of the tokens on average.
[[nodiscard]] double touched_copies(LanguageModel const& model, WeightMatrix const& matrix, double tokens);

/// Weights of the LM head matrix, hidden x vocabulary (embedding_projection x vocabulary where they differ).
[[nodiscard]] std::int64_t lm_head_weights(LanguageModel const& model);

/// Number of parameters computed from the dimensions: matrices, biases, norms, embeddings, positions. A file whose
/// `published_parameters` differs from it by more than 1 % is refused.
[[nodiscard]] std::int64_t total_parameters(LanguageModel const& model);

/// Those of them that a token uses: all except the experts that it does not choose and `unread_parameters`. Some
/// authors leave out the embedding, of which it uses a row.
[[nodiscard]] std::int64_t active_parameters(LanguageModel const& model);

/// Positions `first` to `last` of a sequence (from 1), each of which is computed once; none if `last` is smaller.
struct ContextRange {
    double first = 1.0, last = 1.0;
};
/// Keys and values that the position `context` (from 1) reads, its own included: those that a window or an indexer
/// leaves, and compressed ones, of which a position adds a share; 0 of layers without keys.
[[nodiscard]] double keys_of(LanguageModel const& model, double context);
/// Those of them that stand for one position each.
[[nodiscard]] double single_keys(LanguageModel const& model, double context);
/// Mean number of keys to which these positions attend, their own included.
[[nodiscard]] double mean_keys(LanguageModel const& model, ContextRange const& contexts);

/// Multiply-accumulates of attention in one layer of one sequence, for `queries` new positions that attend to `keys`
/// positions each on average; `cached` positions existed before. Latent attention either expands the cached vectors
/// into keys and values of all heads, or multiplies queries by the matrices that would do so: the cheaper of the two.
[[nodiscard]] double attention_multiplications(LanguageModel const& model, double queries, double keys, double cached);

/// Multiply-accumulates of the indexer of a layer, which compares each of the queries with `context` positions.
[[nodiscard]] double index_multiplications(LanguageModel const& model, double queries, double context);

/// The window, or the positions that an indexer chooses, that a request of `context` positions exceeds; 0 if it attends
/// to all positions.
[[nodiscard]] std::int64_t exceeded_window(LanguageModel const& model, std::int64_t context);

/// Layers that attend in chunks begin anew only after multiples of so many positions; 0 if there are none.
[[nodiscard]] std::int64_t chunk_of(LanguageModel const& model);

/// Keys of an indexer that a position adds: one, or a share of a compressed one.
[[nodiscard]] double index_keys_per_position(LanguageModel const& model);
/// Keys and values that a position adds to the cache of a layer and to its window.
[[nodiscard]] double keys_per_position(LanguageModel const& model);

/// Share of what a position adds to the cache of a layer that only its window keeps.
[[nodiscard]] double share_in_window(LanguageModel const& model);
/// Positions of a context of `positions` whose keys and values the cache of a layer holds; of compressed keys, as many
/// as take what these and those of the window do.
[[nodiscard]] double held_positions(LanguageModel const& model, double positions);

/// Elements of keys and values of a position that attention of a layer reads, if it attends.
[[nodiscard]] std::int64_t attention_elements(LanguageModel const& model);
/// Elements that a token adds to the cache of a layer: keys and values, unless those of another layer serve, and the
/// key of an indexer; the share of a token in compressed ones.
[[nodiscard]] double kv_elements_per_token(LanguageModel const& model);
/// The same for all layers of a model of any kinds.
[[nodiscard]] double position_elements(LanguageModel const& model);

/// Sets of weights that the layers have: as many as layers, unless they share them.
[[nodiscard]] std::int64_t weight_sets(LanguageModel const& model);

}  // namespace pimdse::models
