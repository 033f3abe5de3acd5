#include "dse/uncertain/draws.hpp"

#include "dse/search/sobol.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

/// The middle of one of 2^52 equal parts, so that neither 0 nor 1 occurs.
double probability_of(std::uint64_t coordinate) {
    constexpr int kept_bits = 52;
    return (static_cast<double>(coordinate >> (64 - kept_bits)) + 0.5) * std::ldexp(1.0, -kept_bits);
}

/// The group of each constant.
std::vector<std::optional<std::size_t>> groups_of(Uncertainty const& uncertainty) {
    std::vector<std::optional<std::size_t>> groups(uncertainty.constants.size());
    for (std::size_t g = 0; g < uncertainty.correlated.size(); ++g)
        for (auto const constant : uncertainty.correlated[g].constants) groups[constant] = g;
    return groups;
}

/// Probabilities of constants with the correlation of their groups: a normal score is shared by the group.
class Scores {
  public:
    explicit Scores(Uncertainty const& uncertainty) : uncertainty_(uncertainty), groups_(groups_of(uncertainty)) {}

    [[nodiscard]] DrawnValues values(std::vector<std::uint64_t> const& coordinates) const {
        auto const& constants = uncertainty_.constants;
        DrawnValues values(constants.size());
        for (std::size_t c = 0; c < constants.size(); ++c) {
            double probability = probability_of(coordinates[c]);
            if (groups_[c]) probability = correlated(probability, *groups_[c], coordinates);
            values[c] = constants[c].at(probability);
        }
        return values;
    }

  private:
    [[nodiscard]] double correlated(double own, std::size_t group,
                                    std::vector<std::uint64_t> const& coordinates) const {
        boost::math::normal const standard;
        double const coefficient = uncertainty_.correlated[group].coefficient;
        double const shared = probability_of(coordinates[uncertainty_.constants.size() + group]);
        double const score = std::sqrt(coefficient) * boost::math::quantile(standard, shared) +
                             std::sqrt(1.0 - coefficient) * boost::math::quantile(standard, own);
        return boost::math::cdf(standard, score);
    }

    Uncertainty const& uncertainty_;
    std::vector<std::optional<std::size_t>> groups_;
};

/// Constants whose values are drawn again together: those of an architecture, joined with those that are correlated
/// with them. Constants that machines share are in none, unless they are correlated.
std::vector<std::vector<std::size_t>> groups_drawn_together(Uncertainty const& uncertainty) {
    constexpr std::array<std::string_view, 3> shared{"technology", "links", "economy"};
    auto const& constants = uncertainty.constants;
    std::vector<std::string> owners;
    for (auto const& constant : constants) {
        auto owner = constant.name.substr(0, constant.name.find('.'));
        owners.push_back(std::ranges::find(shared, owner) == shared.end() ? std::move(owner) : std::string{});
    }
    for (auto const& group : uncertainty.correlated) {
        std::string owner;
        for (auto const c : group.constants) owner = std::max(owner, owners[c]);
        if (owner.empty()) continue;
        for (auto const c : group.constants) {
            auto const joined = owners[c];
            if (joined.empty())
                owners[c] = owner;
            else
                std::ranges::replace(owners, joined, owner);
        }
    }
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t c = 0; c < constants.size(); ++c)
        if (!owners[c].empty()) groups[owners[c]].push_back(c);
    std::vector<std::vector<std::size_t>> list;
    for (auto& [_, group] : groups) list.push_back(std::move(group));
    return list;
}

/// Which constants of an architecture rules tie together, as far as rules have refused them.
class TiedConstants {
  public:
    explicit TiedConstants(Uncertainty const& uncertainty) : constants_(uncertainty.constants) {
        for (std::size_t c = 0; c < constants_.size(); ++c) root_.push_back(c);
        for (auto const& group : uncertainty.correlated)
            for (auto const c : group.constants) tie(group.constants.front(), c);
    }

    /// Number of ties that were found.
    [[nodiscard]] std::size_t ties() const { return ties_; }

    /// The constants of the group to draw again because of this sentence: those that it names and all that are tied to
    /// them; the whole group if it names none.
    [[nodiscard]] std::vector<std::size_t> named_in(std::string const& sentence,
                                                    std::vector<std::size_t> const& group) {
        std::vector<std::size_t> named;
        for (auto const c : group)
            if (has_word(sentence, constants_[c].name.substr(constants_[c].name.find('.') + 1))) named.push_back(c);
        if (named.empty()) named = group;
        for (auto const c : named) tie(named.front(), c);
        std::vector<std::size_t> all;
        for (auto const c : group)
            if (root(c) == root(named.front())) all.push_back(c);
        return all;
    }

  private:
    static bool is_part(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

    static bool has_word(std::string const& text, std::string const& word) {
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
            auto const end = at + word.size();
            if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
        }
        return false;
    }

    [[nodiscard]] std::size_t root(std::size_t c) const {
        while (root_[c] != c) c = root_[c];
        return c;
    }

    void tie(std::size_t a, std::size_t b) {
        if (root(a) == root(b)) return;
        root_[root(b)] = root(a);
        ++ties_;
    }

    std::vector<UncertainConstant> const& constants_;
    std::vector<std::size_t> root_;
    std::size_t ties_ = 0;
};

/// The points of the sequence so far, as values of the constants.
class DrawnPoints {
  public:
    explicit DrawnPoints(Uncertainty const& uncertainty)
        : sequence_(uncertainty.constants.size() + uncertainty.correlated.size(), uncertainty.seed),
          scores_(uncertainty) {}

    [[nodiscard]] DrawnValues const& at(std::size_t index) {
        while (points_.size() <= index) points_.push_back(scores_.values(sequence_.next()));
        return points_[index];
    }

  private:
    search::SobolSequence sequence_;
    Scores scores_;
    std::vector<DrawnValues> points_;
};

class DrawsUnderRules {
  public:
    DrawsUnderRules(Uncertainty const& uncertainty, RuleRefusal const& refusal, TiedConstants& tied)
        : samples_(uncertainty.samples),
          refusal_(refusal),
          tied_(tied),
          points_(uncertainty),
          next_(uncertainty.constants.size(), 0),
          groups_(groups_drawn_together(uncertainty)) {
        std::set<std::size_t> own;
        for (auto const& group : groups_) own.insert(group.begin(), group.end());
        for (std::size_t c = 0; c < uncertainty.constants.size(); ++c)
            if (!own.contains(c)) shared_.push_back(c);
    }

    Draws all() {
        Draws draws;
        while (draws.values.size() < samples_) {
            DrawnValues values(next_.size(), 0.0);
            draw(shared_, values);
            std::string why;
            for (std::size_t g = 0; g < groups_.size() && why.empty(); ++g) {
                draw(groups_[g], values);
                why = allow(groups_[g], values, draws.refused);
            }
            if (why.empty())
                draws.values.push_back(std::move(values));
            else if (++whole_ > max_whole_per_draw * (draws.values.size() + 1))
                throw sim::InputError(
                    "{} of {} draws are refused, the last one because of this: {}. State narrower ranges?", whole_,
                    whole_ + draws.values.size(), why);
        }
        return draws;
    }

  private:
    static constexpr std::uint64_t max_refused = 30, max_whole_per_draw = 20;

    void draw(std::span<std::size_t const> those, DrawnValues& values) {
        for (auto const c : those) values[c] = points_.at(next_[c]++)[c];
    }

    /// Draws values of the group again until no rule refuses them. The sentence of a rule that does so nearly always:
    /// it may be for values of constants that machines share.
    std::string allow(std::vector<std::size_t> const& group, DrawnValues& values, std::uint64_t& refused) {
        for (std::uint64_t n = 0;; ++n) {
            auto const why = refusal_(group, values);
            if (why.empty()) return "";
            ++refused;
            if (n == max_refused) return why.front();
            std::set<std::size_t> again;
            for (auto const& sentence : why)
                for (auto const c : tied_.named_in(sentence, group)) again.insert(c);
            draw(std::vector(again.begin(), again.end()), values);
        }
    }

    std::uint64_t samples_;
    RuleRefusal const& refusal_;
    TiedConstants& tied_;
    DrawnPoints points_;
    std::vector<std::size_t> next_;  ///< by constant: the next point of the sequence
    std::vector<std::vector<std::size_t>> groups_;
    std::vector<std::size_t> shared_;  ///< constants in no group
    std::uint64_t whole_ = 0;          ///< draws that were refused as a whole
};

}  // namespace

Draws draws_of(Uncertainty const& uncertainty, RuleRefusal const& refusal) {
    TiedConstants tied(uncertainty);
    while (true) {
        // Values that were drawn before a tie was known are drawn again with it.
        auto const before = tied.ties();
        auto draws = DrawsUnderRules(uncertainty, refusal, tied).all();
        if (tied.ties() == before) return draws;
    }
}

Settings settings_of(DrawnValues const& values) {
    Settings settings;
    for (std::size_t c = 0; c < values.size(); ++c) settings.push_back({c, values[c]});
    return settings;
}

}  // namespace pimdse::dse::uncertain
