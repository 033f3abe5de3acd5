#pragma once

#include "models/upmem/model_plan.hpp"

namespace pimdse::models::upmem {

/// Launches of a stretch of time: of a request the prompt or the tokens behind the first; otherwise all of them.
struct RequestPart {
    std::string name;  ///< "prefill", "decode"; "" if there is only one
    Plan plan;
};

/// The embedding of a request's model, which stays with the host; 0 for all else.
[[nodiscard]] double host_table_bytes(Prepared const& prepared, Design const& design);

/// The parts of a feasible point. All hold the same in MRAM.
[[nodiscard]] std::vector<RequestPart> request_parts(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem
