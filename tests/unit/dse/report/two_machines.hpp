#pragma once

#include "dse/space/space_reader.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::testing {

/// Two machines with 4 and 3 designs, asked two requests; `more`: lines before the machines.
inline std::string two_machines_text(std::string const& objectives = R"(["latency", "energy"])",
                                     std::string const& more = "") {
    return "schema = 2\nobjectives = " + objectives + "\n" + more + R"([[machine]]
architecture = "umdam"
[machine.parameters]
channels = [2, 4]
ranks = [1, 2]
[[machine]]
name = "mesh"
architecture = "cim_mesh"
[machine.parameters]
mesh_rows = [16, 32, 64]
[[scenario]]
name = "chat"
llm = "llama-3.2-1b"
input = 64
output = 8
[[scenario]]
name = "long"
llm = "llama-3.2-1b"
input = 256
output = 4
)";
}

inline space::Space two_machines(std::vector<space::Override> const& overrides = {}) {
    return space::parse_space(two_machines_text(), "two.toml", overrides);
}

}  // namespace pimdse::dse::testing
