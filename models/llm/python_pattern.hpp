#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// A regular expression as Python's `re` reads it, of which only counts whether it matches: alternatives, groups, sets,
/// repetitions, `^ $ \b \d \w \s` and look-ahead; neither look-behind nor references. No state is tried twice at a
/// place, so that a text takes at most length x states of the pattern, whatever both are.
class PythonPattern {
  public:
    /// Nothing if the text is not such an expression, or has more than 4096 states.
    [[nodiscard]] static std::optional<PythonPattern> parse(std::string_view text);
    /// What the shell means by `*`, `?` and `[...]`: matches whole texts only.
    [[nodiscard]] static std::optional<PythonPattern> of_wildcards(std::string_view text);

    /// Whether a beginning of the text matches (re.match).
    [[nodiscard]] bool matches(std::string_view text) const { return runs(0, text, 0); }
    /// Whether another digit in the place of one may matter.
    [[nodiscard]] bool tells_digits_apart() const;

  private:
    using Set = std::bitset<256>;
    enum class Kind : std::uint8_t { set, split, begin, end, boundary, ahead, not_ahead, accept };
    struct State {
        Kind kind = Kind::accept;
        std::size_t next = 0, other = 0;  ///< other: of split; of look-ahead, where the expression in it begins
        Set set{};
    };
    class Parser;
    /// Whether the expression that begins at a state matches from `at` on.
    [[nodiscard]] bool runs(std::size_t state, std::string_view text, std::size_t at) const;
    [[nodiscard]] bool passes(State const& state, std::string_view text, std::size_t at) const;

    std::vector<State> states_;
};

}  // namespace pimdse::models
