#include "dse/cli/batch.hpp"
#include "dse/cli/evaluated.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/trace_file.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/asked_machine.hpp"
#include "models/contract/explained.hpp"

#include <fmt/format.h>
#include <utility>

namespace pimdse::dse::cli {
namespace {

Manual const evaluate_manual{
    "pimdse evaluate ARCH [--set k=v]... [flags]   or   pimdse evaluate --from FILE.h5 --point ID [flags]",
    "Evaluates one point: metrics with bounds, and where time, energy and area go. Parameters not named have their "
    "defaults, or what a point of a result file has. With --batch, points as lines of JSON.",
    "  pimdse evaluate umdam --model opt-6.7b --set input=128 --set baseline=relayout\n"
    "prints the time to first token of the re-layout baseline and what it is made of.\n"
    "  echo '{\"points\": [{\"tasklets\": 8}, {\"tasklets\": 16}]}' | pimdse evaluate upmem --batch\n"
    "prints one line with the answers of both.",
    {"architecture"}};

/// As a run would answer; but what a person must put right, in a file or a setting, is no failure of ours here. Where a
/// scenario asks, there is no one breakdown.
models::Explained explained(AskedPoint const& asked) {
    auto const& machine = asked.machine;
    if (!machine.scenarios.empty()) return {{}, space::asked(machine, asked.point, asked.fidelity)};
    try {
        return models::explained(*machine.architecture, machine.inputs, asked.point, asked.fidelity);
    } catch (sim::InputError const&) {
        throw;
    } catch (std::exception const& error) {
        return {{}, models::Defect{error.what()}};
    }
}

/// Where a scenario asks, there is no one timeline either.
Evaluated evaluated(AskedPoint asked, po::variables_map const& values) {
    auto const& machine = asked.machine;
    bool const as_it_is = machine.scenarios.empty();
    if (!as_it_is && values.contains("trace")) throw UsageError("--trace is of one point as it is, not of scenarios");
    auto answer = explained(asked);
    if (values.contains("trace") && std::holds_alternative<models::Metrics>(answer.outcome)) {
        if (machine.architecture->trace == nullptr)
            throw sim::InputError(fmt::format("{} has no cycle timeline to trace", machine.architecture->name));
        write_trace(values["trace"].as<std::string>(),
                    machine.architecture->trace(machine.inputs, asked.point, asked.fidelity),
                    machine.architecture->name);
    }
    return {std::move(asked), std::move(answer.outcome), static_cast<models::Breakdown&&>(answer)};
}

}  // namespace

int run_evaluate(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_point_flags(flags);
    auto add = flags.add_options();
    add("trace", po::value<std::string>(), "write the cycle timeline as Chrome trace JSON");
    add("batch", "points as lines of JSON on standard input, answers as lines on standard output (docs/serve.md)");
    add("threads", po::value<std::string>()->default_value("0"), "with --batch (0: what the machine allows)");
    add_format(flags);
    auto const values = parse(evaluate_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    if (values->contains("batch")) {
        if (!(*values)["format"].defaulted() && format != Format::json)
            throw UsageError("--batch answers in lines of JSON (--format text and csv are for one point)");
        if (values->contains("trace")) throw UsageError("--trace is of one point, not of a batch");
        return answer_batch(asked_point(*values, evaluate_manual), threads_of(*values));
    }
    auto const answer = evaluated(asked_point(*values, evaluate_manual), *values);
    print_evaluated(answer, format);
    if (std::holds_alternative<models::Infeasible>(answer.outcome)) return no_feasible_point;
    return std::holds_alternative<models::Defect>(answer.outcome) ? some_points_failed : complete;
}

}  // namespace pimdse::dse::cli
