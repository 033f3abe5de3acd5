#pragma once

#include "random_cases.hpp"

#include <string>

namespace pimdse::sim::dram::test {

/// A stream given by its formula on a random machine, long enough to be sampled.
struct HybridCase {
    Standard standard;
    Mapping mapping;
    Stream stream;
    Options options;
    std::string what;
};

/// as_given: the timing set as it is, streams of a million requests and more. close_refreshes: refreshes come so often
/// that a tenth of that will do.
enum class Scale { as_given, close_refreshes };
HybridCase hybrid_case(unsigned seed, Scale scale);

}  // namespace pimdse::sim::dram::test
