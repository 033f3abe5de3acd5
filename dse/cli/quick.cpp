#include "dse/cli/front_table.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/replay.hpp"

#include <fmt/format.h>

namespace pimdse::dse::cli {
namespace {

constexpr std::uint64_t points_at_most = 20'000;

Manual const quick_manual{
    "pimdse quick [SPACE] [flags]",
    "Explores the shipped quick space, or SPACE, on this machine: at most 20,000 points, the front on the screen, "
    "every answer\n"
    "in NAME.h5 in the current folder (an earlier one of the same name is replaced).",
    "  pimdse quick spaces/upmem_streams.toml\nprints the front of that space and names upmem_streams.h5.",
    {"space"}};

std::filesystem::path output_of(std::filesystem::path const& space) { return space.stem().string() + ".h5"; }

}  // namespace

int run_quick(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("set", po::value<std::vector<std::string>>()->composing(),
                        "name=value: replaces a parameter of the space")(
        "threads", po::value<std::string>()->default_value("0"), "threads (0: what the machine allows)")(
        "output,o", po::value<std::string>(), "the result file, instead of NAME.h5")(
        "progress", po::value<std::string>()->default_value("auto"), "auto, bar, plain or none");
    add_format(flags);
    auto const values = parse(quick_manual, flags, arguments);
    if (!values) return complete;
    (void)format_of(*values);  // a wrong format is said before any work
    RunRequest request;
    std::string const given = values->contains("space") ? (*values)["space"].as<std::string>() : "quick";
    request.space_file = space_file(given);
    request.output = output_file(values->contains("output") ? (*values)["output"].as<std::string>()
                                                            : output_of(request.space_file).string());
    refuse_same_file(request.space_file, request.output);
    request.overrides = overrides_of(*values);
    request.threads = threads_of(*values);
    request.progress = (*values)["progress"].as<std::string>();
    request.if_exists = IfExists::replace;
    request.budget_cap = points_at_most;
    request.words = {"pimdse", "quick"};
    request.words.insert(request.words.end(), arguments.begin(), arguments.end());
    auto const summary = run(request);
    if (!summary) return complete;
    bool const capped = summary->points < summary->space->size();
    print_summary(*summary, format_of(*values),
                  capped ? fmt::format("pimdse explore {} -o full.h5", space::shell_word(given)) : "");
    return summary->exit_code();
}

}  // namespace pimdse::dse::cli
