#include "dse/uncertain/statement.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::uncertain {
namespace {

/// A share of the draws that counts as nearly all.
constexpr double nearly_all = 0.95;

/// Number of designs that are on the front in this share of the draws at least.
std::uint64_t on_front_in(RobustFront const& front, double share) {
    auto const wanted = share * static_cast<double>(front.draws.size());
    return static_cast<std::uint64_t>(std::ranges::count_if(front.designs, [&](RobustDesign const& design) {
        return static_cast<double>(design.draws_on_front) >= wanted;
    }));
}

/// What the figures for all values within the ranges rest on.
std::string basis_of(RobustFront const& front) {
    if (front.not_stated.empty())
        return "proved, because the machines state in which direction each constant moves each objective";
    constexpr std::size_t named = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(named, front.not_stated.size()); ++i)
        names += (i == 0 ? "" : ", ") + front.not_stated[i];
    if (front.not_stated.size() > named) names += fmt::format(" and {} more", front.not_stated.size() - named);
    return fmt::format(
        "not proved: the directions in which constants move objectives were seen in a few designs of each machine, and "
        "are not stated for {}",
        names);
}

}  // namespace

std::string statement_of(RobustFront const& front) {
    auto const now = std::ranges::count_if(front.designs, &RobustDesign::now);
    auto const certain = std::ranges::count_if(front.designs, &RobustDesign::certain);
    auto const ever = std::ranges::count_if(front.designs, [](auto const& one) { return one.draws_on_front > 0; });
    auto const matter = std::ranges::count(front.effective, true);
    std::string text = fmt::format(
        "{} draws of uncertain constants. Constants with a range: {}, that change a result: {}. Designs: {}, on the "
        "front as assumed: {}. In the draws, on the front in some: {}, in at least {:.0f} %: {}, in all: {}. ",
        front.draws.size(), front.constants.size(), matter, front.designs_considered, now, ever, 100.0 * nearly_all,
        on_front_in(front, nearly_all), on_front_in(front, 1.0));
    text += fmt::format("For all values within the ranges, on no front: {}, perhaps on one: {}, on every one: {} ({}).",
                        front.designs_excluded, front.possible.size(), certain, basis_of(front));
    if (front.refused_draws > 0)
        text +=
            fmt::format(" Rules of a machine refused {} value{}; others were drawn for the constants of these rules.",
                        front.refused_draws, front.refused_draws == 1 ? "" : "s");
    return text;
}

std::string short_statement(RobustFront const& front) {
    auto const now = std::ranges::count_if(front.designs, &RobustDesign::now);
    auto const certain = std::ranges::count_if(front.designs, &RobustDesign::certain);
    auto const ever = std::ranges::count_if(front.designs, [](auto const& one) { return one.draws_on_front > 0; });
    auto text = fmt::format("{} draws of {} constants, {} of which change a result\n", front.draws.size(),
                            front.constants.size(), std::ranges::count(front.effective, true));
    text += fmt::format(
        "on the front: {} of {} designs as assumed, {} in some draw, {} in {:.0f} % of them, {} in all\n", now,
        front.designs_considered, ever, on_front_in(front, nearly_all), 100.0 * nearly_all, on_front_in(front, 1.0));
    return text + fmt::format("whatever the constants are: {} always, {} perhaps, {} never ({})\n", certain,
                              front.possible.size() - static_cast<std::size_t>(certain), front.designs_excluded,
                              front.not_stated.empty() ? "proved" : "as seen in a few designs, not proved");
}

}  // namespace pimdse::dse::uncertain
