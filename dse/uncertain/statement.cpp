#include "dse/uncertain/statement.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string>

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

/// What the figures from the ends of the ranges rest on.
std::string basis_of(RobustFront const& front) {
    if (front.not_stated.empty())
        return "The figures from the ends are proved: the machines state how each constant moves each objective.";
    constexpr std::size_t named = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(named, front.not_stated.size()); ++i)
        names += (i == 0 ? "" : ", ") + front.not_stated[i];
    if (front.not_stated.size() > named) names += fmt::format(" and {} more", front.not_stated.size() - named);
    return fmt::format(
        "The figures from the ends are not proved: that objectives are best and worst there was seen in a few designs "
        "of each machine; how they move with {} is not stated.",
        names);
}

}  // namespace

std::string statement_of(RobustFront const& front) {
    auto const now = std::ranges::count_if(front.designs, &RobustDesign::now);
    auto const certain = std::ranges::count_if(front.designs, &RobustDesign::certain);
    auto const ever = std::ranges::count_if(front.designs, [](auto const& one) { return one.draws_on_front > 0; });
    auto const matter = std::ranges::count(front.effective, true);
    std::string text = fmt::format(
        "{} draws of {} uncertain constants, of which {} change a result. Of {} designs, {} are on the front as "
        "assumed; sampled: {} in some draw, {} in at least {:.0f} % of the draws, {} in all. ",
        front.draws.size(), front.constants.size(), matter, front.designs_considered, now, ever,
        on_front_in(front, nearly_all), 100.0 * nearly_all, on_front_in(front, 1.0));
    text += fmt::format(
        "By the ends of the ranges: on no front whatever the constants are: {}; on some, perhaps: {}; on every one: "
        "{}. ",
        front.designs_excluded, front.possible.size(), certain);
    text += fmt::format("{} designs were drawn as polynomials of the constants, {} were evaluated in every draw.",
                        front.designs_linear, front.designs_evaluated);
    text += " " + basis_of(front);
    if (front.refused_draws > 0)
        text += fmt::format(
            " Rules of a machine refused values {} times; others were drawn for the constants of these rules.",
            front.refused_draws);
    return text;
}

}  // namespace pimdse::dse::uncertain
