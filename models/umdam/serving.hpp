#pragma once

#include "models/llm/request_passes.hpp"
#include "models/umdam/request.hpp"
#include "sim/base/counting.hpp"

namespace pimdse::models::umdam {

/// The state of a request while it is served: what its phases share, and the cost so far.
class Serving {
  public:
    Serving(Prepared const& prepared, System const& served, Fidelity level);

    System const& system;
    MachineConstants const& machine;
    Fidelity fidelity;
    OperationCosts costs;
    double layers, batch, prompt;
    /// Layers that attend, have a state, have one of both.
    double attending = 0.0, stateful = 0.0, mixing = 0.0;
    double elementwise = 0.0;  ///< vector operations of a position between products in all layers
    double before = 0.0;       ///< positions before the prompt whose keys and values are in memory
    double steps;              ///< decode steps, or passes that verify proposed tokens (a mean)
    double positions;          ///< of each request in such a step
    RequestCost cost;
    sim::Bounded head_stream;  ///< bandwidth of the LM head's weights, B/s

    [[nodiscard]] bool in_banks(Choice choice) const { return cost.units.in_banks(choice); }
    [[nodiscard]] bool takes_turns() const { return system.design.alternates(); }
    /// Turns of the banks in a decode step of `requests`, if they alternate with the NPU.
    [[nodiscard]] double decode_turns(Units const& units, double requests) const;
    /// Bytes of keys and values of one token in one layer.
    [[nodiscard]] double kv_bytes() const;
    [[nodiscard]] double queries_per_key() const;
    /// Tokens of the prompt in blocks that fill the rows of the matrix units: blocks of positions (attention), and
    /// blocks of positions of all requests (products).
    [[nodiscard]] double whole_blocks() const;
    [[nodiscard]] double whole_rows() const;
    /// Moves all weights from one layout to the other.
    [[nodiscard]] Cost relayout() const;
    /// Moves one matrix.
    [[nodiscard]] Cost moved(Matrix const& m) const;
    /// Reads the weights from storage, writes them to memory row by row, and moves them to the layout of the banks. The
    /// memory works while the storage sends. The second copy of duplicate is the first one of these.
    [[nodiscard]] Cost load() const;
    [[nodiscard]] Cost cleared_pages() const;
    /// Writes keys and values of so many consecutive positions, in all layers.
    [[nodiscard]] Cost written(double tokens) const;
    /// Scores of the contexts `first` to `last` of one sequence in a layer, a mean over the layers.
    [[nodiscard]] double scores(std::int64_t first, std::int64_t last) const;
    /// Calls take(matrix, cost) for the products with all matrices of each shape in the model, `times` times: of `rows`
    /// vectors with those of layers, and of `heads` vectors with the LM head; none for 0 vectors.
    template <class Take>
    void each_product(bool in_banks, double rows, double heads, double times, Take const& take) {
        for (auto const& m : system.matrices) {
            double const vectors = m.head ? heads : rows;
            if (vectors > 0.0)
                take(m, in_banks ? costs.gemv(m, vectors, m.active * times) : product(m, vectors, times));
        }
    }
    /// Counts the weights of these products as multiplied by the banks.
    void count_weights(double rows, double heads, double times);
    /// Attention of all requests and layers, where of(span, times) costs `times` requests and layers of a span.
    template <class F>
    [[nodiscard]] Cost of_all_spans(F const& of) const {
        Cost sum;
        for (auto const& span : system.spans) sum += of(span, span.layers() * batch);
        return sum;
    }
    /// Mean over all layers of the pairs of queries `first` to `last` and the keys to which they attend.
    [[nodiscard]] double mean_pairs(std::int64_t first, std::int64_t last) const;
    /// States of one request in all layers, which the NPU computes: of `tokens` positions of a prompt, or of a pass
    /// that decodes. Of the latter some may be refused, so that the state behind each is written.
    [[nodiscard]] Cost states(double tokens, bool decodes) const;
    /// Attention in the banks, for all requests and layers.
    [[nodiscard]] Cost attention_in_banks(Contexts const& contexts);
    /// Norms, rotation, activation and sums of a token, and the softmax of the scores.
    [[nodiscard]] Cost vector_work(double tokens, double scores) const;
    /// Each turn of the banks begins and ends with a mode switch [s].
    [[nodiscard]] double switching(double turns) const;
    void switch_modes(Cost& to, double turns) const;
    /// Time for launching all layers in each pass [s].
    [[nodiscard]] double launches(double passes) const { return passes * layers * system.design.layer_overhead; }

  private:
    void count_layers();
    void measure_streams();
    void presimulate_weights(double layer);
    /// With `rows` rows of inputs on the NPU.
    [[nodiscard]] Cost product(Matrix const& m, double rows, double times) const;

    sim::Bounded weight_stream_;
};

/// The phase from the prompt to the first token, on the chosen units.
class Prefill {
  public:
    explicit Prefill(Serving& serving);
    /// The NPU multiplies the first `on_npu` tokens of the prompt and the banks the others.
    Prefill(Serving& serving, double on_npu);

    /// Everything before the LM head.
    void layers_and_attention() {
        layers();
        attention();
    }
    void attention();
    void head();
    /// Of the banks in the attention of the prompt, if they alternate with the NPU.
    [[nodiscard]] double turns() const;

  private:
    void layers();
    [[nodiscard]] Cost& weights_of_rest() const;
    [[nodiscard]] bool attends_to_blocks() const { return in_banks_ == 0.0 && s_.in_banks(Choice::prompt_attention); }
    /// Attention of the first `tokens` on the NPU, with their keys and values on chip.
    [[nodiscard]] Cost on_npu(double tokens) const;
    /// Attention on the NPU of the tokens that the banks have multiplied, with keys and values from memory.
    [[nodiscard]] Cost rest_on_npu() const;

    Serving& s_;
    double on_npu_ = 0.0, in_banks_ = 0.0;  ///< tokens multiplied by the NPU and, after these, by the banks
};

/// The decode phase, one token after the other: a step multiplies one vector of each request and attends to all
/// previous positions.
class Decode {
  public:
    explicit Decode(Serving& serving)
        : s_(serving),
          proposed_(serving.system.design.speculation.draft > 0),
          hides_(!serving.takes_turns() && serving.in_banks(Choice::decode)),
          before_(sim::whole_part(serving.positions) - 1),
          written_(
              serving.costs.write(serving.kv_bytes()).times(serving.attending * serving.batch * serving.positions)) {}

    void all_steps();
    /// Attention of all requests and layers in steps with these contexts.
    [[nodiscard]] Cost attention(Contexts const& contexts);

  private:
    /// The contexts of all steps that yield a token.
    [[nodiscard]] RepeatedContexts all_contexts() const;
    /// The contexts of all steps, in sets that are computed together. Where tokens are proposed, a set is the end of
    /// one pass, which stands for as many as it is repeated.
    [[nodiscard]] std::vector<RepeatedContexts> sets() const;
    /// Contexts as long as the positions to which the last positions of a step attend.
    [[nodiscard]] std::vector<RepeatedContexts> attended(Span const& span, Contexts const& contexts) const;
    /// Pairs of positions and keys in all steps, a mean over the layers.
    [[nodiscard]] double pairs() const;
    void presimulate_reads();
    /// Adds the attention of these steps, whose products take so long, and what outlasts those.
    void attend(RepeatedContexts const& steps, sim::Bounded const& products);
    /// Whether the traffic of every one of these steps outlasts its products, or of none, whose products may take
    /// `late` more than they do on average [s].
    [[nodiscard]] bool never_changes_sides(Contexts const& contexts, sim::Bounded const& products, double late);
    void read_moved_weights();

    Serving& s_;
    bool proposed_;        ///< whether steps are passes over proposed tokens, or make the proposals
    bool hides_;           ///< traffic of the NPU, behind products in the banks at the same time
    std::int64_t before_;  ///< positions of a pass before its last one
    Cost written_;         ///< keys and values of a step
    sim::Bounded outlasting_;
};

/// Time that decode takes beside its products with weights, which are the same whichever unit attends: attention, the
/// mode switches that it requires, and what it does not hide [s]. Between none and all of the refreshes may interrupt
/// it. Precondition: NPU and banks take turns.
[[nodiscard]] sim::Bounded beside_products(Serving const& serving, RequestCost const& cost);

/// Generation of blocks of tokens in denoising steps: the first one of a block, over all positions, and all that follow
/// the first ones of their blocks, over the positions that the cache leaves.
class Denoise {
  public:
    explicit Denoise(Serving& serving);

    void first();
    void steps_behind();

  private:
    /// Adds so many steps of a shape, whose products with weights this unit computes.
    void add(PassShape const& shape, PhaseCost& to, double times, PhaseUnit unit);
    void turns(double blocks, double steps);

    Serving& s_;
    RequestPasses passes_;
};

/// Cached positions before each of at most `most` evenly spaced passes, each of which stands for `passes` / size of
/// them: all passes if they are a whole number that is not larger. Their mean is that of all passes. Precondition:
/// there are passes.
[[nodiscard]] std::vector<double> representative_begins(TokenPasses const& passes, std::int64_t most);

}  // namespace pimdse::models::umdam
