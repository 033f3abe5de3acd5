#pragma once

#include "models/contract/assumptions.hpp"

#include <string>
#include <string_view>

/// Assumptions as they are written in a space, on a command line and above a table.
namespace pimdse::models {

/// Sets the key of [assumptions] ("view", or "technology.NAME"). Throws InputError for an unknown key, value, node or
/// row, with a suggestion.
void set_assumption(Assumptions& assumptions, std::string_view key, std::string const& text);

/// All that differs from `Assumptions{}`, as set_assumption takes it; the order is fixed.
[[nodiscard]] AssumptionTexts texts_of(Assumptions const& assumptions);

/// The value of one of its named keys (view, constants, node, host, precision), whatever it is.
[[nodiscard]] std::string text_of(Assumptions const& assumptions, std::string_view key);

/// "view hardware, constants technology, node 7nm, host excluded": for the reader of a table, all of it.
[[nodiscard]] std::string sentence_of(Assumptions const& assumptions);

}  // namespace pimdse::models
