#pragma once

#include "sim/dram/family.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pimdse::sim::dram {

/// A memory transaction of one burst. `address`: of its first byte.
struct Transaction {
    std::uint64_t address = 0;
    Access access = Access::read;
    bool operator==(Transaction const&) const = default;
};

/// A loop of a nest: `count` iterations, each of which advances reads and writes by their strides in bytes.
struct Loop {
    std::uint64_t count = 1;
    std::int64_t read_stride = 0;
    std::int64_t write_stride = 0;
};

/// A request stream: nested loops, pseudo-random addresses, or a list. Immutable and cheap to copy. Its memory does not
/// grow with its length, except for a list: 8 bytes per request, 16 with arrival times.
class Stream {
  public:
    /// `bytes` consecutive bytes from `base`, in order.
    static Stream sequential(Access access, std::uint64_t base, std::uint64_t bytes, int transaction_bytes);

    /// Loops from the innermost to the outermost, at most six, cut off after `length` requests. alternating: each
    /// innermost iteration is a read and a write.
    enum class Kinds : std::uint8_t { reads, writes, alternating };
    static Stream nest(std::vector<Loop> loops, Kinds kinds, std::uint64_t length, std::uint64_t read_base,
                       std::uint64_t write_base, int transaction_bytes);

    /// `length` reads, each of one of the first `range` transactions, selected by a hash of its number.
    static Stream random(std::uint64_t length, std::uint64_t range, int transaction_bytes);

    /// A recorded list.
    static Stream list(std::vector<Transaction> const& transactions, int transaction_bytes);
    /// A recorded list with arrival times in cycles, ascending. A request is sent in its cycle at the earliest, and its
    /// latency counts from there.
    static Stream list(std::vector<Transaction> const& transactions, int transaction_bytes, std::vector<Tick> arrivals);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] int transaction_bytes() const { return transaction_bytes_; }
    /// True if requests have arrival times. Otherwise each is sent as soon as the controller accepts it.
    [[nodiscard]] bool timed() const { return arrivals_ != nullptr; }
    /// Arrival time in cycles. Precondition: timed(), index < size().
    [[nodiscard]] Tick arrival(std::uint64_t index) const { return (*arrivals_)[index]; }
    /// Copies the requests first, first + 1, ... to `out`. Precondition: first + out.size() <= size().
    void fill(std::uint64_t first, std::span<Transaction> out) const;
    [[nodiscard]] Transaction at(std::uint64_t index) const;
    /// Upper bound of the addresses of the stream, exact for one loop; saturates at 2^64 - 1. Precondition: size()
    /// >= 1.
    [[nodiscard]] std::uint64_t highest_address() const;

    /// The smallest step such that request i + requests is request i at an address that is `bytes` higher, for all i;
    /// requests == 0 if there is none.
    struct Step {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] Step step() const;

    /// Interleaved runs of consecutive transactions: request i is transaction i / count of run i % count. Run r starts
    /// at base + r * stride, a multiple of the transaction size.
    struct Runs {
        std::uint64_t count = 1;
        std::uint64_t base = 0, stride = 0;
        Access access = Access::read;
    };
    /// nullopt if the stream is not of this form.
    [[nodiscard]] std::optional<Runs> runs() const;

    /// FNV-1a-64 hash of (address << 1 | is write), 8 bytes each, least significant first; without arrival times.
    [[nodiscard]] std::uint64_t hash() const;

  private:
    enum class Form : std::uint8_t { nest, random, list };
    static constexpr std::size_t max_loops = 6;

    void fill_nest(std::uint64_t first, std::span<Transaction> out) const;
    void fill_random(std::uint64_t first, std::span<Transaction> out) const;

    Form form_ = Form::nest;
    Kinds kinds_ = Kinds::reads;
    int transaction_bytes_ = 32;
    std::uint64_t size_ = 0;
    std::uint64_t read_base_ = 0, write_base_ = 0;
    std::array<Loop, max_loops> loops_{};
    std::size_t loop_count_ = 0;
    std::uint64_t range_ = 0;                                 ///< random: number of transactions
    std::shared_ptr<std::vector<std::uint64_t> const> list_;  ///< address << 1 | is write
    std::shared_ptr<std::vector<Tick> const> arrivals_;       ///< by request of the list; null unless timed
};

/// Consecutive bytes from address 0.
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
/// Alternating reads and writes. rows > 0: transposes a matrix with that number of rows.
struct CopyStream {
    std::uint64_t bytes = 0, write_base = 0, rows = 0;
};
/// Reads a row-major matrix of 2048 x 2048 two-byte elements column by column.
struct ColumnWalk {
    std::uint64_t count = 0;
};
/// Reads the same matrix in tiles of `rows` x `width` bytes, tile columns from top to bottom.
struct TileWalk {
    std::uint64_t rows = 0, width = 0;
    bool column_first = true;  ///< order within a tile
    std::uint64_t count = 0;
};
/// Reads tiles of 16 KiB, which are stored column by column, row by row.
struct StoredTileWalk {
    std::uint64_t count = 0;
};
/// Engines that take turns, each reading its own part of `bytes` in order.
struct EngineStreams {
    std::uint64_t engines = 1, bytes = 0;
};

using StreamKind = std::variant<SequentialStream, StridedStream, RandomStream, CopyStream, ColumnWalk, TileWalk,
                                StoredTileWalk, EngineStreams>;

/// Reason why the stream cannot be formed from transactions of this size; "" if it can.
[[nodiscard]] std::string refusal_of(StreamKind const& kind, int transaction_bytes);

/// Throws InputError if refusal_of() gives a reason.
[[nodiscard]] Stream make_stream(StreamKind const& kind, int transaction_bytes);

/// Parses `seq:B seqw:B stride:S:n rand:n:R copy:B:W:R colwalk:n tile:H:W:C:n utile:n engines:E:B` (E engines in turn,
/// each reading B/E bytes in order). `transaction_bytes` is the burst size. Throws InputError that names the wrong
/// field, and for bursts outside 1 to 65,536 bytes.
[[nodiscard]] Stream parse_stream(std::string_view spec, int transaction_bytes);

}  // namespace pimdse::sim::dram
