#pragma once

#include "dse/ladder/box.hpp"
#include "dse/ladder/corner.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pimdse::dse::ladder {

/// Boxes that are closed, without the points of theirs that were answered all the same.
class ClosedBoxes {
  public:
    struct Closed {
        Values corner{};
        Box box;
        bool cut = false;  ///< from another one, around what was taken out
    };
    struct Place {
        std::size_t box = 0;  ///< in the order in which they were added
        Box point;
    };

    void add(Closed closed);
    /// But for those taken out.
    [[nodiscard]] std::uint64_t points() const { return points_ - taken_; }
    /// The point at a position, of all points of all boxes; also one that was taken out.
    [[nodiscard]] Place at(std::uint64_t position) const;
    [[nodiscard]] Values const& corner_of(Place const& place) const { return closed_[place.box].corner; }
    /// Precondition: it is in.
    void take_out(Place const& place);
    /// As few boxes as it takes, around what was taken out.
    [[nodiscard]] std::vector<Closed> pieces() const;

  private:
    std::vector<Closed> closed_;
    std::vector<std::uint64_t> before_;              ///< points of boxes before each one
    std::map<std::size_t, std::vector<Box>> holes_;  ///< points
    std::uint64_t points_ = 0, taken_ = 0;
};

}  // namespace pimdse::dse::ladder
