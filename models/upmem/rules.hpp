#pragma once

#include "models/upmem/work.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// Why the design cannot exist, judged from the parameters alone; nothing if it can be planned.
[[nodiscard]] std::optional<Infeasible> check_design(Prepared const& prepared, Design const& design);

/// Why the planned work does not fit the DPUs' memories; names the bytes.
[[nodiscard]] std::optional<Infeasible> check_memory(Prepared const& prepared, Design const& design, Plan const& plan);

}  // namespace pimdse::models::upmem
