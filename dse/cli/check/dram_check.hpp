#pragma once

#include <string>
#include <vector>

namespace pimdse::dse::cli::check {

/// `pimdse dram check`: the words behind it; the exit code.
int dram_check(std::vector<std::string> const& arguments);

}  // namespace pimdse::dse::cli::check
