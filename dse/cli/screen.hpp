#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// Columns of the terminal that standard output is, or what COLUMNS says; 0 where nobody knows, as in a pipe.
[[nodiscard]] std::size_t screen_width();

/// The text broken between words so that no line is wider, if that is possible; further lines begin with `indent`
/// spaces. Width 0: as it is.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 4);

}  // namespace pimdse::dse::cli
