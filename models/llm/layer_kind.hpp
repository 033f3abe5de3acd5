#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models {

/// One weight matrix of a layer: y[outputs] = x[inputs] W.
struct WeightMatrix {
    /// q, k, v, o, g (gate of the output), gate, up, down; experts_in and experts_out around experts; q_a, q_b, kv_a,
    /// kv_b of latent attention; state_... of a state; index_... of an indexer; embedding_... of an embedding per layer
    std::string name;
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::int64_t count = 1;   ///< how many matrices of this shape a layer has (experts)
    std::int64_t active = 1;  ///< how many of them a token uses

    friend bool operator==(WeightMatrix const&, WeightMatrix const&) = default;
};

/// What a layer computes its state by (state.hpp has matrices and operations). S is a state of a head, key_dimension x
/// value_dimension.
enum class StateKind : std::uint8_t {
    none,
    gated_delta,  ///< gated DeltaNet (Yang, Kautz, Hatamizadeh, ICLR 2025, arXiv:2412.06464), as in Qwen3-Next
    kimi_delta,   ///< the same with a decay for each key element (Kimi Linear, arXiv:2510.26692)
    mamba2,       ///< SSD (Dao, Gu, ICML 2024, arXiv:2405.21060)
    mamba,        ///< selective scan (Gu, Dao, arXiv:2312.00752)
    linear,       ///< linear attention with a decay (Lightning Attention-2, arXiv:2401.04658)
    convolution   ///< a short convolution between two gates and nothing else (LFM2)
};

/// What a layer keeps of a sequence beside keys: it does not grow, and every new token reads and writes it.
struct StateMixer {
    StateKind kind = StateKind::none;
    std::int64_t heads = 0;            ///< each with a state S; mamba: inner channels; convolution: channels
    std::int64_t key_heads = 0;        ///< heads of keys and queries, or groups of B and C; divides heads
    std::int64_t key_dimension = 0;    ///< of a head, or state size; convolution: 0
    std::int64_t value_dimension = 0;  ///< of a head; mamba and convolution: 1
    std::int64_t convolution = 0;      ///< positions that a short convolution spans, its own included; 0: there is none
    std::int64_t rank = 0;             ///< mamba: of step sizes; kimi_delta: of the decay, 0: one matrix
    std::int64_t chunk = 64;           ///< positions of a prompt that are computed together
    std::int64_t gate_rank = 0;        ///< kimi_delta: of the gate, 0: one matrix

    [[nodiscard]] std::int64_t key_width() const { return key_heads * key_dimension; }
    [[nodiscard]] std::int64_t value_width() const { return heads * value_dimension; }

    friend bool operator==(StateMixer const&, StateMixer const&) = default;
};

/// Chooses the positions that a query attends to (DeepSeek-V3.2): `heads` products of `dimension` with one key of each
/// position, which is cached beside the others.
struct Indexer {
    std::int64_t heads = 0;  ///< 0: the positions are those that a layer before it has chosen (GLM-5.2)
    std::int64_t dimension = 0;
    /// That a query attends to at most, or so many compressed keys; 0: without an indexer.
    std::int64_t positions = 0;
    std::int64_t pool = 1;  ///< positions of which one key is cached and compared (GLM-5.3-Flash)
    bool weighted = true;   ///< a matrix weighs the products of the heads; false: they are summed (Qwen3.8-Flash-Next)

    friend bool operator==(Indexer const&, Indexer const&) = default;
};

/// Layers of a model that have the same shape. A layer attends, has a state, or both side by side, or neither; and it
/// has a network, experts, both, or neither.
struct LayerKind {
    std::int64_t layers = 0;
    std::int64_t window = 0;  ///< positions that a query attends to at most; 0: all up to itself
    bool chunked = false;     ///< windows do not slide, but follow one another: a query attends to its own up to itself
    std::int64_t ffn = 0;  ///< width of the feed-forward network, or of the shared expert, that every token uses; or 0
    std::int64_t experts = 0;
    std::int64_t experts_active = 0;
    std::int64_t expert_ffn = 0;
    std::int64_t expert_inputs = 0;  ///< width to which a matrix leads before the experts, and from it another; or 0

    bool attends = true;  ///< has attention with keys and values
    // Of attention; 0 in a list for set_layers: those of the model.
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;  ///< fewer than `heads` under grouped-query attention
    std::int64_t head_dimension = 0;
    std::int64_t value_dimension = 0;  ///< of a head; 0: head_dimension
    bool shares_keys = false;          ///< attends to keys and values of a layer before it, and caches none
    bool values_from_keys = false;     ///< values are what matrix k yields: there is no v
    bool one_vector = false;           ///< likewise, and the vector is cached once for both (DeepSeek-V4)
    std::int64_t compression = 0;      ///< beside those of the window, one key stands for so many positions; 0: none
    bool output_gate = false;          ///< the output of the heads is multiplied by a gate from a matrix as wide, g
    Indexer indexer{};
    StateMixer state{};

    std::int64_t layer_embedding = 0;      ///< width of an embedding of each token of its own, which is looked up; or 0
    std::vector<WeightMatrix> matrices{};  ///< further ones, which every token uses and every device has
    std::int64_t other_parameters = 0;     ///< besides those that its shape implies and other_layer_parameters
    std::size_t format = 0;                ///< of weights, in `formats` of the model
    std::int64_t weight_sets = 0;          ///< sets of weights that the layers share; 0: each has its own

    friend bool operator==(LayerKind const&, LayerKind const&) = default;
};

}  // namespace pimdse::models
