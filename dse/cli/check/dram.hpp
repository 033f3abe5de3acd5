#pragma once

#include "dse/cli/options.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// The two halves of `pimdse dram`: words behind `replay` or `check`; the exit code.
int dram_replay(std::vector<std::string> const& arguments);
int dram_check(std::vector<std::string> const& arguments);

}  // namespace pimdse::dse::cli
