#include "models/contract/data_directory.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <cstdlib>

namespace pimdse::models {

std::filesystem::path data_directory() {
    namespace fs = std::filesystem;
    std::vector<fs::path> candidates;
    if (char const* chosen = std::getenv("PIMDSE_DATA"); chosen != nullptr && *chosen != '\0') {
        candidates.emplace_back(chosen);
    } else {
        candidates.emplace_back(PIMDSE_SOURCE_DIR);
        std::error_code ignored_if_no_proc;
        candidates.push_back(fs::read_symlink("/proc/self/exe", ignored_if_no_proc).parent_path().parent_path() /
                             "share" / "pimdse");
    }
    for (auto const& candidate : candidates) {
        if (std::error_code none; fs::is_directory(candidate / "models" / "llm", none)) return candidate;
    }
    throw sim::InputError(
        fmt::format("the data folder with models/ is not at {} (it was moved or not installed). Set PIMDSE_DATA to it?",
                    candidates.front().string()));
}

}  // namespace pimdse::models
