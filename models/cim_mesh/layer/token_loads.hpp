#pragma once

#include "models/cim_mesh/layer/column_loads.hpp"
#include "models/cim_mesh/layer/column_sums.hpp"

namespace pimdse::models::cim_mesh {

/// All that a token puts on the mesh.
struct TokenTraffic {
    sim::noc::Mesh mesh{};
    std::vector<TreeTraffic> trees;
    std::vector<Way> ways;             ///< a vector each
    ColumnSums const* sums = nullptr;  ///< partial sums, from both ends to the middle
};

/// The busiest of all links and routers. Between two mesh columns where anything begins or ends, all are alike but for
/// partial sums: these are looked at router by router only where they might make a column the busiest.
[[nodiscard]] VectorLoads loads_of(TokenTraffic const& traffic);

}  // namespace pimdse::models::cim_mesh
