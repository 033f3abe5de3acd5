#include "dse/space/input_hashes.hpp"

#include "dse/space/program_hash.hpp"
#include "dse/store/own_files.hpp"
#include "models/contract/data_directory.hpp"
#include "models/contract/own_file.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace pimdse::dse::space {
namespace {

/// Under this name goes what the program itself was built from.
constexpr std::string_view of_the_program = "the program (its sim and models)";

std::string hash_of(std::filesystem::path const& file) { return store::file_sha256(file); }

bool is_input(std::filesystem::path const& file) { return file.extension() == ".toml" || file.extension() == ".s"; }

}  // namespace

store::InputHashes input_hashes(models::Architecture const& architecture) {
    namespace fs = std::filesystem;
    fs::path const root = models::data_directory();
    store::InputHashes hashes;
    for (auto const& folder :
         {fs::path("models") / architecture.name, fs::path("models/llm"), fs::path("models/dram")}) {
        if (!fs::is_directory(root / folder)) continue;
        for (auto const& entry : fs::recursive_directory_iterator(root / folder)) {
            if (is_input(entry.path()))
                hashes.emplace_back(fs::relative(entry.path(), root).generic_string(), hash_of(entry.path()));
        }
    }
    constexpr auto* technology = "models/technology.toml";
    if (fs::exists(root / technology)) hashes.emplace_back(technology, hash_of(root / technology));
    hashes.emplace_back(of_the_program, program_hash());
    std::sort(hashes.begin(), hashes.end());
    return hashes;
}

store::InputHashes own_file_hashes(models::Inputs const& inputs) {
    store::InputHashes hashes;
    if (!inputs.options.constants.empty())
        hashes.emplace_back(inputs.options.constants, hash_of(inputs.options.constants));
    for (auto const& parameter : inputs.parameters) {
        for (auto const& choice : parameter.choices) {
            if (!models::names_own_file(choice)) continue;
            hashes.emplace_back(choice, hash_of(choice));
            auto const listing = models::listing_beside(choice);
            if (!listing.empty()) hashes.emplace_back(listing.string(), hash_of(listing));
        }
    }
    return hashes;
}

}  // namespace pimdse::dse::space
