#pragma once

#include "sim/base/random.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace pimdse::dse::ladder {

/// Closed points to be answered after all, in a random order: how often a covering was wrong.
class Audit {
  public:
    /// `wanted`: how many points are to be known.
    Audit(std::uint64_t wanted, std::uint64_t seed) : wanted_(wanted), seed_(seed) {}

    [[nodiscard]] bool begun() const { return order_.has_value(); }
    /// Of so many closed points.
    void begin(std::uint64_t closed) {
        closed_ = closed;
        order_.emplace(std::max<std::uint64_t>(closed, 1), seed_);
    }
    /// The number of the one that is next, if another one is wanted; taken() goes on to the one after it.
    [[nodiscard]] std::optional<std::uint64_t> next() const {
        if (!begun() || known_ + under_way_ >= wanted_ || at_ == closed_) return std::nullopt;
        return order_->at(at_);
    }
    void taken() { ++at_; }
    void launched() { ++under_way_, ++launched_; }
    void landed(bool was_wrong) {
        --under_way_;
        known(was_wrong);
    }
    void known(bool was_wrong) {
        ++known_;
        wrong_ += was_wrong ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t launches() const { return launched_; }
    [[nodiscard]] std::uint64_t points() const { return known_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

  private:
    std::uint64_t wanted_, seed_;
    std::uint64_t closed_ = 0;
    std::optional<sim::Shuffle> order_;
    std::uint64_t at_ = 0, under_way_ = 0, launched_ = 0, known_ = 0, wrong_ = 0;
};

}  // namespace pimdse::dse::ladder
