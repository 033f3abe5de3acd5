#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/outcome.hpp"
#include "sim/base/wire.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Index of a point in its space: mixed radix over the parameters in the architecture's declared order, the last one
/// fastest.
enum class PointId : std::uint64_t {};
constexpr std::uint64_t index_of(PointId id) { return static_cast<std::uint64_t>(id); }

/// A unit of work: evaluate this point at this fidelity.
struct Task {
    PointId point{};
    models::Fidelity fidelity = models::Fidelity::analytic;
    auto operator<=>(Task const&) const = default;
};

/// The result of a task. `seconds` and `rank` are the only fields that may differ between two equal runs.
struct Result {
    Task task;
    models::Outcome outcome;
    double seconds = 0.0;
    int rank = 0;
};

using Bytes = std::vector<std::byte>;

/// Bytes that are not encoded results.
class CodecError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Appends the result in a compact form: little-endian on every host, doubles by their bit patterns, 8 bytes for an
/// exact estimate. Messages and the journal use the same form.
void encode(Result const& result, Bytes& into);
void encode(std::span<Result const> results, Bytes& into);

/// Appends every result in the bytes; throws CodecError if they are truncated or contain anything else.
void decode(std::span<std::byte const> bytes, std::vector<Result>& into);
[[nodiscard]] std::vector<Result> decode(std::span<std::byte const> bytes);

/// The result of a block of ids where only fronts are kept: the non-dominated results of the block, and counts of the
/// others.
struct BlockSummary {
    static constexpr std::uint64_t ids = 65536;  ///< block b holds the ids [b * ids, (b + 1) * ids)

    struct Count {
        std::string rule;  ///< the rule that infeasible points break; "" for feasible but dominated points
        std::uint64_t points = 0;
        bool operator==(Count const&) const = default;
    };
    std::uint64_t block = 0;
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<Result> kept;
    std::vector<Count> left_out;  ///< points that are not in `kept`

    /// Number of points that were evaluated.
    [[nodiscard]] std::uint64_t points() const {
        std::uint64_t sum = kept.size();
        for (auto const& count : left_out) sum += count.points;
        return sum;
    }
};

void encode(std::span<BlockSummary::Count const> counts, Bytes& into);
/// Reads counts from the front of the bytes. Throws CodecError.
[[nodiscard]] std::vector<BlockSummary::Count> decode_counts(sim::wire::Reader& from);
void encode(BlockSummary const& summary, Bytes& into);
/// Throws CodecError, also if there are more points than a block has, or results outside the block.
[[nodiscard]] BlockSummary decode_block(std::span<std::byte const> bytes);

/// The same for a range of ids within one block, which is journalled on arrival: the parts of a block arrive in any
/// order and are joined when the block is complete.
struct BlockPart {
    std::uint64_t first = 0;   ///< id of its first point
    std::uint64_t points = 0;  ///< number of points evaluated: the sum of kept and left-out points
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<Result> kept;
    std::vector<BlockSummary::Count> left_out;
};
void encode(BlockPart const& part, Bytes& into);
/// Throws CodecError, also if the counts do not add up or the points are not in one block.
[[nodiscard]] BlockPart decode_part(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::space
