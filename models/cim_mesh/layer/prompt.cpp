#include "models/cim_mesh/layer/prompt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max() / 4;

/// A range of token numbers, including both ends.
struct Tokens {
    std::int64_t first = 1, last = 0;

    [[nodiscard]] double count() const { return static_cast<double>(std::max<std::int64_t>(0, last - first + 1)); }
    /// Sum of the token numbers, which are their numbers of keys.
    [[nodiscard]] double sum() const {
        return count() * (static_cast<double>(first) + static_cast<double>(last)) / 2.0;
    }
};

/// Cycles that are linear in the token number.
struct Line {
    double start = 0.0, slope = 0.0;

    [[nodiscard]] double at(double token) const { return start + slope * token; }
    [[nodiscard]] double sum(Tokens const& tokens) const { return start * tokens.count() + slope * tokens.sum(); }
    /// The last token of `tokens` before two lines intersect; the end of the range if they do not intersect in it.
    [[nodiscard]] std::int64_t before_meeting(Line const& other, Tokens const& tokens) const {
        if (slope == other.slope) return tokens.last;
        double const meet = (other.start - start) / (slope - other.slope);
        if (!(meet > static_cast<double>(tokens.first)) || meet >= static_cast<double>(tokens.last)) return tokens.last;
        return static_cast<std::int64_t>(std::floor(meet));
    }
};

/// Tokens with the same number of held queries, so that a pair always costs the same.
class AtOnePace {
  public:
    AtOnePace(PromptUnits const& units, double per_key)
        : vectors_(units.vectors / units.attained),
          adapters_(units.adapters / units.attained),
          pipeline_{vectors_ + adapters_, per_key / units.attained},
          waits_for_link_(units.link > units.crossbar / units.attained),
          level_{std::max(units.crossbar / units.attained, units.link), 0.0},
          alone_{units.alone, units.alone_per_key} {}
    /// Of tokens that add `pairs` pairs of `per_pair` cycles, and attend to `keys` keys.
    AtOnePace(PromptUnits const& units, double per_pair, Line const& pairs, Line const& keys)
        : AtOnePace(units, per_pair * pairs.slope) {
        cached_ = per_pair * pairs.start / units.attained;
        pipeline_.start += cached_;
        alone_ = {units.alone + units.alone_per_key * keys.start, units.alone_per_key * keys.slope};
    }

    /// Adds the cycles of `tokens`. Between two intersections of the three lines, the same unit limits all tokens.
    void add(Following& all, Tokens tokens) const {
        while (tokens.first <= tokens.last) {
            std::int64_t last = tokens.last;
            for (auto const& [a, b] : {std::pair{&pipeline_, &level_}, {&pipeline_, &alone_}, {&level_, &alone_}})
                last = std::min(last, a->before_meeting(*b, tokens));
            add_alike(all, {tokens.first, last});
            tokens.first = last + 1;
        }
    }
    void add_mean(Following& all, double count, double keys) const { add_some(all, count, keys, count * keys); }

  private:
    void add_alike(Following& all, Tokens const& some) const {
        double const middle = (static_cast<double>(some.first) + static_cast<double>(some.last)) / 2.0;
        add_some(all, some.count(), middle, some.sum());
    }
    void add_some(Following& all, double count, double middle, double keys) const {
        double const pipelined = std::max(pipeline_.at(middle), level_.at(middle));
        if (alone_.at(middle) < pipelined) {
            all.alone += alone_.start * count + alone_.slope * keys;
        } else if (pipeline_.at(middle) < level_.at(middle)) {
            (waits_for_link_ ? all.link : all.crossbars) += level_.start * count;
        } else {
            all.vectors += vectors_ * count;
            all.adapters += adapters_ * count;
            all.attention += pipeline_.slope * keys + cached_ * count;
        }
    }

    double vectors_, adapters_;
    double cached_ = 0.0;  // attention of a token that does not grow with its number
    Line pipeline_;
    bool waits_for_link_;
    Line level_;  // what takes as long for every token: the slower of crossbars and busiest link
    Line alone_;
};

constexpr std::array parts_of_following{&Following::vectors,   &Following::adapters, &Following::attention,
                                        &Following::crossbars, &Following::alone,    &Following::link};
constexpr double rows_and_columns = 2.0;  // a token adds a row and a column to the square of pairs

/// Tokens of a part of a prompt whose numbers of keys, and of pairs in their column, are linear in the token number.
struct Stretch {
    Tokens tokens;
    Line keys, column;

    [[nodiscard]] Line pairs() const { return {keys.start + column.start, keys.slope + column.slope}; }
};

/// Calls f(stretch) for all tokens, in order.
template <class F>
void each_stretch(PromptTokens const& all, F const& f) {
    for (std::int64_t first = 1; first <= all.count;) {
        std::int64_t const position = all.cached + first, window = all.window;
        bool const windowed = window > 0, grows = !windowed || all.chunked || position <= window;
        std::int64_t const keys = !windowed     ? position
                                  : all.chunked ? (position - 1) % window + 1
                                                : std::min(position, window);
        std::int64_t last = all.count;
        if (windowed && grows) last = std::min(last, first + window - keys);
        // A column has the tokens of this part, as many as its token attends to at most.
        bool const own = first <= keys;
        if (own && !grows) last = std::min(last, keys);
        Line const row = grows ? Line{static_cast<double>(keys - first), 1.0} : Line{static_cast<double>(keys), 0.0};
        f(Stretch{{first, last}, row, own ? Line{0.0, 1.0} : row});
        first = last + 1;
    }
}

/// The same with the number of queries that are held, which falls as the cache fills the scratchpads: calls f(held
/// queries, stretch). More than `max` queries count as `max`.
template <class F>
void each_stretch(PromptTokens const& all, HeldQueries const& held, std::int64_t max, F const& f) {
    each_stretch(all, [&](Stretch const& whole) {
        auto part = whole;
        while (part.tokens.first <= whole.tokens.last) {
            std::int64_t const keys = std::llround(whole.keys.at(static_cast<double>(part.tokens.first)));
            std::int64_t const now = std::min(max, held.at(keys));
            part.tokens.last = whole.tokens.last;
            if (whole.keys.slope > 0.0)
                part.tokens.last = std::min(part.tokens.last, part.tokens.first + held.last_with(now) - keys);
            f(now, part);
            part.tokens.first = part.tokens.last + 1;
        }
    });
}

}  // namespace

HeldQueries::HeldQueries(KvCache const& cache, std::int64_t context_tile)
    : slots_(cache.slots_per_router()),
      scores_(cache.score_slots()),
      routers_(cache.routers()),
      per_token_(cache.needed_by_all(1)),
      tile_(context_tile) {}

/// The cache leaves room for the scores of one query, every other one needs its vector and its scores.
std::int64_t HeldQueries::at(std::int64_t tokens) const {
    std::int64_t const filled = (others_ + per_token_ * tokens + routers_ - 1) / routers_;
    return std::max<std::int64_t>(1, std::min(tile_, (slots_ - filled + scores_) / (1 + scores_)));
}

std::int64_t HeldQueries::last_with(std::int64_t held) const {
    if (held <= 1 || per_token_ == 0) return no_end;
    return std::max<std::int64_t>(0, ((slots_ - held - (held - 1) * scores_) * routers_ - others_) / per_token_);
}

HeldQueries HeldQueries::beside(std::int64_t requests, std::int64_t others) const {
    auto all = *this;
    all.others_ += per_token_ * others;
    all.per_token_ *= requests;
    return all;
}

double PromptUnits::pair(std::int64_t held) const {
    return std::max({softmax, products, stream / static_cast<double>(held)});
}

PromptTokens tokens_of_prompt(Design const& d, std::int64_t count, std::int64_t cached) {
    bool const windowed = is_windowed(d) && cached + count > d.model->window;
    return {count, windowed ? d.model->window : 0, d.model->chunked, cached};
}

Following& Following::operator+=(Following const& more) {
    for (auto const part : parts_of_following) this->*part += more.*part;
    return *this;
}

Following following(PromptUnits const& units, HeldQueries const& held, PromptTokens const& tokens) {
    if (tokens.cached > 0 || tokens.window == 0) {
        double const floor = std::max(units.softmax, units.products);
        // More held queries make no difference, because another unit takes as long.
        std::int64_t at_once = held.max();
        if (tokens.cached == 0 && floor > 0.0 && units.stream < floor * static_cast<double>(at_once))
            at_once = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(units.stream / floor)));
        Following all;
        each_stretch(tokens, held, at_once, [&](std::int64_t now, Stretch const& part) {
            AtOnePace(units, units.pair(now), part.pairs(), part.keys).add(all, part.tokens);
        });
        return all;
    }
    auto all = following(units, held, PromptTokens{tokens.window});
    if (!tokens.chunked) {
        double const pair = rows_and_columns * units.pair(held.at(tokens.window));
        AtOnePace(units, pair)
            .add_mean(all, static_cast<double>(tokens.count - tokens.window), static_cast<double>(tokens.window));
        return all;
    }
    auto const chunks = static_cast<double>(tokens.count / tokens.window);
    for (auto const part : parts_of_following) all.*part *= chunks;
    return all += following(units, held, PromptTokens{tokens.count % tokens.window});
}

Following following(PromptUnits const& units, HeldQueries const& held, double count, std::int64_t keys) {
    Following all;
    AtOnePace(units, units.pair(held.at(keys))).add_mean(all, count, static_cast<double>(keys));
    return all;
}

double key_streams(HeldQueries const& held, PromptTokens const& tokens) {
    if (tokens.cached > 0 || tokens.window == 0) {
        double streams = 0.0;
        each_stretch(tokens, held, held.max(), [&](std::int64_t now, Stretch const& part) {
            streams += part.pairs().sum(part.tokens) / static_cast<double>(now);
        });
        return streams;
    }
    double const first = key_streams(held, PromptTokens{tokens.window});
    if (tokens.chunked)
        return static_cast<double>(tokens.count / tokens.window) * first +
               key_streams(held, PromptTokens{tokens.count % tokens.window});
    return first +
           rows_and_columns * key_streams(held, static_cast<double>(tokens.count - tokens.window), tokens.window);
}

double key_streams(HeldQueries const& held, double count, std::int64_t keys) {
    return count * static_cast<double>(keys) / static_cast<double>(held.at(keys));
}

double added_pairs(PromptTokens const& tokens) {
    double pairs = 0.0;
    each_stretch(tokens, [&](Stretch const& part) { pairs += part.pairs().sum(part.tokens); });
    return pairs;
}

}  // namespace pimdse::models::cim_mesh
