#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/screen.hpp"
#include "dse/cli/text_table.hpp"

#include <iostream>

namespace pimdse::dse::cli {

/// On standard output: csv, or a text as wide as the screen.
inline void print_table(TextTable const& table, Format format) {
    std::cout << (format == Format::csv ? table.csv() : table.text(screen_width()));
}

}  // namespace pimdse::dse::cli
