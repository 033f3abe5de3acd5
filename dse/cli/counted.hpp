#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace pimdse::dse::cli {

/// "1 point", "2 points".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace pimdse::dse::cli
