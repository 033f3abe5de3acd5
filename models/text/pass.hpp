#pragma once

#include "models/llm/summed_keys.hpp"
#include "models/text/request.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The operators of a pass of a model and the work of each, independent of the machine.
namespace pimdse::models::text {

/// Operators of a pass, in the order of execution, as rules name them. Matrices that have no name there (of latent
/// attention, states, indexers, embeddings per layer) are `latent`, and those of experts, whose tokens are grouped by
/// expert, `experts`; `state` is what a layer computes with its state; `overhead` is a layer as a whole, for what it
/// costs to start it.
enum class Operator : std::uint8_t {
    norm,
    q,
    k,
    v,
    latent,
    rotation,
    scores,
    softmax,
    values,
    state,
    o,
    gate,
    up,
    down,
    experts,
    activation,
    residual,
    lm_head,
    sampling,
    overhead
};
inline constexpr std::array<std::string_view, 20> operator_names{
    "norm",       "weights.q",        "weights.k",  "weights.v",        "weights.latent",
    "rotation",   "attention.scores", "softmax",    "attention.values", "attention.state",
    "weights.o",  "weights.gate",     "weights.up", "weights.down",     "weights.experts",
    "activation", "residual",         "lm_head",    "sampling",         "overhead"};
/// Operators of attention whose queries fill tiles of a unit.
inline constexpr std::array tiled_operators{Operator::scores, Operator::values, Operator::state};
/// Passes of a request that rules tell apart: those of prompts and denoising steps, and those that generate tokens.
enum class Phase : std::uint8_t { prefill, decode };
inline constexpr std::array<std::string_view, 2> phase_names{"prefill", "decode"};

/// Work of all executions of an operator in a pass, in the layers of one kind.
struct OperatorWork {
    double executions = 0.0;  ///< products of one matrix, or one per layer
    /// Programs that a processor starts for it: one per layer. What programs compute together counts once: queries,
    /// keys and values; gate and up; all matrices of experts; scores, softmax and values; a sum with the norm after it.
    double kernels = 0.0;
    /// Of scores: sets of keys of one head of one sequence, which are computed apart, in so many layers (`tasked`). Of
    /// sampling: sequences that yield tokens.
    double tasks = 0.0, tasked = 0.0;
    /// Of one execution: rows x inputs times inputs x outputs; elements of an elementwise operator are `rows`.
    double rows = 0.0, inputs = 0.0, outputs = 0.0;
    double operations = 0.0;                       ///< FLOP of matrix products; 0 for elementwise operators
    double tiled = 0.0;                            ///< FLOP of attention in whole tiles of queries; 0: not asked for
    double elements = 0.0;                         ///< of elementwise operators
    double weight_bytes = 0.0;                     ///< read
    double cache_read = 0.0, cache_written = 0.0;  ///< B of keys and values, or states
    double logit_bytes = 0.0;                      ///< read once
    double taken = 0.0, made = 0.0;                ///< elements of activations read, if each is read once, and written
    // Of attention: heads that share keys and values, and how many positions ask and are new, in all layers. Of
    // sampling, query_positions: those whose logits it samples.
    std::int64_t heads = 0, kv_heads = 0, head_size = 0, value_size = 0;
    double keys = 0.0, query_positions = 0.0, new_positions = 0.0;
    bool of_values = false;
    /// Units in banks can compute it: not states, nor latent attention, of which scores sum along a cached vector and
    /// weighted sums along positions.
    bool for_banks = true;
    std::optional<ProductsIn> in;  ///< of products by weights; nothing: as the request
    double masked = 1.0;  ///< pairs of queries and keys, those that a causal mask hides included, over those that count
};

/// Layers of one kind, and what does not depend on the pass.
struct LayerKindWork {
    LanguageModel const* alike = nullptr;
    std::vector<WeightMatrix> matrices;
    struct Role {
        Operator op = Operator::latent;
        bool joins_another = false;  ///< programs compute it together with another matrix, which counts for both
        bool is_activated = false;   ///< an activation follows
    };
    std::vector<Role> roles;                       ///< of the matrices
    double read_bytes = 0.0, written_bytes = 0.0;  ///< of a position, by attention in all of these layers
    double index_bytes = 0.0;                      ///< of a position, by the indexer
    double state_bytes = 0.0;                      ///< of a sequence
};
[[nodiscard]] std::vector<LayerKindWork> layer_work(LlmRequest const& request);

/// Receives the operators of a pass in the order of execution, kind of layer by kind of layer: a reference to something
/// that can be called with an Operator and its OperatorWork, which lives longer.
class TakeOperator {
  public:
    template <class Call>
    TakeOperator(Call const& call)
        : object_(&call), call_([](void const* object, Operator op, OperatorWork const& work) {
              (*static_cast<Call const*>(object))(op, work);
          }) {}
    void operator()(Operator op, OperatorWork const& work) const { call_(object_, op, work); }

  private:
    void const* object_;
    void (*call_)(void const*, Operator, OperatorWork const&);
};

/// Positions of a pass over all sequences.
struct PassPositions {
    double tokens = 0.0;    ///< that go through the layers
    double heads = 0.0;     ///< for which the LM head is computed, and whose logits are sampled
    double yielding = 0.0;  ///< sequences that yield tokens
};

/// All operators except those of attention, for these layers.
void layer_operators(LayerKindWork const& layers, LlmRequest const& request, double tokens, TakeOperator const& take);
/// Attention, indexer and state, as far as the layers have them.
void attention_operators(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take);
/// LM head and sampling; `logit`: bytes of a logit.
void head_operators(PassPositions const& positions, LlmRequest const& request, double logit, TakeOperator const& take);

}  // namespace pimdse::models::text
