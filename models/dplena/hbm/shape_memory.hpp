#pragma once

#include "models/dplena/hbm/outcome_memory.hpp"
#include "models/dplena/hbm/prefetch_reads.hpp"

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pimdse::models::dplena {

/// The place of a prefetch within the spans of the rows in which its data and its scales begin, and how many rows these
/// are apart. Prefetches of one shape touch the same banks, and the same rows of them but for a shift.
struct PrefetchShape {
    std::uint64_t data = 0, scale = 0;
    std::int64_t rows_apart = 0;
    auto operator<=>(PrefetchShape const&) const = default;
};

struct PrefetchShapeHash {
    std::size_t operator()(PrefetchShape const& shape) const {
        return (shape.data * 0x9e3779b97f4a7c15ULL ^ shape.scale * 0xc2b2ae3d27d4eb4fULL) +
               static_cast<std::uint64_t>(shape.rows_apart);
    }
};

/// What prefetches do that find every timer run out, remembered by shape and by which of the rows they touch are open:
/// cheaper than a look at every read.
class ShapeMemory {
  public:
    ShapeMemory(Fetching const& fetching, PrefetchMemoryLimits const& limits);

    /// Ticks from the presentation of a prefetch, on banks as `open` says, to the last issue. `outcomes` knows what its
    /// reads do.
    std::int64_t plan(PrefetchAddress const& address, OpenRows const& open, OutcomeMemory& outcomes);
    /// The rows that the prefetch planned last leaves open.
    void carry_out(OpenRows& open) const;

  private:
    /// One row of one bank that a shape touches: `row` behind the row of its first data or scale byte.
    struct Touched {
        std::size_t bank = 0;
        std::int64_t row = 0;
        bool scale = false;
    };
    /// The rows in which the data and the scales of a prefetch begin.
    struct FirstRows {
        std::int64_t data = 0, scale = 0;
        [[nodiscard]] std::int64_t of(Touched const& touched) const {
            return touched.row + (touched.scale ? scale : data);
        }
    };
    enum class RowState : std::uint8_t { open, another_open, closed };
    using RowStates = std::vector<RowState>;  ///< of every Touched
    struct Known {
        RowStates states;
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
    };
    struct Remembered {
        std::vector<Touched> touched;
        std::vector<Known> known;
    };

    [[nodiscard]] PrefetchShape shape_of(PrefetchAddress const& address) const;
    [[nodiscard]] FirstRows first_rows(PrefetchAddress const& address) const;
    /// The prefetch that stands for all of its shape.
    [[nodiscard]] PrefetchAddress standard(PrefetchShape const& shape) const;
    [[nodiscard]] std::vector<Touched> touched_by(PrefetchShape const& shape);
    void see_states(std::vector<Touched> const& touched, OpenRows const& open);
    [[nodiscard]] Known simulate(PrefetchShape const& shape, std::vector<Touched> const& touched,
                                 RowStates const& states, OutcomeMemory& outcomes);

    PrefetchReads reads_;
    PrefetchMemoryLimits limits_;
    std::size_t banks_;
    int row_shift_;              ///< address bits below the row
    std::int64_t rows_spanned_;  ///< rows further apart than this are never in one prefetch
    std::unordered_map<PrefetchShape, Remembered, PrefetchShapeHash> shapes_;
    RowStates states_;
    FirstRows first_;  ///< of the prefetch planned last
    std::vector<Touched> const* touched_ = nullptr;
    Known const* known_ = nullptr;
};

}  // namespace pimdse::models::dplena
