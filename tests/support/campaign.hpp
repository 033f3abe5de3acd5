#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

/// How much of itself a dear test runs: everything in the campaign, about a tenth otherwise. Tests that include this
/// run in full as NAME_campaign (pimdse_test).
namespace pimdse::tests {

/// PIMDSE_CAMPAIGN is in the environment, as it is of the tests with the label `campaign`.
inline bool in_campaign() { return std::getenv("PIMDSE_CAMPAIGN") != nullptr; }

/// How many of `all` draws a test makes: all in the campaign, otherwise one in `part`, but at least `few`. Counts that
/// a test asserts at its end shrink alike.
template <std::integral Count>
Count draws(Count all, std::type_identity_t<Count> few = 3, std::type_identity_t<Count> part = 10) {
    return in_campaign() ? all : std::min(all, std::max<Count>(few, all / part));
}

/// Selects turns of a loop, or of loops in one another: all in the campaign, otherwise the first of every `every`.
/// `every` has no divisor in common with the lengths of the inner loops, so that each of their values has its turn.
class Turns {
  public:
    explicit Turns(std::uint64_t every) : every_(in_campaign() ? 1 : every) {}
    [[nodiscard]] bool next() { return turn_++ % every_ == 0; }

  private:
    std::uint64_t every_, turn_ = 0;
};

/// The stretch [first, end) of a loop whose neighbours are compared: all of it in the campaign, otherwise its tenth
/// number `turn` (modulo ten), so that a further setting walks along another tenth.
struct Stretch {
    int first, end;
    Stretch(int from, int to, int turn) : first(from), end(to) {
        if (in_campaign()) return;
        int const tenth = turn % 10;
        first = from + (to - from) * tenth / 10;
        end = from + (to - from) * (tenth + 1) / 10;
    }
};

}  // namespace pimdse::tests
