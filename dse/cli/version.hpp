#pragma once

#include <string>

namespace pimdse::dse::cli {

[[nodiscard]] std::string version();       ///< "0.1.0"
[[nodiscard]] std::string git_revision();  ///< of the build; "unknown" outside a checkout
[[nodiscard]] std::string version_text();  ///< version, revision and libraries, for --version

}  // namespace pimdse::dse::cli
