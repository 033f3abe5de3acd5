#pragma once

#include "tests/support/drawing.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Random designs of all that an engine serves.
namespace pimdse::models::cim_mesh::test {

using tests::Drawing;

struct Lengths {
    std::int64_t batch = 1, input = 1, output = 1;
};

inline Settings with_request(Settings settings, Lengths const& request) {
    settings.list.emplace_back("batch", std::to_string(request.batch));
    settings.list.emplace_back("input", std::to_string(request.input));
    settings.list.emplace_back("output", std::to_string(request.output));
    return settings;
}

inline Settings random_design(std::uint64_t seed, std::vector<std::string> const& schedules) {
    Drawing draw(seed);
    Settings s{
        {"llm", draw.of({"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b", "qwen3-30b-a3b", "gpt-oss-20b", "gemma-2-9b"})},
        {"machine", draw.of({"primal", "primal", "primal", "leap-a", "leap-d"})},
        {"schedule", draw.of(schedules)}};
    auto const sometimes = [&](char const* name, std::vector<std::string> const& values) {
        if (draw.up_to(2) == 1) s.list.emplace_back(name, draw.of(values));
    };
    sometimes("mesh_rows", {"16", "64"});
    sometimes("mesh_cols", {"16", "64"});
    sometimes("link_bits", {"32", "128"});
    sometimes("fifo_bytes", {"32", "256"});
    sometimes("dmacs", {"4", "64"});
    sometimes("scratchpad", {"65536", "131072"});
    sometimes("frequency", {"500 MHz", "2 GHz"});
    sometimes("lora_rank", {"0", "64"});
    sometimes("lora_targets", {"q", "all"});
    sometimes("adapter_every", {"64", "1000"});
    sometimes("key_reuse", {"group"});
    sometimes("gating", {"none"});
    sometimes("lm_head", {"counted"});
    sometimes("parallel_columns", {"4", "4096"});
    sometimes("layer_overhead", {"2 us"});
    sometimes("attained_share", {"0.5"});
    sometimes("context_tile", {"1", "64"});
    sometimes("die_link_bits", {"32"});
    sometimes("softmax_rate", {"1"});
    sometimes("activations", {"counted"});
    sometimes("kv_pool", {"attention"});
    return s;
}

inline bool is_leap_design(Settings const& s) {
    return std::ranges::any_of(
        s.list, [](Setting const& one) { return one.first == "machine" && one.second.starts_with("leap"); });
}

}  // namespace pimdse::models::cim_mesh::test
