#include "models/contract/data_directory.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <vector>

namespace pimdse::models {

namespace fs = std::filesystem;

fs::path installed_directory() {
    std::error_code ignored_if_no_proc;
    auto const program = fs::read_symlink("/proc/self/exe", ignored_if_no_proc);
    return program.parent_path().parent_path() / "share" / "pimdse";
}

fs::path data_directory() {
    std::vector<fs::path> candidates{installed_directory(), PIMDSE_SOURCE_DIR};
    if (char const* chosen = std::getenv("PIMDSE_DATA"); chosen != nullptr && *chosen != '\0') candidates = {chosen};
    for (auto const& candidate : candidates) {
        if (std::error_code none; fs::is_directory(candidate / "models" / "llm", none)) return candidate;
    }
    throw sim::InputError(
        fmt::format("the data folder with models/ is not at {} (it was moved or not installed). Set PIMDSE_DATA to it?",
                    candidates.front().string()));
}

}  // namespace pimdse::models
