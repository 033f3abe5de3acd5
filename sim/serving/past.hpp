#pragma once

#include "sim/serving/load.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <cstdint>

namespace pimdse::sim::serving {

/// Requests that continue others, and those of them whose input, as a trace has it, is not longer than the one before:
/// a whole prompt would hold it.
struct Turns {
    std::int64_t all = 0, no_longer = 0;
};

/// Gives the requests of a trace, in its order, what it says of their past. A request continues the latest earlier one
/// with the name of its parent, else the one before it of its session; one whose parent the trace does not have begins
/// a session. Blocks become parts of a tree: equal names are the same tokens only behind equal blocks. The last block
/// of a prompt may be a part of one, which is another block than the whole; what blocks do not name is the request's
/// own. Where inputs are what turns add (TracePast::added), a prompt becomes the prompt and the output that it
/// continues, and its input, which may be more than max_tokens; blocks name the input, and outputs are found, too.
/// Precondition: a past with blocks has block_tokens.
Turns set_past(ServiceLoad& load, TracePast const& past);

/// Tokens of the prompts of a load that a cache without end finds in units of so many tokens, if each request is served
/// after the one before; the last token of a prompt is never found.
[[nodiscard]] std::int64_t found_without_end(ServiceLoad const& load, std::int64_t unit_tokens);

}  // namespace pimdse::sim::serving
