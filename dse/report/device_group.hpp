#pragma once

#include "models/chips/group.hpp"
#include "sim/base/json.hpp"

#include <optional>
#include <string>

namespace pimdse::dse::report {

/// The devices that serve a model together (models/chips), with the values of their parameters `link` and `stage_link`.
struct NamedGroup {
    models::chips::DeviceGroup group;
    std::string link, stage_link;
};

/// The group of a point, which has the parameters of `inputs`; nullopt for one device and for a group that cannot be
/// built.
[[nodiscard]] std::optional<NamedGroup> group_of(models::Architecture const& architecture, models::Inputs const& inputs,
                                                 models::Point point);

/// "8 devices: 2 stages x 4 tensor; link own: switch, 450 GB/s; between stages eth400: switch, 50 GB/s".
[[nodiscard]] std::string group_text(NamedGroup const& named);

/// {"devices": 8, "tensor": 4, "pipeline": 2, "expert": 1, "data": 1, "micro_batches": 1, "link": {"name": "own",
/// "topology": "switch", "bandwidth": 4.5e11}, "stage_link": {...}}. Bandwidths in B/s, of a device in one direction.
[[nodiscard]] sim::Json group_json(NamedGroup const& named);

}  // namespace pimdse::dse::report
