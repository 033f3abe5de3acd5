#include "dse/uncertain/flips.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/columns.hpp"
#include "dse/uncertain/flips_json.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "models/contract/assumptions.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace pimdse::dse::cli {

namespace {

using uncertain::Flip;
using uncertain::Question;

/// A power or an area [SI] as text; "-" if the machine has no such metric.
std::string need_text(double value, std::string const& unit) {
    return std::isfinite(value) ? sim::print_quantity(value, unit) : "-";
}

std::string times(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f} x", ratio) : "-"; }

/// Questions of one scenario and metric with the same result.
struct SameResult {
    std::size_t first = 0;
    std::vector<std::string> conditions;
};

/// The length of the common start of two conditions, up to the first comparison; 0 if they differ before it.
std::size_t common_start(std::string const& a, std::string const& b) {
    auto const differs = std::ranges::mismatch(a, b).in1;
    auto const same = static_cast<std::size_t>(differs - a.begin());
    auto const comparison = a.find("= ");
    return comparison != std::string::npos && comparison + 2 <= same ? comparison + 2 : 0;
}

/// Conditions as one text, "no limit; peak_power <= 5 W, 15 W": a start shared with the previous condition is omitted.
std::string conditions_text(std::vector<std::string> const& conditions) {
    if (conditions.size() == 1 && conditions.front().empty()) return "";
    std::string text, before;
    for (auto const& condition : conditions) {
        auto const same = text.empty() || before.empty() ? 0 : common_start(before, condition);
        if (!text.empty()) text += same > 0 ? ", " : "; ";
        text += condition.empty() ? "no limit" : condition.substr(same);
        before = condition;
    }
    return text;
}

using Flips = std::vector<Flip const*>;

/// "1.04 x .. 2.00 x", or a single text if both are equal.
std::string range_text(std::string const& min, std::string const& max) {
    return min == max ? min : fmt::format("{} .. {}", min, max);
}

/// The factor by which the old winner is worse; "-" if it no longer has a feasible design.
std::string ratios_of(Flips flips) {
    std::erase_if(flips, [](Flip const* flip) { return !std::isfinite(flip->ratio); });
    if (flips.empty()) return "-";
    auto const [min, max] = std::ranges::minmax_element(flips, {}, &Flip::ratio);
    return range_text(times((*min)->ratio), times((*max)->ratio));
}

/// Tables of a report on a space, with readable names and units. Both must outlive this object.
class FlipsText {
  public:
    FlipsText(space::Space const& space, uncertain::FlipReport const& report) : space_(space), report_(report) {}

    /// A row for each scenario, metric and winning design, with the conditions under which it wins.
    [[nodiscard]] TextTable winners() const {
        std::vector<std::string> head{"scenario", "metric",     "under",   "winner",    "value",
                                      "point",    "peak power", "silicon", "runner-up", "behind by"};
        if (report_.draws > 0) head.emplace_back("wins in draws");
        TextTable table(head);
        std::vector<std::pair<std::vector<std::string>, SameResult>> rows;
        for (std::size_t q = 0; q < report_.questions.size(); ++q) {
            auto const row = winner_row(q, "");
            auto const found = std::ranges::find(rows, row, &decltype(rows)::value_type::first);
            auto& same = found != rows.end() ? found->second : rows.emplace_back(row, SameResult{q, {}}).second;
            same.conditions.push_back(report_.questions[q].under);
        }
        for (auto const& [row, same] : rows) table.add(winner_row(same.first, conditions_text(same.conditions)));
        return table;
    }
    /// A row for each change of an assumption that replaces one winner by another, with the questions concerned.
    [[nodiscard]] TextTable changes() const {
        constexpr std::size_t shown = 3;
        TextTable table({"assumption", "from", "to", "winner", "becomes", "by", "from the value", "in"});
        std::map<std::tuple<std::size_t, std::string, std::string>, Flips> rows;
        for (auto const& flip : report_.flips)
            rows[{flip.variation, machine(flip.before), machine(flip.after)}].push_back(&flip);
        for (auto const& [key, changes] : rows) {
            auto const& variation = report_.variations[std::get<0>(key)];
            std::vector<std::string> in;
            Flip const *min = nullptr, *max = nullptr;
            for (auto const* flip : changes) {
                if (in.size() < shown) in.push_back(question(flip->question));
                if (!flip->break_even) continue;
                if (min == nullptr || *flip->break_even < *min->break_even) min = flip;
                if (max == nullptr || *flip->break_even > *max->break_even) max = flip;
            }
            auto const more = changes.size() - in.size();
            table.add({variation.assumption, variation.from, variation.to, std::get<1>(key), std::get<2>(key),
                       ratios_of(changes), min == nullptr ? "" : range_text(break_even(*min), break_even(*max)),
                       fmt::format("{}{}", fmt::join(in, "; "), more > 0 ? fmt::format("; and {} more", more) : "")});
        }
        return table;
    }
    /// The same changes with a row for each question.
    [[nodiscard]] TextTable every_change() const {
        TextTable table({"assumption", "from", "to", "question", "winner", "becomes", "by", "from the value"});
        for (auto const& flip : report_.flips) {
            auto const& variation = report_.variations[flip.variation];
            table.add({variation.assumption, variation.from, variation.to, question(flip.question),
                       machine(flip.before), machine(flip.after), times(flip.ratio), break_even(flip)});
        }
        return table;
    }
    /// A row for each parameter whose value in best designs is the smallest or largest that the space offers although
    /// the architecture allows others: the comparison may rest on the range.
    [[nodiscard]] TextTable ends() const {
        TextTable table({"machine", "parameter", "value", "of those offered", "in its best designs"});
        for (auto const& end : uncertain::axis_ends_of(space_, report_)) {
            auto const& machine = space_.machines()[end.machine];
            auto const& parameter = machine.parameters()[end.parameter];
            table.add({machine.name, parameter.name, space::shown_value(parameter, end.value),
                       end.largest ? "largest" : "smallest", fmt::format("{} of {}", end.designs, end.best_designs)});
        }
        return table;
    }
    /// The q-th of all questions: "chat, latency, peak_power <= 15 W".
    [[nodiscard]] std::string question(std::size_t q) const {
        auto const& requested = report_.questions[q];
        return fmt::format("{}{}{}", requested.scenario_name.empty() ? "" : requested.scenario_name + ", ",
                           requested.metric, requested.under.empty() ? "" : ", " + requested.under);
    }
    [[nodiscard]] std::string machine(std::optional<std::size_t> m) const {
        return m ? space_.machines()[*m].name : "none";
    }

  private:
    [[nodiscard]] std::vector<std::string> winner_row(std::size_t q, std::string const& under) const {
        auto const& question = report_.questions[q];
        auto const& standing = report_.as_assumed[q];
        auto const first = standing.winner(question.maximize), second = standing.runner_up(question.maximize);
        std::vector<std::string> row{question.scenario_name, question.metric, under, machine(first)};
        if (first) {
            auto const& best = standing.best_of(*first);
            row.insert(row.end(),
                       {sim::print_quantity(best.value, question.unit), fmt::format("{}", index_of(best.point)),
                        need_text(best.peak_power, "W"), need_text(best.silicon, "m2")});
        } else {
            row.insert(row.end(), {"", "", "", ""});
        }
        row.push_back(second ? machine(second) : "");
        double const ratio = second ? standing.best_of(*second).value / standing.best_of(*first).value : std::nan("");
        row.push_back(second ? times(question.maximize ? 1.0 / ratio : ratio) : "");
        if (report_.draws > 0) row.push_back(draws_text(q));
        return row;
    }
    [[nodiscard]] std::string break_even(uncertain::Flip const& flip) const {
        if (!flip.break_even) return "";
        auto const& variation = report_.variations[flip.variation];
        double const number = *flip.break_even / sim::parse_unit(variation.unit).in_si;
        auto const text = sim::print_number(number, 3);
        return variation.unit == "1" ? text : fmt::format("{} {}", text, variation.unit);
    }
    /// "gpu 80 %, umdam 20 %": in how many draws each machine wins.
    [[nodiscard]] std::string draws_text(std::size_t q) const {
        std::vector<std::pair<std::uint64_t, std::size_t>> won;
        for (std::size_t m = 0; m < space_.machines().size(); ++m)
            if (report_.draws_won[q][m] > 0) won.emplace_back(report_.draws_won[q][m], m);
        std::ranges::sort(won, std::greater{});
        std::vector<std::string> words;
        for (auto const& [draws, m] : won)
            words.push_back(fmt::format("{} {:.0f} %", space_.machines()[m].name,
                                        100.0 * static_cast<double>(draws) / static_cast<double>(report_.draws)));
        return fmt::format("{}", fmt::join(words, ", "));
    }

    space::Space const& space_;
    uncertain::FlipReport const& report_;
};

/// The questions with the same winner in every draw.
void print_always(uncertain::FlipReport const& report, FlipsText const& text) {
    std::cout << fmt::format("\nWinners in all {} draws of the uncertain constants together:\n", report.draws);
    bool any = false;
    for (std::size_t q = 0; q < report.questions.size(); ++q) {
        auto const always = std::ranges::find(report.draws_won[q], report.draws);
        if (always == report.draws_won[q].end()) continue;
        std::cout << fmt::format("  {}: {}\n", text.question(q),
                                 text.machine(static_cast<std::size_t>(always - report.draws_won[q].begin())));
        any = true;
    }
    if (!any) std::cout << "  none\n";
}

void print_text(space::Space const& space, uncertain::FlipReport const& report) {
    FlipsText const text(space, report);
    auto const& assumptions = space.machines().front().inputs.options.assumptions;
    std::cout << fmt::format("{} designs, assuming {}\n\n", report.points, models::sentence_of(assumptions));
    print_table(text.winners(), Format::text);
    if (!uncertain::axis_ends_of(space, report).empty()) {
        std::cout
            << "\nBest designs at an end of the range that the space offers (a wider range may change the winner):\n";
        print_table(text.ends(), Format::text);
    }
    auto const constants = static_cast<std::size_t>(
        std::ranges::count_if(report.variations, [](auto const& one) { return one.constant.has_value(); }));
    std::cout << fmt::format(
        "\nWhat flips a winner: {} other assumptions{}, one at a time, on {} designs{}\n",
        report.variations.size() - constants,
        constants == 0 ? ""
                       : fmt::format(" and {} ends of uncertain constants ({} constants change a best value)",
                                     constants, report.constants_in_effect),
        report.candidates,
        report.candidates == report.points ? ""
                                           : " that were among the best of their machine in either view (--full: all)");
    if (!report.flips.empty()) print_table(text.changes(), Format::text);
    std::cout << "\nWinners that survive every one of them:\n";
    auto const robust = report.robust();
    for (auto const q : robust) {
        auto const winner = report.as_assumed[q].winner(report.questions[q].maximize);
        std::cout << fmt::format("  {}: {}\n", text.question(q), text.machine(winner));
    }
    if (robust.empty()) std::cout << "  none\n";
    if (report.draws > 0) print_always(report, text);
    if (!report.flips.empty()) std::cout << "--format csv prints every change for every question\n";
}

/// Throws InputError, with the name of the file, if its space has no questions to compare machines by.
void check_questions(space::Space const& space, std::string const& file) {
    try {
        (void)uncertain::questions_of(space);
    } catch (sim::InputError const& error) {
        throw sim::InputError("{}: {}", file, error.what());
    }
}

}  // namespace

int run_flips(CommandLine const& values) {
    auto const format = format_of(values);
    auto const file = space_file(values.needed("space"));
    auto const text = space::read_space_text(file);
    auto const requested = overrides_of(values);
    auto const parsed = [&](std::vector<space::Override> const& more) {
        auto overrides = requested;
        overrides.insert(overrides.end(), more.begin(), more.end());
        return space::parse_space(text, file.string(), overrides);
    };
    auto const space = parsed({});
    check_questions(space, file.string());
    uncertain::FlipSettings settings;
    settings.kept = number_of<std::uint64_t>(values, "candidates", {1, 1U << 20U});
    settings.full = values.contains("full");
    settings.threads = threads_of(values);
    if (values.contains("progress"))
        settings.progress = [](std::string const& step) { std::cerr << step << std::endl; };
    settings.uncertainty = uncertain::read_uncertainty(
        space, file.string(), {given_number<std::uint64_t>(values, "uncertain"), std::nullopt});
    auto const report = uncertain::flips_of(parsed, settings);
    if (format == Format::json)
        print_json(uncertain::flips_json(space, report));
    else if (format == Format::csv)
        print_table(FlipsText(space, report).every_change(), format);
    else
        print_text(space, report);
    return complete;
}

}  // namespace pimdse::dse::cli
