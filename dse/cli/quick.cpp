#include "dse/cli/front_table.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/replay.hpp"

#include <fmt/format.h>

namespace pimdse::dse::cli {
namespace {

constexpr std::uint64_t max_points = 20'000;

Manual const quick_manual{
    "pimdse quick [SPACE] [flags]",
    "Explores the shipped quick space, or SPACE, on this host: evaluates at most 20,000 points, prints the front and "
    "writes every result\n"
    "to NAME.h5 in the current folder (an existing file of this name is replaced).",
    "  pimdse quick spaces/upmem_streams.toml\nprints the front of that space and writes upmem_streams.h5.",
    {"space"}};

std::filesystem::path output_of(std::filesystem::path const& space) { return space.stem().string() + ".h5"; }

}  // namespace

int run_quick(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("set", po::value<std::vector<std::string>>()->composing(),
                        "name=value: replaces a parameter of the space")(
        "output,o", po::value<std::string>(), "the result file to write, instead of NAME.h5");
    add_threads(flags);
    add_progress(flags);
    add_format(flags);
    auto const values = parse(quick_manual, flags, arguments);
    if (!values) return complete;
    (void)format_of(*values);  // reports a wrong format before any work
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
    request.budget_cap = max_points;
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
