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
#include <numeric>
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

/// A constant that is fitted, in SI.
struct FittedConstant {
    std::string name, unit;
    double before = 0.0, value = 0.0, lower = 0.0, upper = 0.0;

    [[nodiscard]] double in_unit(double si) const { return si / sim::parse_unit(unit).in_si; }
};

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
    return {name, c.unit, c.si, c.si, stated ? c.range_lower : 0.5 * c.si, upper};
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
    std::string about;                                    ///< "every second row of rows.csv"
    std::function<double(PointRequest const&)> distance;  ///< mean one of the logarithms of the part that is fitted
    /// Lines about the part that is held out, of the machine before and after.
    std::function<std::string(PointRequest const& before, PointRequest const& after)> compared;
    std::function<double(PointRequest const&)> spread;  ///< factor within which nine tenths of what is held out lie
};

/// Searches the constants one after the other, on a grid that becomes finer, and then where the last steps lead.
class Fit {
  public:
    Fit(PointRequest const& base, Evidence const& evidence, std::vector<FittedConstant>& constants)
        : base_(base), evidence_(evidence), constants_(constants), best_(distance()) {}

    void run() {
        constexpr int rounds = 18, coarse = 3;
        constexpr double finer = 0.75;
        double width = 1.0;
        for (int round = 0; round < rounds; ++round, width *= finer) {
            auto const begin = values();
            for (auto& c : constants_) search(c, std::pow(c.upper / c.lower, width));
            if (round >= coarse) go_on(begin);
        }
    }

  private:
    [[nodiscard]] double distance() const { return evidence_.distance(with_constants(base_, constants_)); }
    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> all;
        for (auto const& c : constants_) all.push_back(c.value);
        return all;
    }
    void search(FittedConstant& c, double width) {
        constexpr int steps = 8;
        double const middle = c.value;
        for (int step = 0; step <= steps; ++step) {
            double const kept = c.value;
            c.value = std::clamp(middle * std::pow(width, static_cast<double>(step) / steps - 0.5), c.lower, c.upper);
            keep_if_better([&] { c.value = kept; });
        }
    }
    /// On as far as from `begin` to here, and then twice as far, while that is better.
    void go_on(std::vector<double> const& begin) {
        auto const here = values();
        double before = 0.0, times = 1.0;
        do {
            auto const kept = values();
            before = best_;
            for (std::size_t i = 0; i < constants_.size(); ++i)
                constants_[i].value =
                    std::clamp(here[i] * std::pow(here[i] / begin[i], times), constants_[i].lower, constants_[i].upper);
            keep_if_better([&] {
                for (std::size_t i = 0; i < constants_.size(); ++i) constants_[i].value = kept[i];
            });
            times *= 2.0;
        } while (best_ < before);
    }
    /// Keeps the values if they are nearer than all before.
    template <class Undo>
    void keep_if_better(Undo const& undo) {
        double const now = distance();
        if (now < best_)
            best_ = now;
        else
            undo();
    }

    PointRequest const& base_;
    Evidence const& evidence_;
    std::vector<FittedConstant>& constants_;
    double best_;
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
        auto const source = fmt::format("calibrated on {} on {}-{:02}-{:02}; {} before", evidence.about,
                                        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                        static_cast<unsigned>(date.day()), sim::print_number(c.in_unit(c.before)));
        text += fmt::format("\n[constant.{}]\nvalue = {}\nunit = \"{}\"\nsource = {}\n", c.name,
                            sim::print_number(c.in_unit(c.value)), c.unit, quoted(source));
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

/// Of distances of logarithms.
double factor_of_nine_tenths(std::vector<double> distances) {
    auto const at = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() * 9 / 10);
    std::ranges::nth_element(distances, at);
    return std::exp(*at);
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
        lines +=
            fmt::format("{}: {} rows held out, {:.1f} % off before and {:.1f} % after; {:.0f} and {:.0f} % inside\n",
                        group, now["rows"].get<std::size_t>(), percent(then, "median_absolute_error"),
                        percent(now, "median_absolute_error"), percent(then, "inside"), percent(now, "inside"));
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
    auto const distances = [file](PointRequest const& machine, std::size_t first) {
        std::vector<double> found;
        auto const all = read_kernel_rows(machine, file);
        for (std::size_t i = first; i < all.size(); i += 2)
            found.push_back(std::abs(std::log(all[i].cost.seconds / all[i].measured)));
        return found;
    };
    return {fmt::format("every second row of {}", file),
            [distances](PointRequest const& machine) {
                auto const all = distances(machine, 0);
                return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
            },
            [file](PointRequest const& before, PointRequest const& after) {
                return compared(read_kernel_rows(before, file), read_kernel_rows(after, file));
            },
            [distances](PointRequest const& machine) { return factor_of_nine_tenths(distances(machine, 1)); }};
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
    return lines +
           fmt::format("nine tenths of the times of requests within a factor of {:.2f} before and {:.2f} after\n",
                       factor_of_nine_tenths(run.distances(before, part)),
                       factor_of_nine_tenths(run.distances(after, part)));
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
                auto const all = run->distances(run->replayed(machine), fitted);
                return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
            },
            [run, judges](PointRequest const& before, PointRequest const& after) {
                return compared(*run, judges, run->replayed(before), run->replayed(after));
            },
            [run, judges](PointRequest const& machine) {
                return factor_of_nine_tenths(run->distances(run->replayed(machine), judges));
            }};
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
    Fit(base, evidence, constants).run();
    auto const after = with_constants(base, constants);
    auto const lines = evidence.compared(base, after);
    write_new(output, machine_text(base, output, evidence, constants, evidence.spread(after), as_comments(lines)));
    for (auto const& c : constants)
        fmt::print("{:<20} {} {} before, {} after, within {} to {}\n", c.name, sim::print_number(c.in_unit(c.before)),
                   c.unit, sim::print_number(c.in_unit(c.value)), sim::print_number(c.in_unit(c.lower)),
                   sim::print_number(c.in_unit(c.upper)));
    fmt::print("{}{} is written\n", lines, output.string());
    return complete;
}

}  // namespace pimdse::dse::cli
