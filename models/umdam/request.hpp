#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// A request that is served phase by phase. A copy goes on from where the original is, on other units.
class Request {
  public:
    Request(Prepared const& prepared, System const& system, Fidelity fidelity) : serving_(prepared, system, fidelity) {}

    void choose(Choice choice, PhaseUnit unit) { serving_.cost.units[choice] = unit; }
    /// What comes before the first token but for attention and the LM head, on the chosen units.
    void begin();
    /// Attention of the prompt.
    void attend();
    /// The LM head, behind it.
    void end_prefill();
    /// What follows the first token.
    void finish();
    [[nodiscard]] Serving const& serving() const { return serving_; }
    [[nodiscard]] RequestCost const& cost() const { return serving_.cost; }

  private:
    Serving serving_;
};

}  // namespace pimdse::models::umdam
