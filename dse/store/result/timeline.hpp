#pragma once

#include "dse/store/hdf5/group.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace pimdse::dse::store::result {

/// How far a run was at one moment: what /timing/progress has a row of.
struct Moment {
    double seconds = 0.0;       ///< since the run began
    std::uint64_t answers = 0;  ///< remembered ones included
};

/// How a run went on. However long it takes, a thousand moments about equally far apart are kept: when there are too
/// many, every other one is forgotten and half as many are taken from then on. Any thread may ask.
class Timeline {
  public:
    static constexpr std::size_t most = 1024;

    void add(Moment moment);
    /// With the last one that was added.
    [[nodiscard]] std::vector<Moment> moments() const;

  private:
    mutable std::mutex mutex_;
    std::vector<Moment> kept_;
    Moment last_;
    double apart_ = 0.0;  ///< s: least time between two that are kept
};

/// Writes them into the group of /timing.
void write_progress(hdf5::Group& timing, std::vector<Moment> const& moments);

}  // namespace pimdse::dse::store::result
