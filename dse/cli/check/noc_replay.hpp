#pragma once

#include <string>
#include <vector>

namespace pimdse::dse::cli::check {

/// `pimdse noc replay`: the words behind it; the exit code.
int noc_replay(std::vector<std::string> const& arguments);

}  // namespace pimdse::dse::cli::check
