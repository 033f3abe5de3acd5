#include "dse/cli/verb.hpp"

#include "dse/cli/options.hpp"
#include "dse/run/mpi.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <iostream>

namespace pimdse::dse::cli {

int run_words(std::string_view verb, std::string_view help, std::span<Verb const> words,
              std::vector<std::string> const& arguments) {
    bool const requested = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
    if (requested || arguments.empty()) {
        (requested ? std::cout : std::cerr) << help;
        return requested ? complete : usage;
    }
    for (auto const& word : words)
        if (word.name == arguments[0]) return word.run({arguments.begin() + 1, arguments.end()});
    throw UsageError("pimdse {} has no verb '{}'.{}", verb, arguments[0],
                     sim::suggestion(arguments[0], sim::names_of(words)));
}

std::string help_of(std::string_view verb, std::span<Verb const> words) {
    auto const names = sim::names_of(words);
    auto const longest = std::ranges::max(names, {}, &std::string::size).size();
    auto text = fmt::format("usage: pimdse {} {} [flags]\n\n", verb, fmt::join(names, "|"));
    for (auto const& name : names)
        text += fmt::format("  {:<{}}   {}\n", name, longest, page_of(fmt::format("{} {}", verb, name)).manual.summary);
    return fmt::format("{}\nExample:\n{}\n", text, page_of(verb).manual.example);
}

std::string version() { return PIMDSE_VERSION; }
std::string git_revision() { return PIMDSE_GIT_REVISION; }

std::string version_text() {
    return fmt::format("pimdse {} ({})\n{}\nHDF5 {}\noneTBB {}.{}\nBoost {}.{}\n", version(), git_revision(),
                       run::mpi_library(), PIMDSE_HDF5_VERSION, TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
                       BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
}

}  // namespace pimdse::dse::cli
