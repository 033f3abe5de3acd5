#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <chrono>
#include <string>

namespace pimdse::dse::cli::run {

/// "2026-01-31T23:59:59Z".
[[nodiscard]] inline std::string now_text() {
    return fmt::format("{:%FT%TZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace pimdse::dse::cli::run
