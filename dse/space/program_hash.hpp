#pragma once

#include <string_view>

namespace pimdse::dse::space {

/// SHA-256 of the sources of sim and models that this program was built from: programs with the same one answer alike.
[[nodiscard]] std::string_view program_hash();

}  // namespace pimdse::dse::space
