#include "dse/cli/check/noc_check.hpp"
#include "dse/cli/check/noc_replay.hpp"
#include "dse/cli/verb.hpp"

#include <array>
#include <string_view>

namespace pimdse::dse::cli::check {
namespace {

constexpr std::string_view noc_summary =
    "usage: pimdse noc replay|check [flags]\n\n"
    "  replay   open-loop traffic through the cycle-level mesh network\n"
    "  check    the network against a table of reference runs\n\n"
    "Example:\n"
    "  pimdse noc replay --mesh 8x8 --traffic uniform --packet 4 --load 0.1\n"
    "prints latency, throughput and hops as JSON. Each word has a --help of its own.\n";

}  // namespace

int run_noc(std::vector<std::string> const& arguments) {
    static constexpr std::array words{Verb{"replay", "", &noc_replay}, Verb{"check", "", &noc_check}};
    return run_words("noc", noc_summary, words, arguments);
}

}  // namespace pimdse::dse::cli::check
