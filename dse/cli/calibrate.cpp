#include "dse/cli/fit.hpp"
#include "dse/cli/kernel_rows.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/question.hpp"
#include "dse/cli/verb.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/service/service.hpp"
#include "models/service/traffic.hpp"
#include "models/text/head.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <tbb/parallel_for_each.h>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>

namespace pimdse::dse::cli {
namespace {

using sim::serving::TokenTimes;

/// Seconds for each token after the first; 0 for a request of one token.
double per_token(TokenTimes const& times, std::int64_t output) {
    return output > 1 ? (times.last - times.first) / sim::as_double(output - 1) : 0.0;
}

/// A recorded run: requests with the times at which somebody measured their tokens, served again by a machine.
class RecordedRun {
  public:
    /// `requested` has one scenario, whose traffic is the trace of the run at its own times. Throws UsageError and
    /// InputError.
    explicit RecordedRun(PointRequest const& requested) : scenario_(requested.machine.scenarios.list().front()) {
        auto const& keys = scenario_.written.keys;
        auto const has = [&](std::string_view key) {
            return std::ranges::any_of(keys, [&](auto const& one) { return one.first == key; });
        };
        if (requested.machine.scenarios.list().size() != 1 || !traffic().trace)
            throw UsageError("a run is one scenario with traffic.trace");
        if (traffic().again || has("traffic.rate"))
            throw UsageError(
                "a run is replayed at its own times, and {} has none or others. Is it a run of requests with their "
                "arrivals, or of a fixed number of users?",
                traffic().files.front().string());
        sim::serving::TraceOptions options;
        options.max_requests = traffic().load.requests.size();
        options.tokens = true;
        measured_ = sim::serving::read_trace(traffic().files.front(), options).tokens;
    }

    [[nodiscard]] std::size_t size() const { return measured_.size(); }
    /// The requests, from 1 on in the order of their arrival, with a token that came sooner than the machine may yield
    /// it alone, by its proved lower bounds.
    [[nodiscard]] std::vector<std::size_t> forbidden(PointRequest const& requested) const {
        auto const& architecture = *requested.machine.architecture;
        auto const& inputs = requested.machine.inputs;
        auto const table = architecture.metrics();
        auto const ttft = static_cast<std::size_t>(models::find_metric(table, "ttft")),
                   itl = static_cast<std::size_t>(models::find_metric(table, "itl"));
        auto const point = scenario_.of(requested.point);
        constexpr double rounding = 1.0 - 1e-6;
        std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, double>> lowest;
        auto const lower_of = [&](sim::serving::ServiceRequest const& request) {
            auto const [known, is_new] = lowest.try_emplace({request.input, request.output});
            if (!is_new) return known->second;
            auto const alone = models::service::point_of_request(architecture, inputs.parameters, point, request.input,
                                                                 request.output);
            auto const outcome = architecture.evaluate(inputs, alone, requested.fidelity);
            if (auto const* metrics = std::get_if<models::Metrics>(&outcome))
                known->second = {(*metrics)[ttft].lower, request.output > 1 ? (*metrics)[itl].lower : 0.0};
            return known->second;
        };
        std::vector<std::size_t> found;
        auto const& requests = traffic().load.requests;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            auto const [first, later] = lower_of(requests[i]);
            bool const reuses = requests[i].path != sim::serving::ServiceRequest::none;
            if ((!reuses && measured_[i].first < first * rounding) ||
                per_token(measured_[i], requests[i].output) < later * rounding)
                found.push_back(i + 1);
        }
        return found;
    }
    /// The times of tokens of all requests. Throws InputError if the machine cannot serve one of them.
    [[nodiscard]] std::vector<sim::serving::TokenTimes> replayed(PointRequest const& requested) const {
        auto const served = models::service::serve(*requested.machine.architecture, requested.machine.inputs,
                                                   scenario_.of(requested.point), requested.fidelity, traffic());
        if (auto const* rule = std::get_if<models::Infeasible>(&served)) throw sim::InputError(rule->reason);
        std::vector<TokenTimes> all;
        for (auto const& times : std::get<models::service::Served>(served).schedule.requests) {
            if (times.rejected)
                throw sim::InputError(
                    "request {} exceeds the cache or the context of {}, and the run served it. Are the "
                    "scheduler and the number of devices those of the run?",
                    all.size() + 1, requested.machine.name);
            all.push_back({times.first_token - times.arrival, times.last_token - times.arrival});
        }
        return all;
    }

    /// Of requests first to last - 1.
    struct Part {
        std::size_t first = 0, last = 0;
    };
    /// Logarithms of replayed over measured times: to the first token, per later token of requests that have one, and
    /// to the last.
    struct Errors {
        std::vector<double> first, later, last;
        [[nodiscard]] std::vector<double> all() const {
            auto together = first;
            together.insert(together.end(), later.begin(), later.end());
            together.insert(together.end(), last.begin(), last.end());
            return together;
        }
    };
    /// `together`: so many requests that arrive one after the other count as one, with the sums of their times. One
    /// request more or less in a step moves single times by a step, but hardly their sum.
    [[nodiscard]] Errors errors(std::span<sim::serving::TokenTimes const> replayed, Part part,
                                std::size_t together = 1) const {
        Errors found;
        auto const add = [](std::vector<double>& to, double is, double was) {
            if (was > 0.0) to.push_back(std::log(is / was));
        };
        struct Sums {
            double first = 0.0, later = 0.0, last = 0.0;
        };
        for (auto begin = part.first; begin < part.last; begin += together) {
            Sums is, was;
            for (auto i = begin; i < std::min(part.last, begin + together); ++i) {
                auto const output = traffic().load.requests[i].output;
                for (auto const& [sums, times] : {std::pair(&is, &replayed[i]), std::pair(&was, &measured_[i])}) {
                    sums->first += times->first;
                    sums->later += per_token(*times, output);
                    sums->last += times->last;
                }
            }
            add(found.first, is.first, was.first);
            add(found.later, is.later, was.later);
            add(found.last, is.last, was.last);
        }
        return found;
    }
    struct Figure {
        std::string name;
        double value = 0.0;  ///< s
    };
    /// Their makespan, mean time to the first token and mean time per later token; of `times`, or the measured ones.
    [[nodiscard]] std::vector<Figure> figures(std::span<sim::serving::TokenTimes const> times, Part part) const {
        auto const& requests = traffic().load.requests;
        double end = 0.0, first = 0.0, later = 0.0, count = 0.0;
        for (auto i = part.first; i < part.last; ++i) {
            end = std::max(end, requests[i].arrival + times[i].last);
            first += times[i].first;
            if (requests[i].output == 1) continue;
            later += per_token(times[i], requests[i].output);
            ++count;
        }
        return {{"makespan", end - requests[part.first].arrival},
                {"ttft_mean", first / static_cast<double>(part.last - part.first)},
                {"tpot_mean", count > 0.0 ? later / count : 0.0}};
    }
    [[nodiscard]] std::vector<sim::serving::TokenTimes> const& measured() const { return measured_; }

  private:
    [[nodiscard]] models::service::Traffic const& traffic() const { return *scenario_.traffic; }

    space::Scenario scenario_;
    std::vector<sim::serving::TokenTimes> measured_;
};

namespace fs = std::filesystem;

constexpr std::size_t max_constants = 5;
constexpr std::string_view constants_of_kernels =
    "product_kernel,attention_kernel,attention_task,bandwidth_share,fp16_share";
constexpr std::string_view constants_of_runs = "host_step,host_sequence,bandwidth_share,fp16_share";

std::string print_in_unit(FittedConstant const& c, double si) {
    return sim::print_number(si / sim::parse_unit(c.unit).in_si);
}

/// "2.5 us"; a number without a unit alone.
std::string print_with_unit(FittedConstant const& c, double si) {
    return print_in_unit(c, si) + (c.unit == "1" ? "" : " " + c.unit);
}

/// The range that its file states, or half to twice its value; a share is at most 1.
FittedConstant fitted_constant(models::Constants const& constants, std::string const& name) {
    auto const& all = constants.all();
    auto const found = all.find(name);
    if (found == all.end()) {
        std::vector<std::string> names;
        for (auto const& [known, _] : all) names.push_back(known);
        throw UsageError("--fit: unknown constant '{}'.{}", name, sim::suggestion(name, names));
    }
    auto const& c = found->second;
    if (!(c.si > 0.0)) throw UsageError("--fit: {} is {} (only constants above 0 are fitted)", name, c.si);
    bool const stated = c.range_upper > 0.0;
    double upper = stated ? c.range_upper : 2.0 * c.si;
    if (name.ends_with("_share")) upper = std::min(1.0, upper);
    FittedConstant fitted{.name = name, .unit = c.unit, .before = c.si, .value = c.si, .upper = upper};
    fitted.lower = stated ? c.range_lower : 0.5 * c.si;
    if (c.si < fitted.lower || c.si > upper || fitted.lower <= 0.0 || fitted.lower >= upper)
        throw UsageError("--fit: {} has no room in its range, {} to {}", name, print_in_unit(fitted, fitted.lower),
                         print_with_unit(fitted, upper));
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

/// The text of a machine with the fitted constants over those of another one.
std::string machine_text(PointRequest const& base, fs::path const& file, Evidence const& evidence,
                         std::vector<FittedConstant> const& constants, double spread, std::string const& remarks) {
    auto text = fmt::format("{}schema = 1\nbase = {}\nname = {}\nsummary = {}\n", remarks,
                            in_toml(models::reference_of(*base.machine.architecture)), in_toml(file.stem().string()),
                            in_toml(fmt::format("{}, calibrated on {}", base.machine.name, evidence.about)));
    std::chrono::year_month_day const date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    for (auto const& c : constants) {
        if (c.flat) continue;
        auto const source = fmt::format("calibrated on {} on {}-{:02}-{:02}; {} before", evidence.about,
                                        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                        static_cast<unsigned>(date.day()), print_in_unit(c, c.before));
        text += fmt::format("\n[constant.{}]\nvalue = {}\nunit = \"{}\"\nsource = {}\n", c.name,
                            print_in_unit(c, c.value), c.unit, in_toml(source));
    }
    return text + fmt::format("\n# nine tenths of what was held out lie within this factor\n[bounds]\nspread = {}\n",
                              sim::print_number(std::max(1.0, spread), 3));
}

/// Refuses fewer than so many of `all` lines or requests (`what`), and those that physics forbids, by their numbers.
template <class Number>
void expect_usable(std::vector<Number> const& forbidden, std::size_t all, std::string_view what,
                   std::string const& file, std::string_view machine) {
    constexpr std::size_t fewest = 4;
    if (all < fewest)
        throw sim::InputError("{}: {} {}s (a calibration needs {}: half are held out)", file, all, what, fewest);
    if (forbidden.size() == all)
        throw sim::InputError(
            "{}: faster than the data sheet of {} allows: every {}. Are its times and "
            "tokens in the right columns and units?",
            file, machine, what);
    if (!forbidden.empty())
        throw sim::InputError("{}: faster than the data sheet of {} allows: {} {}. Leave {} out?", file, machine, what,
                              fmt::join(forbidden, ", "), forbidden.size() == 1 ? "it" : "them");
}

/// Refuses times that no constant explains: of every kind, half are more than a hundred times what the machine takes.
/// A queue lengthens times without end, but not those per later token. `kinds`: logarithms of predicted over measured.
void expect_unit(std::vector<std::vector<double>> kinds, std::string_view what, std::string const& file,
                 std::string_view machine) {
    constexpr double most = 100;
    double nearest = std::numeric_limits<double>::infinity();
    for (auto& logarithms : kinds) {
        if (logarithms.empty()) return;
        auto const middle = logarithms.begin() + static_cast<std::ptrdiff_t>(logarithms.size() / 2);
        std::ranges::nth_element(logarithms, middle);
        nearest = std::min(nearest, std::exp(-*middle));
    }
    if (nearest > most)
        throw sim::InputError(
            "{}: half of its {}s take {:.4g} times as long as on {}, or longer, and no constant explains that. Is the "
            "unit of their times right?",
            file, what, nearest, machine);
}

/// What is off by a share before and after.
struct FittedError {
    std::string name;
    double before = 0.0, after = 0.0;
};

/// A line about each that became worse, by two points and a tenth of itself, which docs/make_accuracy.py allows, too.
std::string warnings_of(std::vector<FittedError> const& changes) {
    constexpr double points = 2, percent = 100;
    std::string lines;
    for (auto const& [name, before, after] : changes) {
        if (percent * (after - before) <= std::max(points, percent * before / 10)) continue;
        lines += fmt::format(
            "warning: {} became worse, {:.1f} % off before and {:.1f} % after. Is it of another program or board, to "
            "be "
            "calibrated alone?\n",
            name, percent * before, percent * after);
    }
    return lines;
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

std::vector<KernelRow> rows_on(PointRequest const& machine, std::vector<KernelRow> rows) {
    tbb::parallel_for_each(rows, [&](KernelRow& row) { row = row_on(machine, std::move(row)); });
    return rows;
}

std::vector<KernelRow const*> rows_in_group(std::vector<KernelRow> const& rows, std::string const& group) {
    std::vector<KernelRow const*> found;
    for (auto const& row : rows)
        if (group == "all" || row.group == group) found.push_back(&row);
    return found;
}

std::string compared(std::vector<KernelRow> const& before, std::vector<KernelRow> const& after) {
    std::set<std::string> groups{"all"};
    for (auto const& row : after)
        if (!row.group.empty()) groups.insert(row.group);
    std::string lines;
    std::vector<FittedError> changes;
    for (auto const& group : groups) {
        auto const then = errors_of(rows_in_group(before, group)), now = errors_of(rows_in_group(after, group));
        auto const percent = [](sim::Json const& of, char const* key) { return 100.0 * of[key].get<double>(); };
        lines += fmt::format(
            "{}: {} rows held out, {:.1f} % off before and {:.1f} % after; {:.0f} and {:.0f} % inside; nine tenths "
            "within a factor of {:.2f} and {:.2f}\n",
            group, now["rows"].get<std::size_t>(), percent(then, "median_absolute_error"),
            percent(now, "median_absolute_error"), percent(then, "inside"), percent(now, "inside"),
            factor_of_nine_tenths(errors_of_times(rows_in_group(before, group))),
            factor_of_nine_tenths(errors_of_times(rows_in_group(after, group))));
        constexpr char const* off = "median_absolute_error";
        changes.push_back({group, then[off].get<double>(), now[off].get<double>()});
    }
    return lines + warnings_of(changes);
}

Evidence of_kernels(PointRequest const& base, std::string const& file) {
    auto const rows = read_kernel_rows(base, file);
    std::vector<std::int64_t> lines;
    for (auto const& row : rows)
        if (row.forbidden()) lines.push_back(row.line);
    expect_usable(lines, rows.size(), "line", file, base.machine.name);
    expect_unit({errors_of_times(rows_in_group(rows, "all"))}, "row", file, base.machine.name);
    auto const fitted = std::make_shared<std::vector<KernelRow>>(), judges = std::make_shared<std::vector<KernelRow>>();
    for (std::size_t i = 0; i < rows.size(); ++i) (i % 2 == 0 ? fitted : judges)->push_back(rows[i]);
    auto const errors = [](PointRequest const& machine, std::vector<KernelRow> const& of) {
        auto const asked = rows_on(machine, of);
        return errors_of_times(rows_in_group(asked, "all"));
    };
    return {fmt::format("every second row of {}", file),
            [=](PointRequest const& machine) { return errors(machine, *fitted); },
            [judges](PointRequest const& before, PointRequest const& after) {
                return compared(rows_on(before, *judges), rows_on(after, *judges));
            },
            [=](PointRequest const& machine) { return factor_of_nine_tenths(errors(machine, *judges)); }};
}

std::string compared(RecordedRun const& run, RecordedRun::Part part,
                     std::vector<sim::serving::TokenTimes> const& before,
                     std::vector<sim::serving::TokenTimes> const& after) {
    auto const was = run.figures(run.measured(), part), then = run.figures(before, part),
               now = run.figures(after, part);
    auto lines = fmt::format("requests {} to {} held out\n", part.first + 1, part.last);
    std::vector<FittedError> changes;
    for (std::size_t i = 0; i < was.size(); ++i) {
        auto const error = [&](RecordedRun::Figure const& figure) { return figure.value / was[i].value - 1.0; };
        auto const told = [&](RecordedRun::Figure const& figure) {
            return fmt::format("{} ({:+.1f} %)", sim::print_quantity(figure.value, "s"), 100.0 * error(figure));
        };
        if (was[i].value > 0.0) changes.push_back({was[i].name, std::abs(error(then[i])), std::abs(error(now[i]))});
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
    return lines + warnings_of(changes);
}

Evidence of_run(PointRequest const& base, std::string const& file, std::string const& engine) {
    auto const run = std::make_shared<RecordedRun const>(base);
    expect_usable(run->forbidden(base), run->size(), "request", file, base.machine.name);
    auto const start = run->errors(run->replayed(base), {0, run->size()});
    expect_unit({start.later, start.last}, "request", file, base.machine.name);
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
            lines += fmt::format("{}: {} stays (these rows do not tell it{})\n", c.name, print_with_unit(c, c.before),
                                 alike);
            continue;
        }
        constexpr double near_end = 1.001;
        bool const at_end = c.value < near_end * c.lower || c.value * near_end > c.upper;
        lines += fmt::format("{}: {} before, {} after; {} to {} fit nearly as well{}, of {} to {}{}\n", c.name,
                             print_with_unit(c, c.before), print_in_unit(c, c.value), print_in_unit(c, c.nearly_from),
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
CommandLine serving_run(CommandLine values, std::string const& file) {
    auto scenario = fmt::format("run=llm={},traffic.trace=\"{}\"", values.needed("model"),
                                models::service::traffic_file(file).string());
    std::vector<std::string> settings;
    for (auto const& setting : values.texts("set")) {
        if (setting.starts_with("scheduler.") || setting.starts_with("traffic."))
            scenario += "," + setting;
        else
            settings.push_back(setting);
    }
    values.erase("model");
    values.set("set", settings);
    values.set("scenario", std::vector{scenario});
    return values;
}

}  // namespace

int run_calibrate(CommandLine const& values) {
    bool const replays = values.contains("measured");
    if (replays && values.contains("rows"))
        throw UsageError("--rows and --measured are both given. Which of the two is it fitted to?");
    for (char const* flag : {"from", "set", "assume", "scenario", "constants", "model"})
        if (values.contains(flag) &&
            !(replays && (std::string_view(flag) == "set" || std::string_view(flag) == "model")))
            throw UsageError("--{0} is about points, and a calibration fits a machine. Leave out --{0}?", flag);
    auto const file = values.needed(replays ? "measured" : "rows");
    auto const base = point_request(replays ? serving_run(values, file) : values);
    expect_text_machine(base);
    fs::path const output = values.needed("output");
    if (!models::text::is_machine_name(output.stem().string()) || output.extension() != ".toml")
        throw UsageError("-o must be NAME.toml with a letter first, then letters, digits and '_' (got '{}')",
                         output.string());
    auto const names = words_in(
        "--fit", values.given("fit").value_or(std::string(replays ? constants_of_runs : constants_of_kernels)));
    if (names.size() > max_constants)
        throw UsageError("--fit must list 1 to {} constants (got {})", max_constants, names.size());
    for (auto name = names.begin(); name != names.end(); ++name)
        if (std::find(names.begin(), name, *name) != name)
            throw UsageError("--fit lists {} twice. Leave one of them out?", *name);
    auto const known = models::constants_of(*base.machine.architecture);
    std::vector<FittedConstant> constants;
    for (auto const& name : names) constants.push_back(fitted_constant(known, name));
    auto const evidence = replays ? of_run(base, file, values.text("engine")) : of_kernels(base, file);
    fit(constants, [&](auto const& candidate) { return evidence.errors(with_constants(base, candidate)); });
    auto const found = told_of(constants);
    if (std::ranges::all_of(constants, &FittedConstant::flat))
        throw sim::InputError(
            "{}: its rows tell none of the constants. Nine tenths are within a factor of "
            "{:.4g} of what {} takes: is the unit of their times right?\n{}",
            file, evidence.spread(base), base.machine.name, found);
    auto const after = with_constants(base, constants);
    auto const lines = found + evidence.compared(base, after);
    write_new(output, machine_text(base, output, evidence, constants, evidence.spread(after), as_comments(lines)));
    fmt::print("{}{} is written\n", lines, output.string());
    return complete;
}

}  // namespace pimdse::dse::cli
