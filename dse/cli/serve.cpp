#include "dse/cli/run.hpp"
#include "dse/cli/run_request.hpp"
#include "dse/cli/verb.hpp"

namespace pimdse::dse::cli {
namespace {

Manual const serve_manual{
    "pimdse serve SPACE -o FILE.h5 [flags]",
    "Evaluates the points that another program requests as lines of JSON on standard input, and replies with lines on "
    "standard output. Every result is stored in FILE.h5, which is sealed at the end of the input or on {\"verb\": "
    "\"stop\"}. docs/python.md describes the requests.",
    "  echo '{\"verb\": \"evaluate\", \"tag\": 1, \"ids\": [\"0\", \"1\"]}' | pimdse serve spaces/quick.toml -o "
    "served.h5\n"
    "prints one line with the results of points 0 and 1.",
    {"space"}};

}  // namespace

int run_serve(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_run_flags(flags);
    auto const values = parse(serve_manual, flags, arguments);
    if (!values) return complete;
    auto request = run_request_of(*values, serve_manual, "serve", arguments);
    request.served = true;
    request.progress = "none";
    auto const summary = run(request);
    return !summary || summary->complete ? complete : resumable;  // failures were reported in replies
}

}  // namespace pimdse::dse::cli
