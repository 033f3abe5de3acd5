#include "dse/cli/run/run_summary.hpp"

#include "dse/cli/counted.hpp"
#include "dse/cli/exit_code.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/cli/run/left_out_machines.hpp"
#include "dse/cli/run/progress.hpp"
#include "dse/cli/run/remedies.hpp"
#include "dse/cli/screen.hpp"
#include "dse/task/machine_name.hpp"
#include "dse/task/replay.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace pimdse::dse::cli::run {
namespace {

/// Rows that are our fault, not the design's.
std::vector<answers::ResultStore::Row> failed_rows(answers::ResultStore const& store) {
    std::vector<answers::ResultStore::Row> rows;
    if (store.count(answers::Status::ok) + store.count(answers::Status::infeasible) == store.evaluated()) return rows;
    for (auto const row : store.sorted()) {
        if (store.status(row) != answers::Status::ok && store.status(row) != answers::Status::infeasible)
            rows.push_back(row);
    }
    return rows;
}

nlohmann::ordered_json failures_json(task::Columns const& columns, answers::ResultStore const& store) {
    auto list = nlohmann::ordered_json::array();
    for (auto const row : failed_rows(store)) {
        task::Task const task = store.task(row);
        list.push_back({{"point", index_of(task.point)},
                        {"fidelity", models::name_of(task.fidelity)},
                        {"class", name_of(store.status(row))},
                        {"reason", store.reason(row)},
                        {"replay", replay_command(columns, task)}});
    }
    return list;
}

void print_failures(task::Columns const& columns, answers::ResultStore const& store) {
    constexpr std::size_t most = 10;
    auto const rows = failed_rows(store);
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        task::Task const task = store.task(rows[i]);
        std::cout << fmt::format("failed: point {}: {}: {}\n  {}\n", index_of(task.point),
                                 name_of(store.status(rows[i])), store.reason(rows[i]), replay_command(columns, task));
    }
    if (rows.size() > most) std::cout << fmt::format("... and {} more (/failures in the file)\n", rows.size() - most);
}

nlohmann::ordered_json certificate_json(task::Certificate const& certificate, task::Columns const& columns) {
    auto const counts = task::points_in(certificate);
    return {{"statement", task::statement_of(certificate, task::objective_names(columns))},
            {"points", certificate.points},
            {"cycle_level", certificate.runs},
            {"closed", counts.closed},
            {"twins", certificate.twins.size()},
            {"infeasible", counts.infeasible},
            {"open", counts.open},
            {"epsilon", certificate.epsilon},
            {"audited", certificate.audited},
            {"audited_wrong", certificate.audited_wrong},
            {"audited_twins", certificate.audited_twins},
            {"below_calibrated", certificate.below}};
}

void print_certificate(task::Certificate const& certificate, task::Columns const& columns) {
    auto const counts = task::points_in(certificate);
    std::string const boxes = certificate.grids.empty() ? "" : fmt::format(" in {} boxes", certificate.closed.size());
    std::cout << fmt::format(
        "{}: {} of {} at cycle level, {} closed by bounds{}, {} by equal keys, {} infeasible, {} open\n",
        task::statement_of(certificate, task::objective_names(columns)), certificate.runs,
        counted(certificate.points, "point"), counts.closed, boxes, certificate.twins.size(), counts.infeasible,
        counts.open);
    for (auto const& text : {task::audit_text(certificate), task::price_text(certificate)})
        if (!text.empty()) std::cout << text << "\n";
    for (std::size_t i = 0; i < certificate.grounds.size(); ++i) {
        if (certificate.grounds[i].slack > 0.0)
            std::cout << fmt::format("answers were below calibrated lows of {}, which were widened by {:.3g} %\n",
                                     task::objective_names(columns)[i], 100.0 * certificate.grounds[i].slack);
    }
}

void print_json(RunSummary const& s, task::Columns const& columns) {
    nlohmann::ordered_json text{{"file", s.output.string()},  {"complete", s.complete},     {"points", s.points},
                                {"evaluated", s.evaluated},   {"remembered", s.remembered}, {"feasible", s.feasible},
                                {"infeasible", s.infeasible}, {"failed", s.failed},         {"front", s.front},
                                {"digest", s.digest},         {"seconds", s.seconds},       {"ranks", s.ranks},
                                {"threads", s.threads}};
    if (!s.ending.empty()) text["ending"] = s.ending;
    if (s.certificate) text["certificate"] = certificate_json(*s.certificate, columns);
    if (s.failed > 0) text["failures"] = failures_json(columns, *s.store);
    std::cout << json_text(text) << "\n";
}

/// "168 evaluated"; of a search that asks some points at two fidelities, "30 evaluations".
std::string evaluations_text(RunSummary const& s) {
    if (s.evaluated + s.remembered <= s.points) return fmt::format("{} evaluated", s.evaluated);
    return counted(s.evaluated, "evaluation");
}

void print_text(RunSummary const& s) {
    std::cout << fmt::format("{} in {} ({}", counted(s.points, "point"), print_duration(s.seconds),
                             evaluations_text(s));
    if (s.remembered > 0) std::cout << fmt::format(", {} remembered", s.remembered);
    std::cout << fmt::format("), {} feasible, {} infeasible, {} failed; {} on the front\n", s.feasible, s.infeasible,
                             s.failed, s.front);
    std::cout << fmt::format("result file: {}  (digest {})\n", s.output.string(), s.digest.substr(0, 12));
    if (!s.ending.empty()) std::cout << s.ending << "\n";
    if (!s.complete) std::cout << "stopped before the end: the same command with --resume goes on\n";
}

/// Where few designs are best, how they do in each of the scenarios.
void print_scenarios(FrontTable const& front, task::Columns const& columns) {
    constexpr std::size_t most_designs = 3, most_scenarios = 64;
    auto const scenarios = scenarios_of(columns);
    if (scenarios.size() < 2 || scenarios.size() > most_scenarios || front.size() == 0 || front.size() > most_designs)
        return;
    std::vector<std::string> names;
    for (auto const& objective : columns.objectives) {
        auto const& name = columns.metrics[objective.metric].name;
        if (!task::is_formula(name)) names.push_back(name);
    }
    if (names.empty()) return;
    std::cout << scenario_table(columns, front.designs(), scenario_metrics(columns, names), true).text(screen_width());
}

/// Nothing is repeated that was just done: the front is on the screen.
void print_next(RunSummary const& summary, FrontTable const& front, std::string const& first) {
    std::vector<std::string> commands;
    if (!first.empty()) commands.push_back(first);
    auto const file = task::shell_word(summary.output.string());
    if (front.size() == 0) {
        commands.push_back("pimdse failures " + file);
    } else {
        auto page = summary.output;
        page.replace_extension(".html");
        commands.push_back(fmt::format("pimdse explain {} {}", file, index_of(front.tasks().front().point)));
        commands.push_back(fmt::format("pimdse report {} -o {}", file, task::shell_word(page.string())));
    }
    std::cout << fmt::format("next: {}\n", fmt::join(commands, " ; "));
}

}  // namespace

int RunSummary::exit_code() const {
    if (!complete) return resumable;
    if (failed > 0) return some_points_failed;
    return front == 0 ? no_feasible_point : ExitCode::complete;  // feasible is what coarse answers call so, too
}

void print_summary(RunSummary const& summary, Format format, std::string const& first) {
    constexpr std::size_t rows_on_a_screen = 20;
    auto const columns = summary.space->columns();
    auto const& store = *summary.store;
    if (format == Format::json) return print_json(summary, columns);
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
        std::cout << commonest_rules(*summary.space, store);
    else
        std::cout << front.text(rows_on_a_screen);
    print_scenarios(front, columns);
    print_next(summary, front, first);
}

}  // namespace pimdse::dse::cli::run
