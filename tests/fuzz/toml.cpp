#include "input.hpp"
#include "models/contract/toml_file.hpp"

#include <toml++/toml.h>

/// TOML as every data file is read: nothing in it may take the stack, and every number is checked before it is
/// converted.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt([&] {
        auto const table = models::parse_toml(fuzz::text_of(data, size), "file.toml");
        std::vector<std::string> mistakes;
        models::TableReader reader(table, "file.toml", mistakes);
        for (auto const& [key, node] : table) {
            (void)reader.integer(key.str());
            (void)reader.number(key.str());
            (void)reader.text(key.str());
        }
        reader.refuse_unknown_keys();
    });
}
