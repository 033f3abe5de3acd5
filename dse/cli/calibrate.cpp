#include "dse/cli/kernel_rows.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/cli/verdict.hpp"
#include "models/contract/constants.hpp"
#include "models/find_architecture.hpp"
#include "models/text/head.hpp"
#include "models/text/source_files.hpp"
#include "models/text/text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_constants = 5;
constexpr std::string_view usual_constants =
    "product_kernel,attention_kernel,attention_task,bandwidth_share,fp16_share";

Manual const calibrate_manual{
    "pimdse calibrate ARCH --rows FILE.csv -o MACHINE.toml [flags]",
    "Fits at most five constants of a text machine to measured operators (the table of pimdse evaluate --rows), within "
    "the ranges that its file states, on every second row, and writes a machine file with the fitted constants over "
    "those of ARCH. The other rows say how good it is, before and after. Rows that physics forbids are refused.",
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

/// A machine with the fitted constants over those of another one, as it is and as the text of a file.
class Calibration {
  public:
    Calibration(PointRequest const& base, std::string reference, fs::path file, std::string rows,
                std::vector<FittedConstant> constants)
        : base_(base),
          reference_(std::move(reference)),
          file_(models::text::source_path(file)),
          rows_(std::move(rows)),
          constants_(std::move(constants)) {}

    [[nodiscard]] std::vector<FittedConstant> const& constants() const { return constants_; }
    [[nodiscard]] std::string text(std::string const& remarks) const {
        auto text = fmt::format("{}schema = 1\nbase = \"{}\"\nname = \"{}\"\nsummary = \"{}, calibrated on {}\"\n",
                                remarks, reference_, file_.stem().string(), base_.machine.name, rows_);
        auto const today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
        std::chrono::year_month_day const date{today};
        for (auto const& c : constants_)
            text += fmt::format(
                "\n[constant.{}]\nvalue = {}\nunit = \"{}\"\nsource = \"calibrated on {} on {}-{:02}-{:02}; {} "
                "before\"\n",
                c.name, sim::print_number(c.in_unit(c.value)), c.unit, rows_, static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                sim::print_number(c.in_unit(c.before)));
        return text;
    }
    /// All rows on the machine with these constants.
    [[nodiscard]] std::vector<KernelRow> rows() const {
        auto const machine = models::text::architecture(file_, {{file_.string(), text("")}});
        PointRequest candidate;
        candidate.machine.name = machine.name;
        candidate.machine.architecture = &machine;
        auto parameters = machine.parameters();
        for (auto const& parameter : parameters) candidate.point.push_back(parameter.default_value);
        candidate.machine.inputs = models::prepare(machine, std::move(parameters));
        return read_kernel_rows(candidate, rows_);
    }
    /// Mean distance of the rows that are fitted: of the logarithms of predicted and measured times.
    [[nodiscard]] double distance() const {
        double sum = 0.0, count = 0.0;
        auto const all = rows();
        for (std::size_t i = 0; i < all.size(); i += 2) {
            sum += std::abs(std::log(all[i].cost.seconds / all[i].measured));
            ++count;
        }
        return sum / count;
    }
    /// One constant after the other, on a grid that becomes finer.
    void fit() {
        constexpr int rounds = 3, steps = 8;
        double best = distance();
        for (int round = 0; round < rounds; ++round) {
            for (auto& c : constants_) {
                double const width = std::pow(c.upper / c.lower, std::pow(0.25, round));
                double const middle = c.value;
                for (int step = 0; step <= steps; ++step) {
                    double const kept = c.value;
                    c.value =
                        std::clamp(middle * std::pow(width, static_cast<double>(step) / steps - 0.5), c.lower, c.upper);
                    double const now = distance();
                    if (now < best)
                        best = now;
                    else
                        c.value = kept;
                }
            }
        }
    }

  private:
    PointRequest const& base_;
    std::string reference_;
    fs::path file_;
    std::string rows_;
    std::vector<FittedConstant> constants_;
};

void refuse_forbidden(std::vector<KernelRow> const& rows, std::string const& file, std::string_view machine) {
    std::vector<std::int64_t> lines;
    for (auto const& row : rows)
        if (row.forbidden()) lines.push_back(row.line);
    if (!lines.empty())
        throw sim::InputError(fmt::format("{}: faster than the data sheet of {} allows: line {}. Leave {} out?", file,
                                          machine, fmt::join(lines, ", "), lines.size() == 1 ? "it" : "them"));
}

/// The rows that were not fitted, by group and all together.
std::map<std::string, sim::Json> held_out(std::vector<KernelRow> const& rows) {
    std::map<std::string, std::vector<KernelRow const*>> groups;
    for (std::size_t i = 1; i < rows.size(); i += 2) {
        groups["all"].push_back(&rows[i]);
        if (!rows[i].group.empty()) groups[rows[i].group].push_back(&rows[i]);
    }
    std::map<std::string, sim::Json> found;
    for (auto const& [name, of] : groups) found[name] = errors_of(of);
    return found;
}

std::string compared(std::map<std::string, sim::Json> const& before, std::map<std::string, sim::Json> const& after) {
    std::string lines;
    for (auto const& [name, now] : after) {
        auto const& then = before.at(name);
        auto const percent = [](sim::Json const& of, char const* key) { return 100.0 * of[key].get<double>(); };
        lines +=
            fmt::format("{}: {} rows held out, {:.1f} % off before and {:.1f} % after; {:.0f} and {:.0f} % inside\n",
                        name, now["rows"].get<std::size_t>(), percent(then, "median_absolute_error"),
                        percent(now, "median_absolute_error"), percent(then, "inside"), percent(now, "inside"));
    }
    return lines;
}

std::string as_comments(std::string const& lines) {
    std::string all;
    for (auto const& line : sim::words_of(lines, '\n')) all += "# " + line + "\n";
    return all;
}

}  // namespace

int run_calibrate(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_point_flags(flags);
    auto add = flags.add_options();
    add("rows", po::value<std::string>(), "the table of measured operators");
    add("fit", po::value<std::string>()->default_value(std::string(usual_constants)),
        "the constants that are fitted, at most five, separated by commas");
    add("output,o", po::value<std::string>(), "the machine file that is written; its name is that of the machine");
    auto const values = parse(calibrate_manual, flags, arguments);
    if (!values) return complete;
    for (char const* flag : {"from", "set", "assume", "scenario", "constants", "model"})
        if (values->contains(flag))
            throw UsageError(
                fmt::format("--{0} is about points, and a calibration fits a machine. Leave out --{0}?", flag));
    auto const base = point_request(*values, calibrate_manual);
    expect_text_machine(base);
    auto const file = needed(*values, "rows", calibrate_manual);
    fs::path const output = needed(*values, "output", calibrate_manual);
    if (!models::text::is_machine_name(output.stem().string()) || output.extension() != ".toml")
        throw UsageError(fmt::format(
            "-o must be NAME.toml with a letter first, then letters, digits and '_' (got '{}')", output.string()));
    auto const names = sim::words_of((*values)["fit"].as<std::string>(), ',');
    if (names.empty() || names.size() > max_constants)
        throw UsageError(fmt::format("--fit must list 1 to {} constants (got {})", max_constants, names.size()));
    auto const constants = models::constants_of(*base.machine.architecture);
    std::vector<FittedConstant> fitted;
    for (auto const& name : names) fitted.push_back(fitted_constant(constants, name));
    Calibration calibration(base, models::reference_of(*base.machine.architecture), output, file, fitted);
    auto const rows = calibration.rows();
    refuse_forbidden(rows, file, base.machine.name);
    constexpr std::size_t fewest = 4;
    if (rows.size() < fewest)
        throw sim::InputError(
            fmt::format("{}: {} rows (a calibration needs {}: half are held out)", file, rows.size(), fewest));
    auto const before = held_out(rows);
    calibration.fit();
    auto const lines = compared(before, held_out(calibration.rows()));
    write_new(output, calibration.text(as_comments(lines)));
    for (auto const& c : calibration.constants())
        fmt::print("{:<20} {} {} before, {} after, within {} to {}\n", c.name, sim::print_number(c.in_unit(c.before)),
                   c.unit, sim::print_number(c.in_unit(c.value)), sim::print_number(c.in_unit(c.lower)),
                   sim::print_number(c.in_unit(c.upper)));
    fmt::print("{}{} is written\n", lines, output.string());
    return complete;
}

}  // namespace pimdse::dse::cli
