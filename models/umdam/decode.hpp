#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

/// Token after token: a step multiplies one vector of each request and attends to all positions before it.
class Decode {
  public:
    explicit Decode(Serving& serving) : s_(serving) {}

    void all_steps();

  private:
    [[nodiscard]] Cost product(Matrix const& m, double steps);
    [[nodiscard]] Cost attention(double done, double count);
    void share_memory();
    void read_moved_weights();

    Serving& s_;
};

/// s of attention in all steps, with the switches of mode it makes necessary; all refreshes may meet it, or none.
[[nodiscard]] sim::Bounded attention_alone(Serving const& serving);

}  // namespace pimdse::models::umdam
