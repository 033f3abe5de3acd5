#pragma once

#include "models/dplena/numerics/accuracy.hpp"

namespace pimdse::models::dplena {

/// What is known of a design's accuracy without a walk over the logits, from the blocks of every row's two largest
/// alone. The arg-max is exact where the bulk of the logits is rounded to less than any peak; otherwise, and for what
/// is committed, it is a guess.
struct AccuracyGuess {
    Accuracy value;
    bool argmax_exact = false;
};

/// Remembered.
class AccuracyGuesses {
  public:
    [[nodiscard]] AccuracyGuess of(Design const& design, ProxyConstants const& constants) const;

  private:
    sim::Memo<AccuracyKey, AccuracyGuess> guesses_;
};

}  // namespace pimdse::models::dplena
