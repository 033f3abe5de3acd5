#pragma once

#include "dse/strategy/space_axes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::strategy {

/// What analytic lows say of boxes of points; highs, where more is better, are mirrored. The low of a metric over a box
/// is that of one point of it, the box's best corner, where the architecture declares how the low goes along each axis
/// that is not cut to one value yet; along others nothing is known before that. The low of a formula follows from those
/// of what it reads, each at its own corner. Conditions are not asked of a corner; where the architecture itself
/// refuses it, lows are those of longer boxes. Not to be used by two threads.
class SpaceGrids final : public ladder::Grids {
  public:
    /// The space must outlive it.
    explicit SpaceGrids(space::Space const& space) : axes_(space) {}

    [[nodiscard]] SpaceAxes const& axes() const { return axes_; }
    [[nodiscard]] std::vector<ladder::Box> whole() const override { return axes_.whole(); }
    /// Throws InputError where the low of an objective is calibrated only.
    [[nodiscard]] std::optional<ladder::Values> bound(ladder::Box const& box) override;
    /// The one along which lows rise most.
    [[nodiscard]] std::size_t axis_to_cut(ladder::Box const& box) override;
    [[nodiscard]] task::PointId first_of(ladder::Box const& box) const override { return axes_.at(box, {}); }

  private:
    /// Of each bound of the axes the number, mirrored where it is a high; -infinity where it is not known.
    using Lows = std::vector<double>;
    /// What they are along an axis while all others are at their best: [bound][position].
    using Profile = std::vector<std::vector<double>>;

    [[nodiscard]] space::Space const& space() const { return axes_.space(); }
    [[nodiscard]] std::vector<SpaceGrid> const& grids() const { return axes_.grids(); }
    [[nodiscard]] Lows const& lows_at(task::PointId point);
    [[nodiscard]] double low_at(task::PointId point, std::size_t bound);
    [[nodiscard]] double low_of(ladder::Box const& box, std::size_t bound);
    [[nodiscard]] double low_around(ladder::Box const& box, std::size_t bound);
    [[nodiscard]] models::Metrics estimates_of(std::size_t machine, Lows const& lows) const;
    [[nodiscard]] ladder::Values of_objectives(Lows const& lows) const;
    [[nodiscard]] bool hopeless(ladder::Box const& box, Lows const& lows) const;
    [[nodiscard]] std::vector<Profile> const& profiles_of(ladder::Box const& box);
    [[nodiscard]] double gain(ladder::Box const& box, std::size_t axis, Profile const& profile) const;

    SpaceAxes axes_;
    std::unordered_map<std::uint64_t, Lows> lows_;            ///< of points that were looked at lately
    std::map<std::uint64_t, std::vector<Profile>> profiles_;  ///< by the smallest id of their cell
};

}  // namespace pimdse::dse::strategy
