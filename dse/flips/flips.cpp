#include "dse/flips/flips.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace pimdse::dse::flips {
namespace {

/// Sweeps of a space under assumptions that vary.
class Study {
  public:
    Study(Parse const& parse, Settings const& settings) : parse_(parse), settings_(settings) {}

    Report run() {
        auto const space = parse_({});
        report_.questions = questions_of(space);
        report_.points = space.size();
        report_.variations = variations_of(space);
        report_.as_assumed = sweep_of("as assumed", space);
        for (auto const& variation : report_.variations)
            if (variation.assumption == "view") (void)sweep_of("view " + variation.to, parse_(variation.overrides));
        candidates_.assign(found_.begin(), found_.end());
        report_.candidates = settings_.full ? report_.points : candidates_.size();
        for (std::size_t v = 0; v < report_.variations.size(); ++v) try_variation(v);
        return std::move(report_);
    }

  private:
    std::vector<MachineRanking> sweep_of(std::string const& what, space::Space const& space) {
        if (settings_.progress) settings_.progress(fmt::format("sweep of {} designs, {}", space.size(), what));
        auto all = standings(space, report_.questions, settings_.candidates, nullptr, settings_.threads);
        for (auto const& standing : all)
            for (auto const& machine : standing.by_machine)
                for (auto const& one : machine) found_.insert(one.point);
        return all;
    }

    [[nodiscard]] std::vector<MachineRanking> standings_with(std::vector<space_file::Override> const& overrides) const {
        auto const space = parse_(overrides);
        return standings(space, report_.questions, 1, settings_.full ? nullptr : &candidates_, settings_.threads);
    }

    void try_variation(std::size_t v) {
        auto const& variation = report_.variations[v];
        if (settings_.progress) settings_.progress(fmt::format("{} {}", variation.assumption, variation.to));
        auto const all = standings_with(variation.overrides);
        for (std::size_t q = 0; q < all.size(); ++q) {
            bool const more = report_.questions[q].maximize;
            auto const before = report_.as_assumed[q].winner(more), after = all[q].winner(more);
            if (before == after) continue;
            Flip flip{q, v, before, after, {}, std::nan(""), std::nullopt};
            if (after) flip.design = all[q].best_of(*after);
            if (before && after && !all[q].by_machine[*before].empty()) {
                double const ratio = all[q].best_of(*before).value / flip.design.value;
                flip.ratio = more ? 1.0 / ratio : ratio;
            }
            if (variation.numeric) flip.break_even = break_even_of(variation, flip);
            report_.flips.push_back(flip);
        }
    }

    /// Halves the way from the space's value, where `before` wins, to the end of the range, where another machine does.
    [[nodiscard]] double break_even_of(Variation const& variation, Flip const& flip) const {
        constexpr int halvings = 10;
        auto const points = designs_for(flip);
        std::vector<Question> const one{report_.questions[flip.question]};
        bool const logarithmic = variation.start > 0.0 && variation.end > 0.0;
        double inside = 0.0, outside = 1.0;
        auto const value_at = [&](double share) {
            return logarithmic ? variation.start * std::pow(variation.end / variation.start, share)
                               : variation.start + share * (variation.end - variation.start);
        };
        for (int i = 0; i < halvings; ++i) {
            double const middle = inside + (outside - inside) / 2.0;
            auto const standing =
                standings(parse_(variation.at(value_at(middle))), one, 1, &points, settings_.threads).front();
            (standing.winner(one[0].maximize) == flip.before ? inside : outside) = middle;
        }
        return value_at(outside);
    }

    /// The designs that were best for its question as assumed, and that which wins at the end of the range.
    [[nodiscard]] std::vector<task::PointId> designs_for(Flip const& flip) const {
        std::set<task::PointId> some;
        for (auto const& machine : report_.as_assumed[flip.question].by_machine)
            for (auto const& one : machine) some.insert(one.point);
        if (flip.after) some.insert(flip.design.point);
        return {some.begin(), some.end()};
    }

    Parse const& parse_;
    Settings const& settings_;
    Report report_;
    std::set<task::PointId> found_;
    std::vector<task::PointId> candidates_;
};

}  // namespace

std::vector<std::size_t> Report::robust() const {
    std::vector<std::size_t> list;
    for (std::size_t q = 0; q < questions.size(); ++q)
        if (std::ranges::none_of(flips, [q](Flip const& flip) { return flip.question == q; })) list.push_back(q);
    return list;
}

Report flips_of(Parse const& parse, Settings const& settings) { return Study(parse, settings).run(); }

}  // namespace pimdse::dse::flips
