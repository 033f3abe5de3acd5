#include "dse/cli/incomplete_file.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {

std::string incomplete_text(store::result::ResultFile const& file) {
    if (auto const missing = store::result::missing_points(file); missing > 0)
        return fmt::format("{} of {} planned points are not in it", missing,
                           store::result::planned_in(store::result::united(file.provenance.plans)));
    if (!file.provenance.unfinished()) return "";
    return fmt::format("its run is {}", file.provenance.more_of("state"));
}

void say_incomplete(store::result::ResultFile const& file) {
    if (auto const text = incomplete_text(file); !text.empty())
        std::cerr << fmt::format("pimdse: {} is not complete: {}\n", file.path.string(), text);
}

}  // namespace pimdse::dse::cli
