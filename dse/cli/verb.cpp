#include "dse/cli/verb.hpp"

#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <array>
#include <iostream>

namespace pimdse::dse::cli {

std::span<Verb const> verbs() {
    static constexpr std::array table{
        Verb{"quick", "explore a small space on this machine and show what its front says", &run_quick},
        Verb{"explore", "explore a space into a result file; alone, under mpirun or srun", &run_explore},
        Verb{"join", "work on an exploration that runs elsewhere (explore --joinable)", &run_join},
        Verb{"evaluate", "one point of an architecture: metrics, bounds and where time, energy and area go",
             &run_evaluate},
        Verb{"watch", "follow a running exploration", &run_watch},
        Verb{"front", "the front of a result file, for any objectives", &run_front},
        Verb{"merge", "join result files of one space", &run_merge},
        Verb{"diff", "what two result files of one space say differently", &run_diff},
        Verb{"verify", "recompute a result file's digest and a sample of its points", &run_verify},
        Verb{"validate", "every published figure beside ours", &run_validate},
        Verb{"list", "architectures, models, dram, spaces or strategies", &run_list},
        Verb{"describe", "parameters and metrics of an architecture", &run_describe},
        Verb{"dram", "replay a request stream through the DRAM model, or check it against reference rows", &run_dram},
        Verb{"noc", "the same for the mesh network", &run_noc},
    };
    return table;
}

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
