#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// From the prompt to the first token, on the chosen units.
class Prefill {
  public:
    explicit Prefill(Serving& serving);

    /// What comes before the LM head, but for attention.
    void layers();
    void attention();
    void head();

  private:
    void head(Matrix const& m);
    void attend_to_whole_blocks();
    void attend_to_rest();
    [[nodiscard]] Part weights_of_rest() const;

    Serving& s_;
    double on_npu_ = 0.0, in_banks_ = 0.0;  ///< tokens that either multiplies, the banks behind the NPU
};

}  // namespace pimdse::models::umdam
