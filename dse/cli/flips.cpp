#include "dse/flips/flips.hpp"

#include "dse/cli/flag_values.hpp"
#include "dse/cli/flips_text.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/printed_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/evaluate/thread_count.hpp"
#include "dse/flips/flips_json.hpp"
#include "models/contract/assumption_texts.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {
namespace {

Manual const flips_manual{
    "pimdse flips SPACE [flags]",
    "Says what the comparison of machines rests on: varies each assumption alone over its stated range (view, "
    "constants, "
    "node, precision, host, batch, attained share, launches, rows of technology.toml), at analytic level, and names "
    "for every scenario, objective and condition the machine that wins, what makes another one win and from which "
    "value.",
    "  pimdse flips spaces/which_machine.toml\nprints the winners as assumed, what flips them, and which survive all.",
    {"space"}};

void print_text(space::Space const& space, flips::Report const& report) {
    FlipsText const text(space, report);
    auto const& assumptions = space.machines().front().inputs.options.assumptions;
    std::cout << fmt::format("{} designs, assuming {}\n\n", report.points, models::sentence_of(assumptions));
    print_table(text.winners(), Format::text);
    std::cout << fmt::format("\nWhat flips a winner: {} other assumptions, one at a time, on {} designs{}\n",
                             report.variations.size(), report.candidates,
                             report.candidates == report.points
                                 ? ""
                                 : " that were among the best of their machine under either view (--full: all)");
    if (!report.flips.empty()) print_table(text.changes(), Format::text);
    std::cout << "\nWinners that survive every one of them:\n";
    auto const robust = report.robust();
    for (auto const q : robust) {
        auto const winner = report.as_assumed[q].winner(report.questions[q].maximize);
        std::cout << fmt::format("  {}: {}\n", text.question(q), text.machine(winner));
    }
    if (robust.empty()) std::cout << "  none\n";
    if (!report.flips.empty()) std::cout << "every question with its change: --format csv\n";
}

/// Throws InputError with the file's name where its space cannot be asked.
void check_questions(space::Space const& space, std::string const& file) {
    try {
        (void)flips::questions_of(space);
    } catch (sim::InputError const& error) {
        throw sim::InputError(fmt::format("{}: {}", file, error.what()));
    }
}

}  // namespace

int run_flips(std::vector<std::string> const& arguments) {
    po::options_description flags;
    auto add = flags.add_options();
    add("set", po::value<std::vector<std::string>>()->composing(), "name=value: replaces a parameter of the space");
    add("assume", po::value<std::vector<std::string>>()->composing(),
        "name=value: replaces an assumption of the space");
    add("candidates", po::value<std::string>()->default_value("64"),
        "designs kept of each machine, question and view, on which assumptions are varied");
    add("full", po::bool_switch(), "sweep the whole space for every variation");
    add("threads", po::value<std::string>()->default_value("0"), "threads (0: what the machine allows)");
    add("progress", po::bool_switch(), "say on standard error what is evaluated");
    add_format(flags);
    auto const values = parse(flips_manual, flags, arguments);
    if (!values) return complete;
    auto const format = format_of(*values);
    auto const file = space_file(needed(*values, "space", flips_manual));
    auto const text = space_file::read_space_text(file);
    auto const asked = overrides_of(*values);
    auto const parsed = [&](std::vector<space_file::Override> const& more) {
        auto overrides = asked;
        overrides.insert(overrides.end(), more.begin(), more.end());
        return space_file::parse_space(text, file.string(), overrides);
    };
    auto const space = parsed({});
    check_questions(space, file.string());
    flips::Settings settings;
    settings.candidates =
        read_number<std::uint64_t>("--candidates", (*values)["candidates"].as<std::string>(), {1, 1U << 20U});
    settings.full = (*values)["full"].as<bool>();
    settings.threads = evaluate::thread_count(
        read_number<int>("--threads", (*values)["threads"].as<std::string>(), {0, evaluate::most_threads()}));
    if ((*values)["progress"].as<bool>())
        settings.progress = [](std::string const& what) { std::cerr << what << std::endl; };
    auto const report = flips::flips_of(parsed, settings);
    if (format == Format::json)
        std::cout << json_text(flips::flips_json(space, report)) << '\n';
    else if (format == Format::csv)
        print_table(FlipsText(space, report).every_change(), format);
    else
        print_text(space, report);
    return complete;
}

}  // namespace pimdse::dse::cli
