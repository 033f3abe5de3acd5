#include "dse/cli/verb.hpp"

#include "dse/cli/options.hpp"
#include "dse/run/mpi.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <iostream>

namespace pimdse::dse::cli {

int run_words(std::string_view verb, std::string_view summary, std::span<Verb const> words,
              std::vector<std::string> const& arguments) {
    bool const requested = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
    if (requested || arguments.empty()) {
        (requested ? std::cout : std::cerr) << summary;
        return requested ? complete : usage;
    }
    for (auto const& word : words)
        if (word.name == arguments[0]) return word.run({arguments.begin() + 1, arguments.end()});
    throw UsageError("pimdse {} has no verb '{}'.{}", verb, arguments[0],
                     sim::suggestion(arguments[0], sim::names_of(words)));
}

std::string version() { return PIMDSE_VERSION; }
std::string git_revision() { return PIMDSE_GIT_REVISION; }

std::string version_text() {
    return fmt::format("pimdse {} ({})\n{}\nHDF5 {}\noneTBB {}.{}\nBoost {}.{}\n", version(), git_revision(),
                       run::mpi_library(), PIMDSE_HDF5_VERSION, TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
                       BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
}

}  // namespace pimdse::dse::cli
