#pragma once

#include "dse/task/answer.hpp"
#include "dse/task/batch.hpp"
#include "dse/task/certificate.hpp"
#include "dse/task/standing.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace pimdse::dse::strategy {

/// Decides what is evaluated next. Owns all randomness (a hash of seed and counter), so what it asks depends on what it
/// was told and on nothing else.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// At most so many points; an empty batch when nothing is to be asked before more has been told, so that an empty
    /// one while no answer is outstanding ends the search, unless it waits for somebody else.
    [[nodiscard]] virtual task::Batch ask(std::uint64_t most) = 0;
    /// The next answer, in the order asked. Not called where the strategy does not listen.
    virtual void tell(task::Answer const& answer) = 0;
    /// An answer of an earlier search, before anything is asked. False: it has no use for any.
    virtual bool know(task::Answer const&) { return false; }
    /// How many points it may have asked for without having been told: the points asked for next depend on the first
    /// answers, up to this many before the last, whoever answers how quickly. `deaf`: it does not listen, so that it
    /// may be asked at any time.
    [[nodiscard]] virtual std::uint64_t lag() const { return deaf; }
    static constexpr std::uint64_t deaf = std::numeric_limits<std::uint64_t>::max();
    /// True while it may ask for more although it has been told everything.
    [[nodiscard]] virtual bool waits() const { return false; }
    /// How many points it will ask for in all, as far as it knows.
    [[nodiscard]] virtual std::uint64_t planned() const = 0;
    /// Why its front is that of all points, as far as it has come, where it does not ask for all of them.
    [[nodiscard]] virtual std::optional<task::Certificate> certificate() const { return std::nullopt; }
    /// Where it stands, where it closes points by bounds.
    [[nodiscard]] virtual std::optional<task::Standing> standing() const { return std::nullopt; }
    /// What there is to say of how it ended, once it has.
    [[nodiscard]] virtual std::string ending() const { return {}; }
};

}  // namespace pimdse::dse::strategy
