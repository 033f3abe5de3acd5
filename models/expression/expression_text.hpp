#pragma once

#include "sim/base/quantity_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pimdse::models {

/// A cursor in the text of a condition that reads symbols, words and numbers with units from left to right.
class ExpressionText {
  public:
    explicit ExpressionText(std::string_view text) : text_(text) {}

    /// Skips spaces; if the symbol (or whole word) comes next, moves past it and returns true.
    bool take(std::string_view symbol);
    bool take_word(std::string_view word);
    /// The next name: letters, digits, '_' and '.'; empty if the next token is not a name.
    [[nodiscard]] std::string_view take_name();
    /// The next number with its unit (SI, dimension); nullopt if it is malformed.
    [[nodiscard]] std::optional<sim::AnyQuantity> take_number();
    /// After a number: the reason why the next token is not allowed there (allowed are symbols, "and" and "or"), or "".
    /// `has_no_unit`: the next word may have been meant as the unit. `in_arguments`: a comma may follow.
    [[nodiscard]] std::string not_behind_a_number(bool has_no_unit, bool in_arguments = false);
    /// "'&& b' is not understood here. Write 'and'?" of what follows; symbols of other languages get a suggestion.
    [[nodiscard]] std::string not_understood() const;
    /// Reads quoted text up to the closing quote; nullopt if the quote is not closed.
    [[nodiscard]] std::optional<std::string_view> take_quoted();

    /// The next word if it continues after a hyphen, such as opt-6.7b, which would be parsed as a difference; else "".
    [[nodiscard]] std::string_view hyphenated_name();

    [[nodiscard]] bool at_end();
    [[nodiscard]] bool at_number();
    [[nodiscard]] bool at_name();
    [[nodiscard]] bool at_quote();
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    [[nodiscard]] std::string_view whole() const { return text_; }
    [[nodiscard]] std::size_t position() const { return at_; }
    /// The text read since a position, without surrounding spaces.
    [[nodiscard]] std::string_view read_since(std::size_t position) const;

  private:
    [[nodiscard]] std::string_view around_comma() const;
    void skip_spaces();
    [[nodiscard]] std::string_view word_here() const;
    [[nodiscard]] bool at_reciprocal() const;
    [[nodiscard]] std::string_view unit_here() const;
    [[nodiscard]] sim::Unit take_unit();
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace pimdse::models
