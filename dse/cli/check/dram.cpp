#include "dse/cli/check/dram_check.hpp"
#include "dse/cli/check/dram_replay.hpp"
#include "dse/cli/verb.hpp"

#include <array>
#include <string_view>

namespace pimdse::dse::cli::check {
namespace {

constexpr std::string_view dram_summary =
    "usage: pimdse dram replay|check [flags]\n\n"
    "  replay   a request stream through the cycle-exact DRAM model\n"
    "  check    the model against a table of reference runs\n\n"
    "Example:\n"
    "  pimdse dram replay --dram L5J --mapping umdam --stream seq:16777216\n"
    "prints cycles, bandwidth, hits, misses and conflicts of reading 16 MiB in order. Each word has a --help of its "
    "own.\n";

}  // namespace

int run_dram(std::vector<std::string> const& arguments) {
    static constexpr std::array words{Verb{"replay", "", &dram_replay}, Verb{"check", "", &dram_check}};
    return run_words("dram", dram_summary, words, arguments);
}

}  // namespace pimdse::dse::cli::check
