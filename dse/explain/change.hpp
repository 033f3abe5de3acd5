#pragma once

#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::dse::explain {

/// A point with one parameter changed.
struct Change {
    std::size_t parameter = 0;  ///< of its machine
    models::Value from, to;
    task::PointId point{};
};

struct Changes {
    std::vector<Change> list;    ///< by parameter, then by value
    std::uint64_t left_out = 0;  ///< choices beyond 64 of a parameter
};

/// The changes by one step that the space has: a number to the next smaller and the next larger of its values, a choice
/// or flag to every other one, an ordering by exchanging two neighbours. What scenarios decide stays.
[[nodiscard]] Changes changes_of(space::Space const& space, task::PointId point);

}  // namespace pimdse::dse::explain
