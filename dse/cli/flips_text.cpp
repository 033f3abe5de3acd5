#include "dse/cli/flips_text.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace pimdse::dse::cli {
namespace {

using flips::Flip;
using flips::Question;

std::string times(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f} x", ratio) : "-"; }

/// Questions of one scenario and metric whose answer is the same.
struct SameAnswer {
    std::size_t first = 0;
    std::vector<std::string> under;
};

/// Where conditions begin alike, up to their last comparison.
std::size_t common_start(std::string const& a, std::string const& b) {
    auto const differs = std::ranges::mismatch(a, b).in1;
    auto const same = static_cast<std::size_t>(differs - a.begin());
    auto const comparison = a.find("= ");
    return comparison != std::string::npos && comparison + 2 <= same ? comparison + 2 : 0;
}

/// "no limit; peak_power <= 5 W, 15 W": conditions that begin like the one before by what differs.
std::string conditions(std::vector<std::string> const& under) {
    if (under.size() == 1 && under.front().empty()) return "";
    std::string text, before;
    for (auto const& condition : under) {
        auto const same = text.empty() || before.empty() ? 0 : common_start(before, condition);
        if (!text.empty()) text += same > 0 ? ", " : "; ";
        text += condition.empty() ? "no limit" : condition.substr(same);
        before = condition;
    }
    return text;
}

using Flips = std::vector<Flip const*>;

/// "1.04 x .. 2.00 x", or one of them where both are printed alike.
std::string range_text(std::string const& least, std::string const& most) {
    return least == most ? least : fmt::format("{} .. {}", least, most);
}

/// How many times worse the old winner is; "-" where it has no feasible design any more.
std::string ratios_of(Flips flips) {
    std::erase_if(flips, [](Flip const* flip) { return !std::isfinite(flip->ratio); });
    if (flips.empty()) return "-";
    auto const [least, most] = std::ranges::minmax_element(flips, {}, &Flip::ratio);
    return range_text(times((*least)->ratio), times((*most)->ratio));
}

}  // namespace

std::string FlipsText::machine(std::optional<std::size_t> m) const { return m ? space_.machines()[*m].name : "none"; }

std::string FlipsText::question(std::size_t q) const {
    auto const& asked = report_.questions[q];
    return fmt::format("{}{}{}", asked.scenario_name.empty() ? "" : asked.scenario_name + ", ", asked.metric,
                       asked.under.empty() ? "" : ", " + asked.under);
}

std::string FlipsText::break_even(Flip const& flip) const {
    if (!flip.break_even) return "";
    auto const& variation = report_.variations[flip.variation];
    double const number = *flip.break_even / sim::parse_unit(variation.unit).in_si;
    return variation.unit == "1" ? fmt::format("{:.3g}", number) : fmt::format("{:.3g} {}", number, variation.unit);
}

std::vector<std::string> FlipsText::winner_row(std::size_t q, std::string const& under) const {
    auto const& question = report_.questions[q];
    auto const& standing = report_.as_assumed[q];
    auto const first = standing.winner(question.maximize), second = standing.runner_up(question.maximize);
    std::vector<std::string> row{question.scenario_name, question.metric, under, machine(first)};
    if (first) {
        auto const& best = standing.best_of(*first);
        row.insert(row.end(),
                   {sim::print_quantity(best.value, question.unit), fmt::format("{}", index_of(best.point))});
    } else {
        row.insert(row.end(), {"", ""});
    }
    row.push_back(second ? machine(second) : "");
    double const ratio = second ? standing.best_of(*second).value / standing.best_of(*first).value : std::nan("");
    row.push_back(second ? times(question.maximize ? 1.0 / ratio : ratio) : "");
    return row;
}

TextTable FlipsText::winners() const {
    TextTable table({"scenario", "metric", "under", "winner", "value", "point", "runner-up", "behind by"});
    std::vector<std::pair<std::vector<std::string>, SameAnswer>> rows;
    for (std::size_t q = 0; q < report_.questions.size(); ++q) {
        auto const row = winner_row(q, "");
        auto const found = std::ranges::find(rows, row, &decltype(rows)::value_type::first);
        auto& alike = found != rows.end() ? found->second : rows.emplace_back(row, SameAnswer{q, {}}).second;
        alike.under.push_back(report_.questions[q].under);
    }
    for (auto const& [row, alike] : rows) table.add(winner_row(alike.first, conditions(alike.under)));
    return table;
}

TextTable FlipsText::changes() const {
    constexpr std::size_t shown = 3;
    TextTable table({"assumption", "from", "to", "winner", "becomes", "by", "from the value", "in"});
    std::map<std::tuple<std::size_t, std::string, std::string>, Flips> rows;
    for (auto const& flip : report_.flips)
        rows[{flip.variation, machine(flip.before), machine(flip.after)}].push_back(&flip);
    for (auto const& [key, changes] : rows) {
        auto const& variation = report_.variations[std::get<0>(key)];
        std::vector<std::string> in;
        Flip const *least = nullptr, *most = nullptr;
        for (auto const* flip : changes) {
            if (in.size() < shown) in.push_back(question(flip->question));
            if (!flip->break_even) continue;
            if (least == nullptr || *flip->break_even < *least->break_even) least = flip;
            if (most == nullptr || *flip->break_even > *most->break_even) most = flip;
        }
        auto const more = changes.size() - in.size();
        table.add({variation.assumption, variation.from, variation.to, std::get<1>(key), std::get<2>(key),
                   ratios_of(changes), least == nullptr ? "" : range_text(break_even(*least), break_even(*most)),
                   fmt::format("{}{}", fmt::join(in, "; "), more > 0 ? fmt::format("; and {} more", more) : "")});
    }
    return table;
}

TextTable FlipsText::every_change() const {
    TextTable table({"assumption", "from", "to", "question", "winner", "becomes", "by", "from the value"});
    for (auto const& flip : report_.flips) {
        auto const& variation = report_.variations[flip.variation];
        table.add({variation.assumption, variation.from, variation.to, question(flip.question), machine(flip.before),
                   machine(flip.after), times(flip.ratio), break_even(flip)});
    }
    return table;
}

}  // namespace pimdse::dse::cli
