#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::models::test {

/// For n = 0, 1, ... below `later`: the probability that a pass begins when n tokens are there. Every pass deals its
/// probability to the passes after it, token by token: a slow, obvious reference of speculation.cpp.
inline std::vector<double> begun_passes(std::int64_t draft, double acceptance, std::int64_t later) {
    std::vector<double> begins(static_cast<std::size_t>(later), 0.0);
    if (!begins.empty()) begins[0] = 1.0;
    for (std::size_t n = 0; n < begins.size(); ++n) {
        double reached = begins[n];  // with this many proposals accepted
        for (std::int64_t accepted = 0; accepted <= draft; ++accepted) {
            double const ends = accepted < draft ? 1.0 - acceptance : 1.0;
            auto const next = n + static_cast<std::size_t>(accepted) + 1;
            if (next < begins.size()) begins[next] += reached * ends;
            reached *= acceptance;
        }
    }
    return begins;
}

}  // namespace pimdse::models::test
