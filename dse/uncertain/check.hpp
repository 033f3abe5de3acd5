#pragma once

#include "dse/uncertain/robust_front.hpp"
#include "dse/uncertain/study.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

/// Which designs a check evaluates again, beside those that are listed, and with how many threads.
struct CheckedSample {
    std::size_t others = 100;  ///< number of the other designs, at random
    std::uint64_t seed = 1;
    int threads = 1;  ///< that evaluate them
};

/// What a check of a robust front found.
struct CheckedDraws {
    std::vector<std::string> problems;  ///< one sentence each
    std::uint64_t designs = 0;          ///< number of designs evaluated again
    bool all = false;                   ///< whether these are all
};

/// Checks a robust front of a file against its space and its results: the ranges, the draws, what machines state about
/// their constants, and the study of the listed designs and of some others are repeated and compared bit by bit; the
/// statement follows from the rest. `fidelity`: of the front. `file`: for messages. Of designs that are not evaluated
/// again, whether they are possible and how they were drawn is not checked.
[[nodiscard]] CheckedDraws check_draws(RobustFront const& stated, space::Space const& space,
                                       search::ResultStore const& store, models::Fidelity fidelity,
                                       std::string const& file, CheckedSample const& sample);

}  // namespace pimdse::dse::uncertain
