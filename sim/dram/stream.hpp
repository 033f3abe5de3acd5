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

/// One transaction: the byte address of its first byte.
struct Transaction {
    std::uint64_t address = 0;
    Access access = Access::read;
    bool operator==(Transaction const&) const = default;
};

/// One loop of a nest: `count` iterations, each moving reads and writes by their stride in bytes.
struct Loop {
    std::uint64_t count = 1;
    std::int64_t read_stride = 0;
    std::int64_t write_stride = 0;
};

/// A request stream given by a formula, by loops, or by a list. Cheap to copy; immutable; memory does not grow with its
/// length (a list excepted: 8 bytes a request, 16 with arrivals).
class Stream {
  public:
    /// `bytes` consecutive bytes from `base`, in order.
    static Stream sequential(Access access, std::uint64_t base, std::uint64_t bytes, int transaction_bytes);

    /// Loops from the innermost to the outermost, cut off after `length` requests. alternating: innermost is a pair
    /// read, write.
    enum class Kinds : std::uint8_t { reads, writes, alternating };
    static Stream nest(std::vector<Loop> loops, Kinds kinds, std::uint64_t length, std::uint64_t read_base,
                       std::uint64_t write_base, int transaction_bytes);

    /// `length` reads of transactions drawn from the first `range`, by a hash of their number.
    static Stream random(std::uint64_t length, std::uint64_t range, int transaction_bytes);

    /// A recorded list.
    static Stream list(std::vector<Transaction> const& transactions, int transaction_bytes);
    /// The same with the cycle in which each request arrives, in ascending order: a request is sent in its cycle at the
    /// earliest, and its latency counts from there.
    static Stream list(std::vector<Transaction> const& transactions, int transaction_bytes, std::vector<Tick> arrivals);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] int transaction_bytes() const { return transaction_bytes_; }
    /// Requests have arrivals. Without them each is sent as soon as the controller takes it.
    [[nodiscard]] bool timed() const { return arrivals_ != nullptr; }
    /// Of a timed stream; index < size().
    [[nodiscard]] Tick arrival(std::uint64_t index) const { return (*arrivals_)[offset_ + index]; }
    /// Requests first, first+1, ...; first + out.size() <= size().
    void fill(std::uint64_t first, std::span<Transaction> out) const;
    [[nodiscard]] Transaction at(std::uint64_t index) const;
    /// An upper bound of the addresses the stream touches, exact for one loop; the largest of 64 bits where it is
    /// beyond. size() >= 1.
    [[nodiscard]] std::uint64_t highest_address() const;

    /// If request i + requests is request i moved by `bytes` for every i: the smallest such step; requests == 0 if
    /// none.
    struct Step {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] Step step() const;

    /// Runs of consecutive transactions that take turns: request i is transaction (first + i) / count of run (first +
    /// i) % count. Run r starts at base + r * stride, a multiple of a transaction.
    struct Runs {
        std::uint64_t count = 1, first = 0;
        std::uint64_t base = 0, stride = 0;
        Access access = Access::read;
    };
    /// Nothing if the stream is something else.
    [[nodiscard]] std::optional<Runs> runs() const;

    /// How many requests make a natural part of the stream: as many inner loops as stay within `most`, then doubled
    /// while that fits.
    [[nodiscard]] std::uint64_t part(std::uint64_t most) const;

    /// Requests first .. first + length - 1 as a stream of their own; first + length <= size().
    [[nodiscard]] Stream slice(std::uint64_t first, std::uint64_t length) const;

    /// FNV-1a-64 over (address << 1 | is write), 8 bytes each, least significant first; arrivals are no part of it.
    [[nodiscard]] std::uint64_t hash() const;

  private:
    enum class Form : std::uint8_t { nest, random, list };
    static constexpr std::size_t most_loops = 6;

    void fill_nest(std::uint64_t first, std::span<Transaction> out) const;
    void fill_random(std::uint64_t first, std::span<Transaction> out) const;

    Form form_ = Form::nest;
    Kinds kinds_ = Kinds::reads;
    int transaction_bytes_ = 32;
    std::uint64_t offset_ = 0, size_ = 0;
    std::uint64_t read_base_ = 0, write_base_ = 0;
    std::array<Loop, most_loops> loops_{};
    std::size_t loop_count_ = 0;
    std::uint64_t range_ = 0;                                 ///< rand: transactions addressed
    std::shared_ptr<std::vector<std::uint64_t> const> list_;  ///< address << 1 | is write
    std::shared_ptr<std::vector<Tick> const> arrivals_;       ///< by request of the list; nothing unless timed
};

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

/// `seq:B seqw:B stride:S:n rand:n:R copy:B:W:R colwalk:n tile:H:W:C:n utile:n`, and `engines:E:B` (E engines in turn,
/// each reading its own B/E bytes in order). `transaction_bytes` is the burst. Throws InputError naming the field, and
/// for a burst that is not of 1 to 65,536 bytes.
[[nodiscard]] Stream parse_stream(std::string_view spec, int transaction_bytes);

}  // namespace pimdse::sim::dram
