#include "dse/cli/verb.hpp"

#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {

int run_words(std::string_view verb, std::string_view summary, std::span<Verb const> words,
              std::vector<std::string> const& arguments) {
    bool const asked = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
    if (asked || arguments.empty()) {
        (asked ? std::cout : std::cerr) << summary;
        return asked ? complete : usage;
    }
    std::vector<std::string> names;
    for (auto const& word : words) {
        if (word.name == arguments[0]) return word.run({arguments.begin() + 1, arguments.end()});
        names.emplace_back(word.name);
    }
    throw UsageError(
        fmt::format("pimdse {} knows no '{}'.{}", verb, arguments[0], sim::suggestion(arguments[0], names)));
}

}  // namespace pimdse::dse::cli
