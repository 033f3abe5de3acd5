#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// The schedule of decode with `concurrency = scheduled`, after IANUS: in each layer the banks multiply queries and
/// keys before the values, and while they multiply the value matrix, the NPU computes the softmax, and the scores if
/// it attends. Nothing else of a token is independent of the products in the banks. Applies where the banks multiply
/// the weights of decode.
///
/// An NPU that attends has read keys and values of the cache before, because the banks own the memory while they
/// multiply; so they have to fit its buffer. Banks that attend need the key in memory before the scores, and the value
/// before the weighted sums: two writes and one more turn instead of one write. A step keeps the order of `exclusive`
/// where this is not slower.
class DecodeSchedule {
  public:
    explicit DecodeSchedule(Serving& serving);

    /// The banks need `seconds` for all products with matrices of the shape of `m`, in the steps of the next overlap().
    void product(Matrix const& m, sim::Bounded const& seconds);
    /// Decides for decode steps with these contexts how much the NPU hides.
    void overlap(Contexts const& contexts);
    /// Takes what is hidden from the parts of decode. Refreshes may prolong the products by `refreshed` [s].
    void apply(sim::Bounded const& refreshed);

  private:
    /// Work of the NPU for all requests of a step, in all layers of a span [s].
    struct Work {
        double scores = 0.0, softmax = 0.0;
        [[nodiscard]] double seconds() const { return scores + softmax; }
    };
    /// Of the layers of a span, with contexts as long as the keys that are attended to.
    [[nodiscard]] Work mean_work(Contexts const& contexts, double layers) const;
    /// Contexts from the first that leave room for keys and values in the NPU's buffer.
    [[nodiscard]] Contexts resident(Contexts const& contexts) const;
    /// Time that another write and turn cost in a step [s].
    [[nodiscard]] sim::Bounded another_turn() const;
    /// Time that a step saves if the value matrix takes `values`, the NPU's work `work` and another turn `turn` [s].
    [[nodiscard]] double saved(double values, double work, double turn) const;
    void add_pieces(RepeatedContexts const& keys, double layers, sim::Bounded const& values);
    /// `values`: products of the value matrix in all layers of a step [s].
    void add(RepeatedContexts const& keys, double layers, sim::Bounded const& values);

    Serving& s_;
    Matrix const* value_matrix_ = nullptr;  ///< none, as in latent attention: there is nothing to overlap with
    bool attends_on_npu_ = false;
    std::vector<SetShare> sets_;
    sim::Bounded turn_;       ///< s a step
    sim::Bounded products_;   ///< of the shape of the value matrix [s]
    Work hideable_;           ///< in all steps in which something may be hidden
    double saved_ = 0.0;      ///< s, estimate
    double least_ = 0.0;      ///< s, with the longest products
    double most_ = 0.0;       ///< s, with the shortest products
    double unlimited_ = 0.0;  ///< s, with products of any length
};

}  // namespace pimdse::models::umdam
