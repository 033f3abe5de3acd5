#include "dse/cli/dram.hpp"
#include "dse/cli/verb.hpp"

#include "sim/check.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {
namespace {

constexpr std::string_view summary =
    "usage: pimdse dram replay|check [flags]\n\n"
    "  replay   a request stream through the cycle-exact DRAM model\n"
    "  check    the model against a table of reference runs\n\n"
    "Example:\n"
    "  pimdse dram replay --dram L5J --mapping umdam --stream seq:16777216\n"
    "prints cycles, bandwidth, hits, misses and conflicts of reading 16 MiB in order. Each word has a --help of its own.\n";

}  // namespace

int run_dram(std::vector<std::string> const& arguments) {
    if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
        std::cout << summary;
        return complete;
    }
    if (arguments.empty()) {
        std::cerr << summary;
        return usage;
    }
    std::vector<std::string> const rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "replay") return dram_replay(rest);
    if (arguments[0] == "check") return dram_check(rest);
    throw UsageError(fmt::format("pimdse dram knows no '{}'.{}", arguments[0], sim::suggestion(arguments[0], {"replay", "check"})));
}

}  // namespace pimdse::dse::cli
