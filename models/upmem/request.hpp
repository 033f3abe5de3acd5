#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Bytes of weights in the fullest DPU: every matrix is dealt to all DPUs by rows, the LM head among them.
[[nodiscard]] double weight_bytes(Kernel const& kernel, Design const& design, LanguageModel const& model);

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
