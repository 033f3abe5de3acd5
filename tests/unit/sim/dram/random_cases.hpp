#pragma once

#include "models/dram/dram_standard.hpp"
#include "sim/dram/simulate.hpp"

#include <random>
#include <string>
#include <vector>

namespace pimdse::sim::dram::test {

/// A random but reproducible memory system, mapping, stream and controller.
struct RandomCase {
    Standard standard;
    Mapping mapping;
    std::vector<Transaction> transactions;
    Options options;
    std::string what;
};

/// Case number `seed` for the named timing set; with `perturb`, its timing values are random, too.
enum class Timings { as_given, drawn };
RandomCase random_case(std::string const& standard, unsigned seed, Timings timings, std::size_t length);

/// A random invertible mapping of the organisation: a bit order with a few XOR terms.
Mapping random_mapping(Organisation const& organisation, std::mt19937& random);

}  // namespace pimdse::sim::dram::test
