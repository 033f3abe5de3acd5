#pragma once

#include "models/upmem/request.hpp"

#include <variant>

namespace pimdse::models::upmem {

/// What is known of a feasible point before anything is costed.
struct Planned {
    Design design;  ///< of a request: with the kernel that computes its products
    std::vector<RequestPart> parts;
};
[[nodiscard]] std::variant<Planned, Infeasible> planned(Prepared const& prepared, Point point);

}  // namespace pimdse::models::upmem
