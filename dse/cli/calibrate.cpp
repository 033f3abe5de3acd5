#include "dse/cli/fit.hpp"
#include "dse/cli/kernel_rows.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/recorded_run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/verdict.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/service/traffic.hpp"
#include "models/text/head.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_constants = 5;
constexpr std::string_view constants_of_kernels =
    "product_kernel,attention_kernel,attention_task,bandwidth_share,fp16_share";
constexpr std::string_view constants_of_runs = "host_step,host_sequence,bandwidth_share,fp16_share";

Manual const calibrate_manual{
    "pimdse calibrate ARCH --rows FILE.csv | --model MODEL --measured RUN -o MACHINE.toml [flags]",
    "Fits at most five constants of a text machine within the ranges that its file states, and writes a machine file "
    "with them over those of ARCH: to measured operators (the table of pimdse evaluate --rows), of which every second "
    "row is held out, or to a recorded run (requests with the times of their tokens: AIPerf, vllm bench serve "
    "--save-detailed, LLMServingSim, or a table; docs/traffic.md), which is replayed, and whose second half is held "
    "out. What is held out says how good it is, before and after. What physics forbids is refused.",
    "  pimdse calibrate h100 --rows tests/data/kernels/h100.csv -o my_h100.toml\n"
    "writes my_h100.toml; then pimdse evaluate ./my_h100.toml evaluates it.",
    {"architecture"}};

std::string print_in_unit(FittedConstant const& c, double si) {
    return sim::print_number(si / sim::parse_unit(c.unit).in_si);
}

/// The range that its file states, or half to twice its value; a share is at most 1.
FittedConstant fitted_constant(models::Constants const& constants, std::string const& name) {
    auto const& all = constants.all();
    auto const found = all.find(name);
    if (found == all.end()) {
        std::vector<std::string> names;
        for (auto const& [known, _] : all) names.push_back(known);
        throw UsageError(fmt::format("--fit: unknown constant '{}'.{}", name, sim::suggestion(name, names)));
    }
    auto const& c = found->second;
    if (!(c.si > 0.0)) throw UsageError(fmt::format("--fit: {} is {} (only constants above 0 are fitted)", name, c.si));
    bool const stated = c.range_upper > 0.0;
    double upper = stated ? c.range_upper : 2.0 * c.si;
    if (name.ends_with("_share")) upper = std::min(1.0, upper);
    FittedConstant fitted{.name = name, .unit = c.unit, .before = c.si, .value = c.si, .upper = upper};
    fitted.lower = stated ? c.range_lower : 0.5 * c.si;
    if (c.si < fitted.lower || c.si > upper || fitted.lower <= 0.0 || fitted.lower >= upper)
        throw UsageError(fmt::format("--fit: {} has no room in its range, {} to {} {}", name,
                                     print_in_unit(fitted, fitted.lower), print_in_unit(fitted, upper), c.unit));
    return fitted;
}

/// A machine as it is with some values of its constants.
PointRequest with_constants(PointRequest const& base, std::vector<FittedConstant> const& constants) {
    auto candidate = base;
    auto options = base.machine.inputs.options;
    for (auto const& c : constants) options.drawn[c.name] = c.value;
    candidate.machine.inputs =
        models::prepare(*base.machine.architecture, base.machine.parameters(), std::move(options));
    return candidate;
}

/// What somebody measured: a part to which constants are fitted, and one that judges them.
struct Evidence {
    std::string about;  ///< "every second row of rows.csv"
    /// Logarithms of predicted over measured values of the part that is fitted.
    std::function<std::vector<double>(PointRequest const&)> errors;
    /// Lines about the part that is held out, of the machine before and after.
    std::function<std::string(PointRequest const& before, PointRequest const& after)> compared;
    std::function<double(PointRequest const&)> spread;  ///< factor within which nine tenths of what is held out lie
};

/// As a text of TOML.
std::string quoted(std::string const& text) {
    std::ostringstream out;
    out << std::quoted(text);
    return out.str();
}

/// The text of a machine with the fitted constants over those of another one.
std::string machine_text(PointRequest const& base, fs::path const& file, Evidence const& evidence,
                         std::vector<FittedConstant> const& constants, double spread, std::string const& remarks) {
    auto text = fmt::format("{}schema = 1\nbase = {}\nname = {}\nsummary = {}\n", remarks,
                            quoted(models::reference_of(*base.machine.architecture)), quoted(file.stem().string()),
                            quoted(fmt::format("{}, calibrated on {}", base.machine.name, evidence.about)));
    std::chrono::year_month_day const date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    for (auto const& c : constants) {
        if (c.flat) continue;
        auto const source = fmt::format("calibrated on {} on {}-{:02}-{:02}; {} before", evidence.about,
                                        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                        static_cast<unsigned>(date.day()), print_in_unit(c, c.before));
        text += fmt::format("\n[constant.{}]\nvalue = {}\nunit = \"{}\"\nsource = {}\n", c.name,
                            print_in_unit(c, c.value), c.unit, quoted(source));
    }
    return text + fmt::format("\n# nine tenths of what was held out lie within this factor\n[bounds]\nspread = {}\n",
                              sim::print_number(std::max(1.0, spread), 3));
}

/// `numbers`: of lines or requests.
template <class Number>
void refuse_forbidden(std::vector<Number> const& numbers, std::string const& file, std::string_view machine,
                      std::string_view what) {
    if (!numbers.empty())
        throw sim::InputError(fmt::format("{}: faster than the data sheet of {} allows: {} {}. Leave {} out?", file,
                                          machine, what, fmt::join(numbers, ", "),
                                          numbers.size() == 1 ? "it" : "them"));
}

/// The factor to either side within which nine tenths of predicted over measured values lie.
double factor_of_nine_tenths(std::vector<double> errors) {
    for (double& one : errors) one = std::abs(one);
    auto const at = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() * 9 / 10);
    std::ranges::nth_element(errors, at);
    return std::exp(*at);
}

/// Logarithms of predicted over measured times.
std::vector<double> errors_of_times(std::vector<KernelRow const*> const& rows) {
    std::vector<double> all;
    for (auto const* row : rows) all.push_back(std::log(row->cost.seconds / row->measured));
    return all;
}

/// Every second row.
std::vector<KernelRow const*> fitted_rows(std::vector<KernelRow> const& rows) {
    std::vector<KernelRow const*> found;
    for (std::size_t i = 0; i < rows.size(); i += 2) found.push_back(&rows[i]);
    return found;
}

std::vector<KernelRow const*> held_out(std::vector<KernelRow> const& rows, std::string const& group) {
    std::vector<KernelRow const*> found;
    for (std::size_t i = 1; i < rows.size(); i += 2)
        if (group == "all" || rows[i].group == group) found.push_back(&rows[i]);
    return found;
}

std::string compared(std::vector<KernelRow> const& before, std::vector<KernelRow> const& after) {
    std::set<std::string> groups{"all"};
    for (auto const* row : held_out(after, "all"))
        if (!row->group.empty()) groups.insert(row->group);
    std::string lines;
    for (auto const& group : groups) {
        auto const then = errors_of(held_out(before, group)), now = errors_of(held_out(after, group));
        auto const percent = [](sim::Json const& of, char const* key) { return 100.0 * of[key].get<double>(); };
        lines += fmt::format(
            "{}: {} rows held out, {:.1f} % off before and {:.1f} % after; {:.0f} and {:.0f} % inside; nine tenths "
            "within a factor of {:.2f} and {:.2f}\n",
            group, now["rows"].get<std::size_t>(), percent(then, "median_absolute_error"),
            percent(now, "median_absolute_error"), percent(then, "inside"), percent(now, "inside"),
            factor_of_nine_tenths(errors_of_times(held_out(before, group))),
            factor_of_nine_tenths(errors_of_times(held_out(after, group))));
    }
    return lines;
}

Evidence of_kernels(PointRequest const& base, std::string const& file) {
    auto const rows = read_kernel_rows(base, file);
    std::vector<std::int64_t> lines;
    for (auto const& row : rows)
        if (row.forbidden()) lines.push_back(row.line);
    refuse_forbidden(lines, file, base.machine.name, "line");
    constexpr std::size_t fewest = 4;
    if (rows.size() < fewest)
        throw sim::InputError(
            fmt::format("{}: {} rows (a calibration needs {}: half are held out)", file, rows.size(), fewest));
    return {fmt::format("every second row of {}", file),
            [file](PointRequest const& machine) {
                auto const all = read_kernel_rows(machine, file);
                return errors_of_times(fitted_rows(all));
            },
            [file](PointRequest const& before, PointRequest const& after) {
                return compared(read_kernel_rows(before, file), read_kernel_rows(after, file));
            },
            [file](PointRequest const& machine) {
                auto const all = read_kernel_rows(machine, file);
                return factor_of_nine_tenths(errors_of_times(held_out(all, "all")));
            }};
}

std::string compared(RecordedRun const& run, RecordedRun::Part part,
                     std::vector<sim::serving::TokenTimes> const& before,
                     std::vector<sim::serving::TokenTimes> const& after) {
    auto const was = run.figures(run.measured(), part), then = run.figures(before, part),
               now = run.figures(after, part);
    auto lines = fmt::format("requests {} to {} held out\n", part.first + 1, part.last);
    for (std::size_t i = 0; i < was.size(); ++i) {
        auto const told = [&](RecordedRun::Figure const& figure) {
            return fmt::format("{} ({:+.1f} %)", sim::print_quantity(figure.value, "s"),
                               100.0 * (figure.value / was[i].value - 1.0));
        };
        lines += fmt::format("{}: {} measured, {} before and {} after\n", was[i].name,
                             sim::print_quantity(was[i].value, "s"), told(then[i]), told(now[i]));
    }
    auto const errors_before = run.errors(before, part), errors_after = run.errors(after, part);
    auto const add = [&](std::string_view what, std::vector<double> RecordedRun::Errors::*times) {
        if (!(errors_before.*times).empty())
            lines +=
                fmt::format("{}: nine tenths of the requests within a factor of {:.2f} before and {:.2f} after\n", what,
                            factor_of_nine_tenths(errors_before.*times), factor_of_nine_tenths(errors_after.*times));
    };
    add("prompt, time to the first token", &RecordedRun::Errors::first);
    add("decode, time per later token", &RecordedRun::Errors::later);
    add("request, time to the last token", &RecordedRun::Errors::last);
    return lines;
}

Evidence of_run(PointRequest const& base, std::string const& file, std::string const& engine) {
    auto const run = std::make_shared<RecordedRun const>(base);
    constexpr std::size_t fewest = 4;
    if (run->size() < fewest)
        throw sim::InputError(
            fmt::format("{}: {} requests (a calibration needs {}: half are held out)", file, run->size(), fewest));
    refuse_forbidden(run->forbidden(base), file, base.machine.name, "request");
    RecordedRun::Part const fitted{0, run->size() / 2}, judges{run->size() / 2, run->size()};
    return {fmt::format("requests 1 to {} of {} ({})", fitted.last, file, engine),
            [run, fitted](PointRequest const& machine) {
                auto const together = static_cast<std::size_t>(std::sqrt(static_cast<double>(fitted.last)));
                return run->errors(run->replayed(machine), fitted, together).all();
            },
            [run, judges](PointRequest const& before, PointRequest const& after) {
                return compared(*run, judges, run->replayed(before), run->replayed(after));
            },
            [run, judges](PointRequest const& machine) {
                return factor_of_nine_tenths(run->errors(run->replayed(machine), judges).all());
            }};
}

/// A line about each constant: what the rows say of it.
std::string told_of(std::vector<FittedConstant> const& constants) {
    std::string lines;
    for (auto const& c : constants) {
        auto const alike = c.alike ? fmt::format("; {} moves with it", constants[*c.alike].name) : "";
        if (c.flat) {
            lines += fmt::format("{}: {} {} stays (these rows do not tell it{})\n", c.name, print_in_unit(c, c.before),
                                 c.unit, alike);
            continue;
        }
        constexpr double near_end = 1.001;
        bool const at_end = c.value < near_end * c.lower || c.value * near_end > c.upper;
        lines +=
            fmt::format("{}: {} {} before, {} after; {} to {} fit nearly as well{}, of {} to {}{}\n", c.name,
                        print_in_unit(c, c.before), c.unit, print_in_unit(c, c.value), print_in_unit(c, c.nearly_from),
                        print_in_unit(c, c.nearly_to), alike, print_in_unit(c, c.lower), print_in_unit(c, c.upper),
                        at_end ? " (the end of its range)" : "");
    }
    return lines;
}

std::string as_comments(std::string const& lines) {
    std::string all;
    for (auto const& line : sim::words_of(lines, '\n')) all += "# " + line + "\n";
    return all;
}

/// The flags of a point that serves the recorded run: its requests, and the settings of its scheduler and traffic.
po::variables_map serving_run(po::variables_map values, std::string const& file) {
    auto scenario = fmt::format("run=llm={},traffic.trace=\"{}\"", needed(values, "model", calibrate_manual),
                                models::service::traffic_file(file).string());
    std::vector<std::string> settings;
    if (values.contains("set"))
        for (auto const& setting : values["set"].as<std::vector<std::string>>()) {
            bool const of_scenario = setting.starts_with("scheduler.") || setting.starts_with("traffic.");
            if (of_scenario)
                scenario += "," + setting;
            else
                settings.push_back(setting);
        }
    std::map<std::string, po::variable_value>& all = values;
    all.erase("model");
    all.erase("set");
    if (!settings.empty()) all.emplace("set", po::variable_value(settings, false));
    all.emplace("scenario", po::variable_value(std::vector{scenario}, false));
    return values;
}

}  // namespace

int run_calibrate(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_point_flags(flags);
    auto add = flags.add_options();
    add("rows", po::value<std::string>(), "the table of measured operators");
    add("measured", po::value<std::string>(),
        "the recorded run instead, of --model; --set says its devices, formats and scheduler.max_sequences ...");
    add("engine", po::value<std::string>()->default_value("engine not stated"),
        "with --measured: the program of the run and its version, for the file");
    add("fit", po::value<std::string>(),
        "the constants that are fitted, at most five, separated by commas (default: those of kernels, or of the host "
        "and the attained shares)");
    add("output,o", po::value<std::string>(), "the machine file that is written; its name is that of the machine");
    auto const values = parse(calibrate_manual, flags, arguments);
    if (!values) return complete;
    bool const replays = values->contains("measured");
    if (replays && values->contains("rows"))
        throw UsageError("--rows and --measured are both given. Which of the two is it fitted to?");
    for (char const* flag : {"from", "set", "assume", "scenario", "constants", "model"})
        if (values->contains(flag) &&
            !(replays && (std::string_view(flag) == "set" || std::string_view(flag) == "model")))
            throw UsageError(
                fmt::format("--{0} is about points, and a calibration fits a machine. Leave out --{0}?", flag));
    auto const file = needed(*values, replays ? "measured" : "rows", calibrate_manual);
    auto const base = point_request(replays ? serving_run(*values, file) : *values, calibrate_manual);
    expect_text_machine(base);
    fs::path const output = needed(*values, "output", calibrate_manual);
    if (!models::text::is_machine_name(output.stem().string()) || output.extension() != ".toml")
        throw UsageError(fmt::format(
            "-o must be NAME.toml with a letter first, then letters, digits and '_' (got '{}')", output.string()));
    auto const names = sim::words_of(values->contains("fit") ? (*values)["fit"].as<std::string>()
                                     : replays               ? std::string(constants_of_runs)
                                                             : std::string(constants_of_kernels),
                                     ',');
    if (names.empty() || names.size() > max_constants)
        throw UsageError(fmt::format("--fit must list 1 to {} constants (got {})", max_constants, names.size()));
    auto const known = models::constants_of(*base.machine.architecture);
    std::vector<FittedConstant> constants;
    for (auto const& name : names) constants.push_back(fitted_constant(known, name));
    auto const evidence = replays ? of_run(base, file, (*values)["engine"].as<std::string>()) : of_kernels(base, file);
    fit(constants, [&](auto const& candidate) { return evidence.errors(with_constants(base, candidate)); });
    auto const found = told_of(constants);
    if (std::ranges::all_of(constants, &FittedConstant::flat))
        throw sim::InputError(fmt::format("{}: its rows tell none of the constants:\n{}", file, found));
    auto const after = with_constants(base, constants);
    auto const lines = found + evidence.compared(base, after);
    write_new(output, machine_text(base, output, evidence, constants, evidence.spread(after), as_comments(lines)));
    fmt::print("{}{} is written\n", lines, output.string());
    return complete;
}

}  // namespace pimdse::dse::cli
