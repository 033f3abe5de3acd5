#pragma once

#include "dse/task/answer.hpp"
#include "dse/task/objective.hpp"
#include "models/contract/architecture.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::task {

/// A machine of several in one space: its points are a range of ids.
struct MachineColumns {
    std::string name, architecture;
    std::uint64_t first_id = 0, points = 0;
    models::ModelOptions options{};  ///< as in Columns
};

/// What a result file must know of the space its answers belong to: names, units and meanings of its columns, how an id
/// becomes a row, and the texts that identify the space.
struct Columns {
    std::string architecture;  ///< several: their machines, joined by "+"
    /// Of a space of several machines, ids ascending; else none. Parameters are then `machine`, and those of each as
    /// MACHINE.NAME, which at points of other machines are their defaults; metrics are as space::MachineMetrics says,
    /// NaN at points of other machines.
    std::vector<MachineColumns> machines;
    models::Parameters parameters;
    models::MetricList metrics;
    std::vector<Objective> objectives;
    models::ModelOptions options;  ///< constants of the user's own and assumptions; not known of a file that was read
    std::vector<std::string> scenarios;  ///< as `evaluate --scenario` takes them; not known of a file that was read
    /// The point with this id, one value per parameter; pure.
    std::function<void(PointId, std::vector<models::Value>&)> decode;
    std::string space_text;      ///< the space file as written
    std::string canonical_text;  ///< equal for equal spaces; the part of the digest that stands for the space
    std::uint64_t seed = 0;
    std::uint64_t points = 0;                                       ///< size of the space; 0 = not known
    std::vector<std::pair<std::string, std::string>> input_hashes;  ///< file name, SHA-256 of what was read
};

}  // namespace pimdse::dse::task
