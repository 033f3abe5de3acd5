#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Bytes of weights in the fullest DPU: every matrix, including the LM head, is distributed to all DPUs by rows.
[[nodiscard]] double weight_bytes(Kernel const& kernel, Design const& design);

/// Launches of one part of the time: for a request the prompt, or the tokens after the first; otherwise all launches.
struct RequestPart {
    std::string name;  ///< "prefill", "decode"; "" if there is only one
    Plan plan;
};

/// Bytes of the embedding of a request's model, which stays in the host's memory; 0 otherwise.
[[nodiscard]] double host_table_bytes(Prepared const& prepared, Design const& design);

/// The parts of a feasible point. All of them have the same data in MRAM.
[[nodiscard]] std::vector<RequestPart> request_parts(Prepared const& prepared, Design const& design);

/// The launches of the prompt of a request, with the data of its positions in MRAM if all layers keep all of them, also
/// those with windows.
[[nodiscard]] Plan whole_prompt(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem
