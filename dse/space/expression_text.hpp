#pragma once

#include "sim/base/quantity_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pimdse::dse::space {

/// Where a parser stands in the text of a condition: symbols, words and numbers with units, read from left to right.
class ExpressionText {
  public:
    explicit ExpressionText(std::string_view text) : text_(text) {}

    /// True, and behind it, if the symbol (or whole word) comes next; spaces before it are passed over.
    bool take(std::string_view symbol);
    bool take_word(std::string_view word);
    /// The next name: letters, digits, '_' and '.'; empty if none comes.
    [[nodiscard]] std::string_view take_name();
    /// The next number in its unit (SI, dimension); nothing if it is malformed.
    [[nodiscard]] std::optional<sim::AnyQuantity> take_number();
    /// Behind a number come symbols, "and" or "or": why what comes is none of them, else "". `has_no_unit`: it may be
    /// meant to be one.
    [[nodiscard]] std::string not_behind_a_number(bool has_no_unit);
    /// The text up to the closing quote that comes next; nothing if it is not closed.
    [[nodiscard]] std::optional<std::string_view> take_quoted();

    /// What comes next if it is a word that goes on behind a hyphen, such as opt-6.7b, which reads as a difference;
    /// else "".
    [[nodiscard]] std::string_view hyphenated_name();

    [[nodiscard]] bool at_end();
    [[nodiscard]] bool at_number();
    [[nodiscard]] bool at_name();
    [[nodiscard]] bool at_quote();
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    [[nodiscard]] std::string_view whole() const { return text_; }
    [[nodiscard]] std::size_t position() const { return at_; }
    /// What was read since a position, without spaces around it.
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

}  // namespace pimdse::dse::space
