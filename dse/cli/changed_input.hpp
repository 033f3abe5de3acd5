#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result/result_file.hpp"

namespace pimdse::dse::cli {

/// On standard error, if what a file's answers were computed from is not what is there now: what is evaluated beside
/// them does not fit to them.
void say_changed_input(store::result::ResultFile const& file, space::Space const& space);

}  // namespace pimdse::dse::cli
