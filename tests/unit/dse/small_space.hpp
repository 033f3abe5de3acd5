#pragma once

#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/refused.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::testing {

/// A space of 2 x 3 x 2 x 4 = 48 points of cim_mesh, some of them infeasible; cheap to evaluate.
inline std::string small_space_text() {
    return R"(schema = 1
architecture = "cim_mesh"
workload = { input = 128, output = 64 }
objectives = ["latency", "power"]
[parameters]
llm        = ["llama-3.2-1b", "llama-2-13b"]
lora_rank  = [0, 8, 64]
gating     = ["srpg", "none"]
mesh_rows  = { from = 16, to = 64, step = 16 }
[[constraint]]
name = "short"
expr = "latency <= 10 s"
)";
}

inline space::Space small_space(std::vector<space::Override> const& overrides = {}) {
    return space::parse_space(small_space_text(), "small.toml", overrides);
}

/// What the reader says of a space file that is wrong.
inline std::vector<std::string> mistakes_of(std::string const& text,
                                            std::vector<space::Override> const& overrides = {}) {
    return mistakes_by([&] { (void)space::parse_space(text, "bad.toml", overrides); });
}

}  // namespace pimdse::dse::testing
