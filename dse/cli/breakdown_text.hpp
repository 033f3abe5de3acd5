#pragma once

#include "models/contract/architecture.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// "decode: bank bandwidth, 88 % of 444 GB/s".
[[nodiscard]] std::string limit_text(models::PhaseLimit const& limit);

/// What limits each phase, then where time, energy and area go, a title and a line per share each; `of` goes before the
/// titles.
[[nodiscard]] std::string breakdown_text(models::Breakdown const& breakdown, std::string_view of = "");

}  // namespace pimdse::dse::cli
