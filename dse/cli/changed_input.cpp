#include "dse/cli/changed_input.hpp"

#include "dse/space/input_hashes.hpp"
#include "dse/store/differing_input.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {

void say_changed_input(store::result::ResultFile const& file, space::Space const& space) {
    if (auto const input = store::differing_input(file.columns.input_hashes, space::input_hashes(space)))
        std::cerr << fmt::format("pimdse: {} has changed since {} was written\n", *input, file.path.string());
}

}  // namespace pimdse::dse::cli
