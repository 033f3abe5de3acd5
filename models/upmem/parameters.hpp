#pragma once

#include "models/upmem/design.hpp"
#include "models/upmem/work.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// `point` is in the order of parameters().
[[nodiscard]] Design read_design(Point point);

/// Why the design cannot exist, judged from the parameters alone; nothing if it can be planned.
[[nodiscard]] std::optional<Infeasible> check_design(Prepared const& prepared, Design const& design);

/// Why the planned work does not fit the DPUs' memories; names the bytes.
[[nodiscard]] std::optional<Infeasible> check_memory(Prepared const& prepared, Design const& design, Plan const& plan);

}  // namespace pimdse::models::upmem
