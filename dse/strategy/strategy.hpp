#pragma once

#include "dse/task/answer.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse {

class Space;

/// Points to evaluate at one fidelity, in the order in which answers are told: a run of consecutive ids (8 bytes however
/// long it is) or a list.
class Batch {
  public:
    Batch() = default;
    static Batch range(PointId first, std::uint64_t count, models::Fidelity fidelity);
    static Batch list(std::vector<PointId> points, models::Fidelity fidelity);

    [[nodiscard]] std::uint64_t size() const { return points_.empty() ? count_ : points_.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] bool is_range() const { return points_.empty(); }
    [[nodiscard]] models::Fidelity fidelity() const { return fidelity_; }
    [[nodiscard]] Task task(std::uint64_t index) const;
    /// The part [first, first + count) of this batch.
    [[nodiscard]] Batch part(std::uint64_t first, std::uint64_t count) const;
    /// The same points, to be evaluated in a process apart: an earlier run died while it worked on them.
    [[nodiscard]] Batch as_suspects() const;
    [[nodiscard]] bool is_suspect() const { return suspect_; }

  private:
    std::vector<PointId> points_;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
    models::Fidelity fidelity_ = models::Fidelity::analytic;
    bool suspect_ = false;
};

/// Decides what is evaluated next. Owns all randomness (a hash of seed and counter), so what it asks depends on what it
/// was told and on nothing else.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// At most so many points; an empty batch when nothing is to be asked before more has been told, so that an empty one while no answer
    /// is outstanding ends the search.
    [[nodiscard]] virtual Batch ask(std::uint64_t most) = 0;
    /// The next answer, in the order asked. Not called where the strategy does not listen.
    virtual void tell(Answer const& answer) = 0;
    /// How many points it may have asked for without having been told: the points asked for next depend on the first answers, up to this
    /// many before the last, whoever answers how quickly. `deaf`: it does not listen, so that it may be asked at any time.
    [[nodiscard]] virtual std::uint64_t lag() const { return deaf; }
    static constexpr std::uint64_t deaf = std::numeric_limits<std::uint64_t>::max();
    /// How many points it will ask for in all, as far as it knows.
    [[nodiscard]] virtual std::uint64_t planned() const = 0;
};

struct StrategyName {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<Strategy> (*make)(Space const&);  ///< nullptr: not built yet
};

/// Every strategy, one line each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if no strategy of this name is built.
void check_strategy(std::string_view name);

/// The strategy that the space's search settings name.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(Space const& space);

/// The positions [first, last) of a plan of min(budget, size of the space) points that the search's shard covers.
struct Positions {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};
[[nodiscard]] Positions shard_positions(Space const& space);

std::unique_ptr<Strategy> make_sweep(Space const& space);
std::unique_ptr<Strategy> make_random(Space const& space);

}  // namespace pimdse::dse
