#pragma once

#include "models/chips/group.hpp"
#include "models/llm/request_passes.hpp"

#include <vector>

namespace pimdse::models::chips {

/// What some passes of one micro-batch exchange. A sum over the tensor group after every part of a layer (attention
/// or state, network), of one vector of two bytes per element for each position; with divided experts two all-to-alls
/// per layer with experts; a vector per position from stage to stage; and in the last stage the best of each part of
/// the vocabulary.
struct PassExchange {
    double stage = 0.0, head = 0.0, between = 0.0;  ///< s: in every stage; in the last one; from one stage to the next
    double stage_bytes = 0.0, head_bytes = 0.0,
           between_bytes = 0.0;  ///< over all links of one stage or boundary, of one copy of the model
};
/// `part` is the part of the model that a device of the last stage has; `sequences` those of its micro-batch.
[[nodiscard]] PassExchange exchange_of(std::vector<EqualPasses> const& passes, LanguageModel const& part,
                                       DeviceGroup const& group, double sequences);

}  // namespace pimdse::models::chips
