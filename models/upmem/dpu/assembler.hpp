#pragma once

#include "models/upmem/dpu/instruction.hpp"

#include <map>
#include <string_view>

namespace pimdse::models::upmem::dpu {

/// Names that a listing may use as constants.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// Reads a listing of DPU assembly, destination first; "op d, a, b, cond, label" branches when the condition holds; dN
/// is the register pair rN, rN+1; '#' starts a comment. Puts the start-up in front: compare of the id with the last
/// tasklet, boot of the next, call of main, stop. Throws InputError naming `file` and the line of every mistake.
[[nodiscard]] Listing assemble(std::string_view text, std::string_view file, Symbols const& symbols, int tasklets);

}  // namespace pimdse::models::upmem::dpu
