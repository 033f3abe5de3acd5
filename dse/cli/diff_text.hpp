#pragma once

#include "dse/store/result/comparison.hpp"

#include <string>

namespace pimdse::dse::cli {

/// What two files say differently, for people: whether the fronts agree, designs gained and lost, and a line for each
/// metric, status and rule that differs with how many points and the one that differs most. Ends with a newline.
[[nodiscard]] std::string diff_text(store::result::ResultFile const& left, store::result::ResultFile const& right,
                                    store::result::Comparison const& comparison);

}  // namespace pimdse::dse::cli
