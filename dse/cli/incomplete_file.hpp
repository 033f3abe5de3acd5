#pragma once

#include "dse/store/result/result_file.hpp"

#include <string>

namespace pimdse::dse::cli {

/// "56 of 168 planned points are not in it", of a file that does not have all that its search planned, a shard among
/// them; else "".
[[nodiscard]] std::string incomplete_text(store::result::ResultFile const& file);

/// The same on standard error, with the file's name.
void say_incomplete(store::result::ResultFile const& file);

}  // namespace pimdse::dse::cli
