#include "dse/cli/run_summary.hpp"

#include "dse/cli/front_table.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/robust.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/point_json.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/evaluation.hpp"
#include "sim/base/json.hpp"

#include <bit>
#include <initializer_list>
#include <map>
#include <ranges>

namespace pimdse::dse::cli {
namespace {

/// The rows with failures of the program; infeasible designs are not failures.
std::vector<search::Row> failed_rows(search::ResultStore const& store) {
    std::vector<search::Row> rows;
    if (store.count(search::Status::ok) + store.count(search::Status::infeasible) == store.evaluated()) return rows;
    for (auto const row : store.sorted()) {
        if (store.status(row) != search::Status::ok && store.status(row) != search::Status::infeasible)
            rows.push_back(row);
    }
    return rows;
}

sim::Json failures_json(space::Columns const& columns, search::ResultStore const& store) {
    return failed_rows(store) | std::views::transform([&](search::Row row) -> sim::Json {
               space::Task const task = store.task(row);
               return {{"point", index_of(task.point)},
                       {"fidelity", models::name_of(task.fidelity)},
                       {"class", name_of(store.status(row))},
                       {"reason", store.reason(row)},
                       {"replay", replay_command(columns, task)}};
           });
}

void print_failures(space::Columns const& columns, search::ResultStore const& store) {
    constexpr std::size_t max = 10;
    auto const rows = failed_rows(store);
    for (std::size_t i = 0; i < std::min(max, rows.size()); ++i) {
        space::Task const task = store.task(rows[i]);
        std::cout << fmt::format("failed: point {}: {}: {}\n  {}\n", index_of(task.point),
                                 name_of(store.status(rows[i])), store.reason(rows[i]), replay_command(columns, task));
    }
    if (rows.size() > max) std::cout << fmt::format("... and {} more (/failures in the file)\n", rows.size() - max);
}

sim::Json certificate_json(search::Certificate const& certificate, space::Columns const& columns) {
    auto const counts = search::points_in(certificate);
    return {{"statement", search::statement_of(certificate, search::objective_names(columns))},
            {"points", certificate.points},
            {"cycle_level", certificate.runs},
            {"closed", counts.pruned},
            {"twins", certificate.equal_keys.size()},
            {"infeasible", counts.infeasible},
            {"open", counts.open},
            {"epsilon", certificate.epsilon},
            {"audited", certificate.audited},
            {"audited_wrong", certificate.audited_wrong},
            {"audited_twins", certificate.audited_equal_keys},
            {"below_calibrated", certificate.below}};
}

void print_certificate(search::Certificate const& certificate, space::Columns const& columns) {
    auto const counts = search::points_in(certificate);
    std::string const boxes = certificate.grids.empty() ? "" : fmt::format(" in {} boxes", certificate.pruned.size());
    std::cout << fmt::format(
        "{}: {} of {} at cycle level, {} pruned by bounds{}, {} by equal keys, {} infeasible, {} open\n",
        search::statement_of(certificate, search::objective_names(columns)), certificate.runs,
        counted(certificate.points, "point"), counts.pruned, boxes, certificate.equal_keys.size(), counts.infeasible,
        counts.open);
    for (auto const& text : {search::audit_text(certificate), search::sensitivity_text(certificate)})
        if (!text.empty()) std::cout << text << "\n";
    for (std::size_t i = 0; i < certificate.grounds.size(); ++i) {
        if (certificate.grounds[i].slack > 0.0)
            std::cout << fmt::format(
                "results were below calibrated lower bounds of {}, which were widened by {:.3g} %\n",
                search::objective_names(columns)[i], 100.0 * certificate.grounds[i].slack);
    }
}

sim::Json summary_json(RunSummary const& s, space::Columns const& columns) {
    sim::Json text{{"file", s.output.string()},  {"complete", s.complete},   {"points", s.points},
                   {"evaluated", s.evaluated},   {"remembered", s.restored}, {"feasible", s.feasible},
                   {"infeasible", s.infeasible}, {"failed", s.failed},       {"front", s.front},
                   {"digest", s.digest},         {"seconds", s.seconds},     {"ranks", s.ranks},
                   {"threads", s.threads}};
    if (!s.ending.empty()) text["ending"] = s.ending;
    if (s.certificate) text["certificate"] = certificate_json(*s.certificate, columns);
    if (s.robust) text["uncertain"] = report::robust_json(*s.robust);
    if (s.failed > 0) text["failures"] = failures_json(columns, *s.store);
    return text;
}

/// "168 evaluated"; for a search that evaluates some points at two fidelities, "30 evaluations".
std::string evaluations_text(RunSummary const& s) {
    if (s.evaluated + s.restored <= s.points) return fmt::format("{} evaluated", s.evaluated);
    return counted(s.evaluated, "evaluation");
}

void print_text(RunSummary const& s) {
    std::cout << fmt::format("{} in {} ({}", counted(s.points, "point"), print_duration(s.seconds),
                             evaluations_text(s));
    if (s.restored > 0) std::cout << fmt::format(", {} restored", s.restored);
    std::cout << fmt::format("), {} feasible, {} infeasible, {} failed; {} on the front\n", s.feasible, s.infeasible,
                             s.failed, s.front);
    std::cout << fmt::format("result file: {}  (digest {})\n", s.output.string(), s.digest.substr(0, 12));
    if (!s.ending.empty()) std::cout << s.ending << "\n";
    if (!s.complete) std::cout << "stopped before the end: repeat the command with --resume to continue\n";
}

/// If the front has few designs, prints their objectives in each scenario.
void print_scenarios(FrontTable const& front, space::Columns const& columns) {
    constexpr std::size_t max_designs = 3, max_scenarios = 64;
    auto const scenarios = scenarios_of(columns);
    if (scenarios.size() < 2 || scenarios.size() > max_scenarios || front.size() == 0 || front.size() > max_designs)
        return;
    std::vector<std::string> names;
    for (auto const& objective : columns.objectives) {
        auto const& name = columns.metrics[objective.metric].name;
        if (!space::is_formula(name)) names.push_back(name);
    }
    if (names.empty()) return;
    std::cout << scenario_table(columns, front.designs(), scenario_metrics(columns, names), true).text(screen_width());
}

/// Prints the commands to try next; `front` is not among them, because the front has just been printed.
void print_next(RunSummary const& summary, FrontTable const& front, std::string const& first) {
    std::vector<std::string> commands;
    if (!first.empty()) commands.push_back(first);
    auto const file = space::shell_word(summary.output.string());
    if (front.size() == 0) {
        commands.push_back("pimdse failures " + file);
    } else {
        auto page = summary.output;
        page.replace_extension(".html");
        commands.push_back(fmt::format("pimdse explain {} {}", file, index_of(front.tasks().front().point)));
        commands.push_back(fmt::format("pimdse report {} -o {}", file, space::shell_word(page.string())));
    }
    std::cout << fmt::format("next: {}\n", fmt::join(commands, " ; "));
}

using models::Value;

/// Alternative values of a parameter: for an integer the nearest powers of two, half and twice the value; the default.
std::vector<Value> other_values(models::Parameter const& parameter, Value const& value) {
    std::vector<Value> others;
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    auto const add = [&](std::uint64_t count) {
        auto const real = static_cast<double>(count);
        auto const other = Value::integer(static_cast<std::int64_t>(count));
        if ((!limited || (real >= parameter.lower && real <= parameter.upper)) && other != value)
            others.push_back(other);
    };
    constexpr std::int64_t max = std::int64_t{1} << 60;
    if (value.kind() == models::Kind::integer && value.as_integer() > 1 && value.as_integer() < max) {
        auto const count = static_cast<std::uint64_t>(value.as_integer());
        for (auto const near : {std::bit_floor(count), std::bit_ceil(count), count / 2, count * 2}) add(near);
    }
    if (parameter.default_value != value) others.push_back(parameter.default_value);
    return others;
}

struct ValueChange {
    std::size_t parameter = 0;
    Value value;
};

/// The first change of one parameter that makes a design feasible, else the first change of two parameters.
class Remedy {
  public:
    /// `fidelity`: the one at which the design is infeasible and must become feasible.
    Remedy(space::Space const& space, std::size_t machine, std::vector<Value> point, models::Fidelity fidelity)
        : space_(space), machine_(machine), point_(std::move(point)), fidelity_(fidelity) {
        for (auto const p : space.machines()[machine].designed()) {
            for (auto const& other : other_values(parameters()[p], point_[p])) changes_.push_back({p, other});
        }
    }

    [[nodiscard]] std::string text() {
        for (auto const& change : changes_) {
            if (helps({&change})) return text_of(change) + " would make it feasible";
        }
        for (auto const& one : changes_) {
            for (auto const& other : changes_) {
                if (tried_ >= max_tried) return "no change of one parameter makes it feasible";
                if (one.parameter < other.parameter && helps({&one, &other}))
                    return fmt::format("{} and {} would make it feasible", text_of(one), text_of(other));
            }
        }
        return "no tried change of one or two parameters makes it feasible";
    }

  private:
    // 3000 evaluations at the first fidelity take about a second; at cycle level each of the 8 runs may take that.
    static constexpr int max_tried = 3000, max_run = 8;

    [[nodiscard]] models::Parameters const& parameters() const { return space_.machines()[machine_].parameters(); }
    [[nodiscard]] std::string text_of(ValueChange const& change) const {
        auto const& parameter = parameters()[change.parameter];
        return fmt::format("{} = {}", parameter.name, space::shown_value(parameter, change.value));
    }
    [[nodiscard]] bool helps(std::initializer_list<ValueChange const*> changes) {
        auto const fidelity = space_.machines()[machine_].architecture->fidelities.front();
        auto point = point_;
        for (auto const* change : changes) point[change->parameter] = change->value;
        ++tried_;
        if (!is_feasible(point, fidelity)) return false;
        return fidelity == fidelity_ || (run_++ < max_run && is_feasible(point, fidelity_));
    }
    [[nodiscard]] bool is_feasible(std::vector<Value> const& point, models::Fidelity fidelity) const {
        return std::holds_alternative<models::Metrics>(space::outcome_of(space_, machine_, point, fidelity));
    }

    space::Space const& space_;
    std::size_t machine_;
    std::vector<Value> point_;
    std::vector<ValueChange> changes_;
    models::Fidelity fidelity_;
    int tried_ = 0, run_ = 0;
};

struct MachineCounts {
    std::uint64_t evaluated = 0, feasible = 0;
    std::map<std::string, std::uint64_t, std::less<>> rules;
};

}  // namespace

int RunSummary::exit_code() const {
    if (!complete) return resumable;
    if (failed > 0) return some_points_failed;
    return front == 0 ? no_feasible_point : ExitCode::complete;  // not `feasible`, which also counts coarser fidelities
}

void print_summary(RunSummary const& summary, Format format, std::string const& first) {
    constexpr std::size_t rows_on_a_screen = 20;
    auto const columns = summary.space->columns();
    auto const& store = *summary.store;
    if (format == Format::json) return print_json(summary_json(summary, columns));
    auto const front = make_front(columns, store, {columns.objectives});
    if (format == Format::csv) {
        std::cout << front.csv();
        return;
    }
    print_text(summary);
    if (summary.certificate) print_certificate(*summary.certificate, columns);
    print_failures(columns, store);
    std::cout << machines_left_out(columns, store);
    if (summary.complete && summary.front == 0 && summary.infeasible > 0)
        std::cout << commonest_violated_rules(*summary.space, store);
    else
        std::cout << front.text(rows_on_a_screen);
    print_scenarios(front, columns);
    if (summary.robust) std::cout << robust_text(*summary.robust, columns);
    print_next(summary, front, first);
}

std::string commonest_violated_rules(space::Space const& space, search::ResultStore const& store) {
    constexpr std::size_t max = 3;
    auto const kinds = search::failure_kinds(store);
    std::string text = "no design is feasible. The rules that most of them break:\n";
    for (std::size_t i = 0; i < std::min(max, kinds.size()); ++i) {
        text += fmt::format("  {}: {} of {}\n", kinds[i].rule, kinds[i].points,
                            counted(search::count_points(store).points, "point"));
        if (!kinds[i].example || store.status(*kinds[i].example) != search::Status::infeasible) continue;
        auto const [id, fidelity] = store.task(*kinds[i].example);
        auto const point = space.point(id);
        text += fmt::format("    point {}: {}. {}\n", index_of(id), store.reason(*kinds[i].example),
                            Remedy(space, space.machine_of(id), point, fidelity).text());
    }
    if (kinds.size() > max) text += fmt::format("  and {} more rules\n", kinds.size() - max);
    return text;
}

std::string machines_left_out(space::Columns const& columns, search::ResultStore const& store) {
    if (columns.machines.size() < 2 || !store.blocks().empty()) return "";
    std::map<std::string_view, MachineCounts> found;
    for (search::Row row = 0; row < store.size(); ++row) {
        auto const* machine = space::machine_of(columns, store.task(row).point);
        if (machine == nullptr) continue;
        auto& counts = found[machine->name];
        ++counts.evaluated;
        counts.feasible += store.status(row) == search::Status::ok ? 1 : 0;
        if (store.status(row) == search::Status::infeasible) ++counts.rules[std::string(store.rule(row))];
    }
    std::vector<std::string_view> not_evaluated;  // in the order of the space
    std::string text;
    for (auto const& machine : columns.machines) {
        auto const& counts = found[machine.name];
        if (counts.evaluated == 0) not_evaluated.emplace_back(machine.name);
        if (counts.feasible > 0 || counts.rules.empty()) continue;
        auto const& [rule, points] =
            *std::ranges::max_element(counts.rules, {}, [](auto const& broken) { return broken.second; });
        text += fmt::format("no design of {} is feasible ({}: {} of {} points)\n", machine.name, rule, points,
                            counts.evaluated);
    }
    return not_evaluated.empty() ? text
                                 : fmt::format("no point of {} was evaluated\n", fmt::join(not_evaluated, ", ")) + text;
}

}  // namespace pimdse::dse::cli
