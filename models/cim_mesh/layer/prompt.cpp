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
            all.attention += pipeline_.slope * keys;
        }
    }

    double vectors_, adapters_;
    Line pipeline_;
    bool waits_for_link_;
    Line level_;  // what takes as long for every token: the slower of crossbars and busiest link
    Line alone_;
};

constexpr double rows_and_columns = 2.0;  // a token adds a row and a column to the square of pairs

}  // namespace

HeldQueries::HeldQueries(KvCache const& cache, std::int64_t context_tile)
    : slots_(cache.slots_per_router()),
      scores_(cache.score_slots()),
      routers_(cache.routers()),
      per_token_(cache.needed_by_all(1)),
      tile_(context_tile) {}

/// The cache leaves room for the scores of one query, every other one needs its vector and its scores.
std::int64_t HeldQueries::at(std::int64_t tokens) const {
    std::int64_t const filled = (per_token_ * tokens + routers_ - 1) / routers_;
    return std::max<std::int64_t>(1, std::min(tile_, (slots_ - filled + scores_) / (1 + scores_)));
}

std::int64_t HeldQueries::last_with(std::int64_t held) const {
    if (held <= 1 || per_token_ == 0) return no_end;
    return std::max<std::int64_t>(0, (slots_ - held - (held - 1) * scores_) * routers_ / per_token_);
}

double PromptUnits::pair(std::int64_t held) const {
    return std::max({softmax, products, stream / static_cast<double>(held)});
}

/// The tokens 1 to `count` of a prompt in groups by the number of queries that are held, which decreases as the cache
/// fills the scratchpads.
class TokensByHeld {
  public:
    TokensByHeld(HeldQueries const& held, std::int64_t count) : held_(held), count_(count) {}

    /// Calls f(held queries, tokens) for every group; more than `max` queries count as `max`.
    template <class F>
    void from(std::int64_t max, F const& f) const {
        for (std::int64_t first = 1, now = max; first <= count_; --now) {
            std::int64_t const last = std::min(count_, held_.last_with(now));
            if (last < first) continue;
            f(now, Tokens{first, last});
            first = last + 1;
        }
    }

  private:
    HeldQueries const& held_;
    std::int64_t count_;
};

Following following(PromptUnits const& units, HeldQueries const& held, std::int64_t count) {
    Following all;
    double const floor = std::max(units.softmax, units.products);
    // More held queries make no difference, because another unit takes as long.
    std::int64_t at_once = held.max();
    if (floor > 0.0 && units.stream < floor * static_cast<double>(at_once))
        at_once = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(units.stream / floor)));
    TokensByHeld(held, count).from(at_once, [&](std::int64_t now, Tokens const& tokens) {
        AtOnePace(units, rows_and_columns * units.pair(now)).add(all, tokens);
    });
    return all;
}

PromptTokens tokens_of_prompt(Design const& d, std::int64_t count) {
    bool const windowed = is_windowed(d) && count > d.model->window;
    return {count, windowed ? d.model->window : 0, d.model->chunked};
}

Following& Following::operator+=(Following const& more) {
    for (auto const part : {&Following::vectors, &Following::adapters, &Following::attention, &Following::crossbars,
                            &Following::alone, &Following::link})
        this->*part += more.*part;
    return *this;
}

Following following(PromptUnits const& units, HeldQueries const& held, PromptTokens const& tokens) {
    if (tokens.window == 0) return following(units, held, tokens.count);
    auto all = following(units, held, tokens.window);
    if (!tokens.chunked) {
        double const pair = rows_and_columns * units.pair(held.at(tokens.window));
        AtOnePace(units, pair)
            .add_mean(all, static_cast<double>(tokens.count - tokens.window), static_cast<double>(tokens.window));
        return all;
    }
    auto const chunks = static_cast<double>(tokens.count / tokens.window);
    for (auto const part : {&Following::vectors, &Following::adapters, &Following::attention, &Following::crossbars,
                            &Following::alone, &Following::link})
        all.*part *= chunks;
    return all += following(units, held, tokens.count % tokens.window);
}

Following following(PromptUnits const& units, HeldQueries const& held, double count, std::int64_t keys) {
    Following all;
    AtOnePace(units, units.pair(held.at(keys))).add_mean(all, count, static_cast<double>(keys));
    return all;
}

double key_streams(HeldQueries const& held, std::int64_t count) {
    double streams = 0.0;
    TokensByHeld(held, count).from(held.max(), [&](std::int64_t now, Tokens const& tokens) {
        streams += rows_and_columns * tokens.sum() / static_cast<double>(now);
    });
    return streams;
}

double key_streams(HeldQueries const& held, PromptTokens const& tokens) {
    if (tokens.window == 0) return key_streams(held, tokens.count);
    double const first = key_streams(held, tokens.window);
    if (tokens.chunked)
        return static_cast<double>(tokens.count / tokens.window) * first +
               key_streams(held, tokens.count % tokens.window);
    return first +
           rows_and_columns * key_streams(held, static_cast<double>(tokens.count - tokens.window), tokens.window);
}

double key_streams(HeldQueries const& held, double count, std::int64_t keys) {
    return count * static_cast<double>(keys) / static_cast<double>(held.at(keys));
}

}  // namespace pimdse::models::cim_mesh
