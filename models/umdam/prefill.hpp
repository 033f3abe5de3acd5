#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// From the prompt to the first token, on the chosen units.
class Prefill {
  public:
    explicit Prefill(Serving& serving) : s_(serving) {}

    /// What comes before the LM head, but for attention.
    void layers();
    void attention();
    void head();

  private:
    void head(Matrix const& m);

    Serving& s_;
};

}  // namespace pimdse::models::umdam
