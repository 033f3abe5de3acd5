#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/study.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "tests/unit/refused.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain::testing {

/// 24 designs of dplena with ranges of four constants.
inline std::string small_text(std::string const& ranges = R"("dplena.sram_leakage" = { times = 4 }
"dplena.sram_area_per_bit" = { low = "0.02 um2/bit", high = "0.1 um2/bit" }
"dplena.issue_slot_area" = { times = 2 }
"dplena.fetch_slot_area" = { times = 2 }
)") {
    return R"(schema = 1
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = [64, 256, 1024]
channels = [8, 32]
prefetch = [1, 4]
loop_hardware = ["off", "on"]
[uncertain]
)" + ranges;
}

inline space::Space small_space(std::string const& text = small_text()) {
    return space::parse_space(text, "small.toml");
}

inline Uncertainty ranges_of(space::Space const& space, std::uint64_t samples) {
    return *read_uncertainty(space, "small.toml", {samples, std::nullopt});
}

inline std::vector<std::string> mistakes_in(std::string const& ranges) {
    return mistakes_by([&] { (void)ranges_of(small_space(small_text(ranges)), 4); });
}

/// Every point of a space, evaluated.
inline search::ResultStore swept(space::Space const& space) {
    std::vector<space::Task> tasks;
    for (std::uint64_t id = 0; id < space.size(); ++id)
        tasks.push_back({space::PointId{id}, models::Fidelity::analytic});
    search::ResultStore store(space.metrics().size());
    store.insert(space::results_of(space, tasks, 2));
    return store;
}

}  // namespace pimdse::dse::uncertain::testing
