#pragma once

#include "models/contract/architecture.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// Where time, energy and area go, a title and a line per share each; `of` goes before the titles.
[[nodiscard]] std::string breakdown_text(models::Breakdown const& breakdown, std::string_view of = "");

}  // namespace pimdse::dse::cli
