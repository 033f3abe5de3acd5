#include "dse/cli/robust.hpp"

#include "dse/cli/verb.hpp"
#include "dse/report/point_json.hpp"
#include "dse/store/result_file.hpp"
#include "dse/uncertain/robust_front.hpp"

#include <cmath>

namespace pimdse::dse::cli {
namespace {

std::string share_text(std::uint64_t draws, search::RobustFront const& front) {
    return fmt::format("{:.0f} %", 100.0 * static_cast<double>(draws) / static_cast<double>(front.draws.size()));
}

/// Unit of an objective; "" for a formula, which has none in the list.
std::string unit_of(space::Columns const& columns, std::string const& objective) {
    int const at = models::find_metric(columns.metrics, objective);
    return at < 0 ? "" : columns.metrics[static_cast<std::size_t>(at)].unit;
}

std::string machines_text(search::RobustFront const& front) {
    if (front.machines.size() < 2) return "";
    std::vector<std::string> head{"machine", "on the front"};
    for (auto const& objective : front.objectives) head.push_back("best " + objective);
    TextTable table(head);
    for (auto const& machine : front.machines) {
        std::vector<std::string> row{machine.name, share_text(machine.draws_on_front, front)};
        for (auto const draws : machine.draws_best) row.push_back(share_text(draws, front));
        table.add(std::move(row));
    }
    auto text = "share of the draws\n" + table.text(screen_width());
    for (auto const& machine : front.machines)
        if (machine.draws_infeasible > 0)
            text += fmt::format("in {} of the draws, no design of {} that may be on a front is feasible\n",
                                share_text(machine.draws_infeasible, front), machine.name);
    return text;
}

std::string decisions_text(search::RobustFront const& front) {
    std::string text;
    for (auto const& machine : front.machines) {
        std::vector<std::string> values;
        for (auto const& decision : front.decisions)
            if (decision.machine == machine.name)
                values.push_back(fmt::format("{} {}", decision.parameter, decision.value));
        if (values.empty()) continue;
        text += fmt::format("on every front of every draw, {} has {}\n", machine.name, fmt::join(values, ", "));
    }
    return text;
}

std::string flips_text(search::RobustFront const& front, space::Columns const& columns) {
    if (front.machines.size() < 2) return "";
    if (front.flips.empty()) return "no constant alone makes another machine the best in an objective\n";
    TextTable table({"constant", "now", "beyond", "in", "instead of", "wins", "by"});
    for (auto const& flip : front.flips) {
        auto const& constant = front.constants[flip.constant];
        auto const unit = unit_of(columns, front.objectives[flip.objective]);
        table.add({constant.name, constant.text_of(constant.nominal), constant.text_of(flip.break_even),
                   front.objectives[flip.objective], front.machines[flip.before].name,
                   fmt::format("{} (point {})", front.machines[flip.after].name, index_of(flip.new_best)),
                   fmt::format("{} for {}", sim::print_quantity(flip.new_value, unit),
                               std::isfinite(flip.old_value) ? sim::print_quantity(flip.old_value, unit) : "none")});
    }
    return "one constant alone that makes another machine the best (evaluated there)\n" + table.text(screen_width());
}

}  // namespace

std::string robust_text(search::RobustFront const& front, space::Columns const& columns) {
    std::string text = "how sure is the front?\n" + uncertain::short_statement(front);
    for (auto const& part : {machines_text(front), decisions_text(front), flips_text(front, columns)}) text += part;
    return wrapped(text, screen_width());
}

std::string point_study_text(search::RobustFront const& front, space::Columns const& columns, space::PointId point,
                             uncertain::PointStudy const& study) {
    if (study.nominal.empty()) return "";
    auto const* design = report::find_design(front, point);
    std::string text = fmt::format("\nuncertain constants: on the front in {} of {} draws",
                                   design == nullptr ? 0 : design->draws_on_front, front.draws.size());
    if (design != nullptr && std::isfinite(design->regret))
        text += fmt::format(", at most {:.3g} % behind it", 100.0 * design->regret);
    text += "\n";
    std::vector<std::string> head{"largest effects", "from", "to"};
    for (auto const& objective : front.objectives) head.push_back(objective);
    TextTable table(head);
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < std::min(shown, study.tornado.size()); ++i) {
        auto const& row = study.tornado[i];
        auto const& constant = front.constants[row.constant];
        std::vector<std::string> cells{constant.name, constant.text_of(constant.lower),
                                       constant.text_of(constant.upper)};
        for (std::size_t o = 0; o < front.objectives.size(); ++o) {
            auto const unit = unit_of(columns, front.objectives[o]);
            auto const print = [&](uncertain::MaybeObjectives const& values) {
                return values ? sim::print_quantity((*values)[o], unit, 3) : std::string("infeasible");
            };
            cells.push_back(row.at_lower == row.at_upper ? "" : print(row.at_lower) + " .. " + print(row.at_upper));
        }
        table.add(std::move(cells));
    }
    if (!study.tornado.empty()) text += table.text(screen_width());
    if (study.departures.empty() && design != nullptr && design->now)
        text += "no constant alone takes it off the front within its range\n";
    if (study.departures.empty()) return text;
    auto const& first = study.departures.front();
    auto const& constant = front.constants[first.constant];
    return text + fmt::format("the smallest change that takes it off the front: {} from {} to {}, where {}\n",
                              constant.name, constant.text_of(constant.nominal), constant.text_of(first.value),
                              first.dominated_by ? fmt::format("point {} dominates it", index_of(*first.dominated_by))
                                                 : std::string("it is infeasible"));
}

int run_robust(CommandLine const& values) {
    auto const format = format_without_csv(values, "the uncertainty of a front");
    auto const file = store::load_result_file(input_file(values.needed("file")), store::no_metrics);
    if (!file.robust)
        throw sim::InputError("{}: has no draws of uncertain constants. Explore its space with --uncertain 200?",
                              file.path.string());
    std::cout << (format == Format::json ? report::robust_json(*file.robust).dump(2) + "\n"
                                         : robust_text(*file.robust, file.columns));
    return complete;
}

}  // namespace pimdse::dse::cli
