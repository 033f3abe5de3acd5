#pragma once

#include "sim/noc/program.hpp"

#include <istream>
#include <string>

namespace pimdse::sim::noc {

/// Reads a program of the network. `file` is its name in messages. Throws InputError with the line of every mistake, at
/// most twenty.
[[nodiscard]] NetworkProgram read_program(std::istream& in, std::string const& file);

}  // namespace pimdse::sim::noc
