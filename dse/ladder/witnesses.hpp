#pragma once

#include "dse/front/entry.hpp"
#include "dse/ladder/lows.hpp"
#include "dse/task/certificate.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::ladder {

/// Members of the front that have answers of their own, for a certificate.
class Witnesses {
  public:
    /// `lows` must outlive it.
    Witnesses(std::vector<front::Entry> members, Lows const& lows, std::size_t objectives);

    /// Writes down who closes a point; false if nobody does.
    [[nodiscard]] bool put_closed(Lows::Item item, task::PointId point, task::Certificate& into) const;

  private:
    std::vector<front::Entry> members_;  ///< ids ascending
    Lows const& lows_;
    std::size_t objectives_;
};

}  // namespace pimdse::dse::ladder
