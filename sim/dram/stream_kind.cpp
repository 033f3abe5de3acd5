#include "sim/dram/stream_kind.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace pimdse::sim::dram {
namespace {

/// The matrix of the walks: 2048 x 2048 two-byte elements, row-major.
constexpr std::uint64_t matrix_side = 2048;
constexpr std::int64_t matrix_pitch = 4096;
constexpr std::int64_t stored_tile = 16384;  // bytes
constexpr std::uint64_t tiles_to_a_column = 16, tiles_to_a_row = 32;
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

using Kinds = Stream::Kinds;

std::uint64_t unsigned_of(int transaction) { return static_cast<std::uint64_t>(transaction); }

struct Refusal {
    int transaction;

    [[nodiscard]] std::string operator()(CopyStream const& copy) const {
        std::uint64_t const pairs = copy.bytes / unsigned_of(transaction);
        if (copy.rows <= pairs) return "";
        return fmt::format("{} rows are more than the {} transactions copied", copy.rows, pairs);
    }
    [[nodiscard]] std::string operator()(RandomStream const& stream) const {
        if (stream.range >= unsigned_of(transaction)) return "";
        return fmt::format("a range of {} B has no transaction of {}", stream.range, transaction);
    }
    [[nodiscard]] std::string operator()(TileWalk const& walk) const {
        if (walk.rows == 0 || walk.width < unsigned_of(transaction))
            return fmt::format("a tile of {} rows x {} B has no transaction of {}", walk.rows, walk.width, transaction);
        if (walk.rows <= matrix_side) return "";
        return fmt::format("a tile of {} rows does not fit a matrix of {}", walk.rows, matrix_side);
    }
    [[nodiscard]] std::string operator()(StoredTileWalk const&) const {
        if (transaction <= stored_tile) return "";
        return fmt::format("a tile of {} B has no transaction of {}", stored_tile, transaction);
    }
    [[nodiscard]] std::string operator()(EngineStreams const& streams) const {
        if (streams.engines == 0) return "no engine reads";
        if (streams.bytes / streams.engines >= unsigned_of(transaction)) return "";
        return fmt::format("{} engines have less than one transaction each", streams.engines);
    }
    template <class Other>
    [[nodiscard]] std::string operator()(Other const&) const {
        return "";
    }
};

struct Maker {
    int transaction;

    [[nodiscard]] Stream reads(std::vector<Loop> loops, std::uint64_t count) const {
        return Stream::nest(std::move(loops), Kinds::reads, count, 0, 0, transaction);
    }
    [[nodiscard]] Stream operator()(SequentialStream const& s) const {
        return Stream::sequential(s.access, 0, s.bytes, transaction);
    }
    [[nodiscard]] Stream operator()(StridedStream const& s) const {
        return reads({{endless, static_cast<std::int64_t>(s.stride), 0}}, s.count);
    }
    [[nodiscard]] Stream operator()(RandomStream const& s) const {
        return Stream::random(s.count, s.range / unsigned_of(transaction), transaction);
    }
    [[nodiscard]] Stream operator()(CopyStream const& s) const {
        std::int64_t const t = transaction;
        std::uint64_t const pairs = s.bytes / unsigned_of(transaction);
        std::vector<Loop> loops{{endless, t, t}};
        if (s.rows != 0) {
            auto const columns = pairs / s.rows;
            loops = {{columns, t, static_cast<std::int64_t>(s.rows) * t},
                     {endless, static_cast<std::int64_t>(columns) * t, t}};
        }
        return Stream::nest(std::move(loops), Kinds::alternating, 2 * pairs, 0, s.write_base, transaction);
    }
    [[nodiscard]] Stream operator()(ColumnWalk const& s) const {
        return reads({{matrix_side, matrix_pitch, 0}, {endless, transaction, 0}}, s.count);
    }
    [[nodiscard]] Stream operator()(TileWalk const& s) const {
        Loop const down{s.rows, matrix_pitch, 0}, across{s.width / unsigned_of(transaction), transaction, 0};
        return reads({s.column_first ? down : across,
                      s.column_first ? across : down,
                      {matrix_side / s.rows, static_cast<std::int64_t>(s.rows) * matrix_pitch, 0},
                      {endless, static_cast<std::int64_t>(s.width), 0}},
                     s.count);
    }
    [[nodiscard]] Stream operator()(StoredTileWalk const& s) const {
        return reads({{static_cast<std::uint64_t>(stored_tile) / unsigned_of(transaction), transaction, 0},
                      {tiles_to_a_row, static_cast<std::int64_t>(tiles_to_a_column) * stored_tile, 0},
                      {endless, stored_tile, 0}},
                     s.count);
    }
    [[nodiscard]] Stream operator()(EngineStreams const& s) const {
        std::uint64_t const each = s.bytes / s.engines / unsigned_of(transaction);
        return reads(
            {{s.engines, static_cast<std::int64_t>(each * unsigned_of(transaction)), 0}, {endless, transaction, 0}},
            s.engines * each);
    }
};

}  // namespace

std::string refusal_of(StreamKind const& kind, int transaction_bytes) {
    if (transaction_bytes < 1 || transaction_bytes > 65536)
        return fmt::format("a transaction of {} B (it moves 1 to 65536)", transaction_bytes);
    return std::visit(Refusal{transaction_bytes}, kind);
}

Stream make_stream(StreamKind const& kind, int transaction_bytes) {
    if (auto const why = refusal_of(kind, transaction_bytes); !why.empty()) throw InputError(why);
    return std::visit(Maker{transaction_bytes}, kind);
}

}  // namespace pimdse::sim::dram
