#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// From the prompt to the first token, on the chosen units.
class Prefill {
  public:
    explicit Prefill(Serving& serving) : s_(serving) {}

    /// What comes before the LM head.
    void layers();
    void head();

  private:
    void on_npu();
    void in_banks();
    void head(Matrix const& m);

    Serving& s_;
};

}  // namespace pimdse::models::umdam
