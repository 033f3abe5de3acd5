#pragma once

#include <cstdint>

namespace pimdse::models::cim_mesh {

/// How near to one router so many different ones can be, itself among them: the hops to the farthest and to all of them
/// together. No way of laying them is nearer, on a mesh of any width.
struct Crowd {
    std::int64_t farthest = 0, together = 0;
};

/// rows: of the mesh; routers: at least 1. Time grows with the rows.
[[nodiscard]] Crowd least_crowd(std::int64_t rows, std::int64_t routers);

}  // namespace pimdse::models::cim_mesh
