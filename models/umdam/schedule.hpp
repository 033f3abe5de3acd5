#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// What hides in a decode step: while the banks multiply the value matrix, the NPU works.
struct StepOverlap {
    std::vector<SetShare> sets;  ///< requests that the banks multiply together
    sim::Bounded values;         ///< products of the value matrix in all layers [s]
    sim::Bounded turn;           ///< another write and turn of the banks in all layers [s]
    double longest = 0.0;        ///< positions whose keys and values the NPU has room for, for each request of a set

    /// Time that a step saves if the value matrix takes `products`, the NPU's work `work` and another turn `another`
    /// [s].
    [[nodiscard]] double saved(double products, double work, double another) const;
    /// Time that steps save on average in the layers of this share, where the NPU's work grows from `first` to `last`:
    /// the estimate, the least with the longest products, and the most with the shortest ones [s].
    [[nodiscard]] sim::Bounded saved_in(double share, double first, double mean, double last) const;
};

/// Work of the NPU that may hide in a decode step [s].
struct HideableWork {
    double scores = 0.0, softmax = 0.0;
    [[nodiscard]] double seconds() const { return scores + softmax; }
};
/// For all requests, in so many layers that attend to contexts of these lengths (a mean).
[[nodiscard]] HideableWork npu_work(Serving const& serving, bool attends_on_npu, Contexts const& contexts,
                                    double layers);

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
    /// Of each of `steps` steps whose products are known; nothing hides if there are no sets.
    [[nodiscard]] StepOverlap of_step(double steps) const;
    /// Takes what is hidden from the parts of decode. Refreshes may prolong the products by `refreshed` [s].
    void apply(sim::Bounded const& refreshed);

  private:
    /// Time that another write and turn cost in a step [s].
    [[nodiscard]] sim::Bounded another_turn() const;
    void add(RepeatedContexts const& keys, double layers, StepOverlap const& step);

    Serving& s_;
    Matrix const* value_matrix_ = nullptr;  ///< none, as in latent attention: there is nothing to overlap with
    bool attends_on_npu_ = false;
    StepOverlap step_;
    sim::Bounded products_;   ///< of the shape of the value matrix [s]
    HideableWork hideable_;   ///< in all steps in which something may be hidden
    sim::Bounded saved_;      ///< s, in all of them
    double unlimited_ = 0.0;  ///< the most with products of any length [s]
};

}  // namespace pimdse::models::umdam
