#pragma once

#include "models/contract/proofs.hpp"
#include "models/upmem/design.hpp"
#include "models/upmem/work.hpp"

#include <optional>

namespace pimdse::models::upmem {

/// The table of parameters: names, units, defaults and meanings. It is the public interface.
[[nodiscard]] Parameters parameters();

/// `point` is in the order of parameters(). A request has the kernel that computes its products.
[[nodiscard]] Design read_design(Prepared const& prepared, Point point);

/// The parameters that are keys of the part `dpu`, and the design with these values of them that serves a request.
[[nodiscard]] Parameters dpu_keys();
[[nodiscard]] Design read_dpu(Prepared const& prepared, Point values, ModelRequest const& request);

/// The rule that the parameters break; nothing if the design can be planned.
[[nodiscard]] std::optional<Infeasible> check_design(Prepared const& prepared, Design const& design);

/// The reason why the planned work does not fit the memories of a DPU, with the bytes; nothing if it fits.
[[nodiscard]] std::optional<Infeasible> check_memory(Prepared const& prepared, Design const& design, Plan const& plan);

/// The keys that points share (cycle_key.cpp), the directions of bounds (README.md, Lower bounds), and the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();
[[nodiscard]] std::vector<std::string> constants_without_slopes();

}  // namespace pimdse::models::upmem
