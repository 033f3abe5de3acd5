#pragma once

#include "dse/search/certificate.hpp"
#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Decides what is evaluated next. Owns all randomness (a hash of seed and counter), so what it asks depends on what it
/// was told and on nothing else.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// At most so many points; an empty batch when nothing is to be asked before more has been told, so that an empty
    /// one while no answer is outstanding ends the search, unless it waits for somebody else.
    [[nodiscard]] virtual space::Batch ask(std::uint64_t max) = 0;
    /// The next answer, in the order asked. Not called where the strategy does not listen.
    virtual void tell(space::Result const& result) = 0;
    /// An answer of an earlier search, before anything is asked. False: it has no use for any.
    virtual bool know(space::Result const&) { return false; }
    /// How many points it may have asked for without having been told: the points asked for next depend on the first
    /// answers, up to this many before the last, whoever answers how quickly. `non_adaptive`: it does not listen, so
    /// that it may be asked at any time.
    [[nodiscard]] virtual std::uint64_t lag() const { return non_adaptive; }
    static constexpr std::uint64_t non_adaptive = std::numeric_limits<std::uint64_t>::max();
    /// True while it may ask for more although it has been told everything.
    [[nodiscard]] virtual bool waits() const { return false; }
    /// How many points it will ask for in all, as far as it knows.
    [[nodiscard]] virtual std::uint64_t planned() const = 0;
    /// Why its front is that of all points, as far as it has come, where it does not ask for all of them.
    [[nodiscard]] virtual std::optional<Certificate> certificate() const { return std::nullopt; }
    /// Where it stands, where it closes points by bounds.
    [[nodiscard]] virtual std::optional<Standing> standing() const { return std::nullopt; }
    /// What there is to say of how it ended, once it has.
    [[nodiscard]] virtual std::string ending() const { return {}; }
};

/// The positions [first, last) of a plan of min(budget, size of the space) points that the search's shard covers.
struct Positions {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};
[[nodiscard]] Positions shard_positions(space::Space const& space);

}  // namespace pimdse::dse::search
