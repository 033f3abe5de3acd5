#pragma once

#include "sim/dram/stream.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace pimdse::sim::dram {

/// Bytes in order from address 0.
struct SequentialStream {
    Access access = Access::read;
    std::uint64_t bytes = 0;
};
struct StridedStream {
    std::uint64_t stride = 0, count = 0;
};
struct RandomStream {
    std::uint64_t count = 0, range = 0;  ///< addresses below `range` bytes
};
/// Reads and writes in turn; rows > 0: as a matrix of so many rows is transposed.
struct CopyStream {
    std::uint64_t bytes = 0, write_base = 0, rows = 0;
};
/// Down the columns of a row-major matrix of 2048 x 2048 two-byte elements.
struct ColumnWalk {
    std::uint64_t count = 0;
};
/// Through the same matrix in tiles of `rows` x `width` bytes, tile after tile downwards.
struct TileWalk {
    std::uint64_t rows = 0, width = 0;
    bool column_first = true;  ///< within a tile
    std::uint64_t count = 0;
};
/// Through tiles of 16 KiB that are stored column by column, row by row.
struct StoredTileWalk {
    std::uint64_t count = 0;
};
/// Engines in turn, each reading its own part of `bytes` in order.
struct EngineStreams {
    std::uint64_t engines = 1, bytes = 0;
};

using StreamKind = std::variant<SequentialStream, StridedStream, RandomStream, CopyStream, ColumnWalk, TileWalk,
                                StoredTileWalk, EngineStreams>;

/// "" if transactions of so many bytes can make the stream, else why not.
[[nodiscard]] std::string refusal_of(StreamKind const& kind, int transaction_bytes);

/// Throws InputError where refusal_of says why.
[[nodiscard]] Stream make_stream(StreamKind const& kind, int transaction_bytes);

}  // namespace pimdse::sim::dram
