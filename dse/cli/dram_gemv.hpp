#pragma once

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Runs `pimdse dram gemv` with these arguments and returns the exit code.
int dram_gemv(std::vector<std::string> const& arguments);

}  // namespace pimdse::dse::cli
