#pragma once

#include "models/upmem/prepared.hpp"

namespace pimdse::models::upmem {

/// Runs the listing of a kernel for several tasklets, blocks and sizes and compares what it executes with what the
/// kernel file counts: instructions, transfers, their bytes and rows, register extras, and the lower bound of its
/// cycles, which is made of these counts. Throws InputError that names both numbers. A listing that nobody counted
/// passes: its bounds rest on no count.
void check_listing(Prepared const& prepared, std::size_t kernel, std::string const& file);

/// What stays fixed while points vary, all listings of the user's own compared with their counts.
[[nodiscard]] std::shared_ptr<void const> prepare_checked(Parameters const& table, ModelOptions const& options);

}  // namespace pimdse::models::upmem
