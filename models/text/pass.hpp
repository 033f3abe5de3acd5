#pragma once

#include "models/text/request.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
/// Passes of a request that rules tell apart: those of prompts and denoising steps, and those that generate tokens.
enum class Phase : std::uint8_t { prefill, decode };
inline constexpr std::array<std::string_view, 2> phase_names{"prefill", "decode"};

/// Shape of one pass of the model over every sequence of the batch; all numbers are per sequence.
struct PassShape {
    double queries = 0.0;   ///< positions that are computed
    ContextRange contexts;  ///< their numbers; denoising: the number of all positions, to which each of them attends
    double cached = 0.0;    ///< positions whose keys and values are read where attention has no window
    double heads = 0.0;     ///< positions for which the LM head is computed
    /// The positions follow each other at the end of the context: a window bounds what they read.
    bool decodes = false;
};

[[nodiscard]] PassShape prompt_pass(LlmRequest const& request);
/// Mean shape of passes after the prompt: their cost is linear in the keys, so the mean is exact without windows.
[[nodiscard]] PassShape token_pass(TokenPasses const& passes);
/// A denoising step that computes `queries` positions of each sequence.
[[nodiscard]] PassShape denoising_pass(LlmRequest const& request, double queries);

/// What a pass reads in the layers of one kind.
struct KeysRead {
    double keys = 0.0;       ///< to which a query attends, on average
    double positions = 0.0;  ///< whose keys and values are read
};
[[nodiscard]] KeysRead keys_read(LanguageModel const& alike, PassShape const& shape);

/// Work of all executions of an operator in a pass, in the layers of one kind.
struct OperatorWork {
    double executions = 0.0;  ///< products of one matrix, or one per layer
    /// Programs that a processor starts for it: one per layer. What programs compute together counts once: queries,
    /// keys and values; gate and up; all matrices of experts; scores, softmax and values; a sum with the norm after it.
    double kernels = 0.0;
    double tasks = 0.0;  ///< of scores: sets of keys of one head of one sequence, which are computed apart
    /// Of one execution: rows x inputs times inputs x outputs; elements of an elementwise operator are `rows`.
    double rows = 0.0, inputs = 0.0, outputs = 0.0;
    double operations = 0.0;                       ///< FLOP of matrix products; 0 for elementwise operators
    double elements = 0.0;                         ///< of elementwise operators
    double weight_bytes = 0.0;                     ///< read
    double cache_read = 0.0, cache_written = 0.0;  ///< B of keys and values, or states
    double logit_bytes = 0.0;                      ///< read once
    double taken = 0.0, made = 0.0;                ///< elements of activations read, if each is read once, and written
    // Of attention: heads that share keys and values, and how many positions ask and are new, in all layers.
    std::int64_t heads = 0, kv_heads = 0, head_size = 0;
    double keys = 0.0, query_positions = 0.0, new_positions = 0.0;
    bool of_values = false;
    double masked = 1.0;  ///< pairs of queries and keys, those that a causal mask hides included, over those that count
};

/// Sums over the sequences of a pass in the layers of one kind, of one layer.
struct SummedKeys {
    double products = 0.0;             ///< multiply-accumulates
    double read = 0.0, written = 0.0;  ///< positions whose keys and values are
    double pairs = 0.0;                ///< of a query and a key
    double square = 0.0;               ///< the same with those that a causal mask hides
    double queries = 0.0, sequences = 0.0;
    double indexed = 0.0, index_read = 0.0;  ///< pairs that an indexer compares, and positions whose keys it reads
    double state_products = 0.0;             ///< multiply-accumulates of states
    double states_read = 0.0, states_written = 0.0;
    SummedKeys& operator+=(SummedKeys const& o);
};

/// Layers of one kind, and what does not depend on the pass.
struct LayerKindWork {
    LanguageModel const* alike = nullptr;
    std::vector<WeightMatrix> matrices;
    std::vector<Operator> operators;               ///< of the matrices
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
    double heads = 0.0;     ///< for which the LM head is computed
    double sampling = 0.0;  ///< sequences whose block of logits is read
};

/// All operators except those of attention, for these layers.
void layer_operators(LayerKindWork const& layers, LlmRequest const& request, double tokens, TakeOperator const& take);
/// Attention, indexer and state, as far as the layers have them.
void attention_operators(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take);
/// LM head and sampling; `logit`: bytes of a logit.
void head_operators(PassPositions const& positions, LlmRequest const& request, double logit, TakeOperator const& take);

/// Positions of one sequence whose keys or states a pass continues: `queries` follow `cached` others, attend to `keys`
/// each on average and to `read` together. `decodes`: they are tokens, which are computed one after the other and of
/// which some may be refused, so that the state behind each is written.
struct AttendedPositions {
    double queries = 0.0, cached = 0.0, keys = 0.0, read = 0.0;
    bool decodes = false;
    double context = 0.0;  ///< positions before a query, itself included, on average
};
/// The same for `sequences` of them.
[[nodiscard]] SummedKeys summed(LanguageModel const& alike, AttendedPositions const& each, double sequences);
[[nodiscard]] SummedKeys attended_by(LanguageModel const& alike, LlmRequest const& request, PassShape const& shape);

}  // namespace pimdse::models::text
