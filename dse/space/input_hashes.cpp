#include "dse/space/input_hashes.hpp"

#include "dse/space/program_hash.hpp"
#include "dse/store/digest.hpp"
#include "models/contract/data_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace pimdse::dse::space {
namespace {

/// Under this name goes what the program itself was built from.
constexpr std::string_view of_the_program = "the program (its sim and models)";

}  // namespace

store::InputHashes input_hashes(models::Architecture const& architecture) {
    namespace fs = std::filesystem;
    fs::path const root = models::data_directory();
    store::InputHashes hashes;
    for (auto const& folder :
         {fs::path("models") / architecture.name, fs::path("models/llm"), fs::path("models/dram")}) {
        if (!fs::is_directory(root / folder)) continue;
        for (auto const& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".toml") continue;
            std::ifstream stream(entry.path(), std::ios::binary);
            std::ostringstream content;
            content << stream.rdbuf();
            hashes.emplace_back(fs::relative(entry.path(), root).generic_string(), store::sha256(content.str()));
        }
    }
    hashes.emplace_back(of_the_program, program_hash());
    std::sort(hashes.begin(), hashes.end());
    return hashes;
}

}  // namespace pimdse::dse::space
