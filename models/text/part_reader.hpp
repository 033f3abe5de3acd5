#pragma once

#include "models/contract/toml_file.hpp"
#include "models/text/machine_file.hpp"
#include "models/text/part.hpp"

#include <set>
#include <string>

namespace pimdse::models::text {

/// The keys of a part that `parameters` of its section makes parameters of the machine; `component` is that section.
[[nodiscard]] std::set<std::string> opened_keys(TableReader& keys, PartKind const& part, MachineFile& machine,
                                                Component& component);

/// Constants of parts that expressions name become constants of the machine.
void take_constants_of_parts(MachineFile& machine);

}  // namespace pimdse::models::text
