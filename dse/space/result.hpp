#pragma once

#include "dse/base/wire.hpp"
#include "models/contract/architecture.hpp"

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

/// What is asked of a pool: this point at this fidelity.
struct Task {
    PointId point{};
    models::Fidelity fidelity = models::Fidelity::analytic;
    auto operator<=>(Task const&) const = default;
};

/// What came back. `seconds` and `rank` are the only fields that may differ between two equal runs.
struct Result {
    Task task;
    models::Outcome outcome;
    double seconds = 0.0;
    int rank = 0;
};

using Bytes = std::vector<std::byte>;

/// Bytes that are no encoded answers.
class CodecError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Appends the answer in a compact form: little-endian on every machine, bit patterns of doubles kept, 8 bytes for an
/// exact estimate. The same form travels in messages and lies in the journal.
void encode(Result const& result, Bytes& into);
void encode(std::span<Result const> results, Bytes& into);

/// Appends every answer in the bytes; throws CodecError when they are cut off or hold something else.
void decode(std::span<std::byte const> bytes, std::vector<Result>& into);
[[nodiscard]] std::vector<Result> decode(std::span<std::byte const> bytes);

/// What a block of ids came to where only fronts are kept: the answers nobody in the block dominates, and what became
/// of the others.
struct BlockSummary {
    static constexpr std::uint64_t ids = 65536;  ///< block b holds the ids [b * ids, (b + 1) * ids)

    struct Count {
        std::string rule;  ///< of infeasible points; "" = feasible but dominated
        std::uint64_t points = 0;
        bool operator==(Count const&) const = default;
    };
    std::uint64_t block = 0;
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<Result> kept;
    std::vector<Count> left_out;  ///< points that are not in `kept`

    /// Evaluated in all.
    [[nodiscard]] std::uint64_t points() const {
        std::uint64_t sum = kept.size();
        for (auto const& count : left_out) sum += count.points;
        return sum;
    }
};

void encode(std::span<BlockSummary::Count const> counts, Bytes& into);
/// Takes counts off the front. Throws CodecError.
[[nodiscard]] std::vector<BlockSummary::Count> decode_counts(base::wire::Reader& from);
void encode(BlockSummary const& summary, Bytes& into);
/// Throws CodecError, also for more points than a block has and answers that are not in it.
[[nodiscard]] BlockSummary decode_block(std::span<std::byte const> bytes);

/// The same for a run of ids within one block, journalled on arrival: parts of a block come in any order and are joined
/// when all of it is there.
struct BlockPart {
    std::uint64_t first = 0;   ///< id of its first point
    std::uint64_t points = 0;  ///< evaluated in all; what is kept and what was left out come to as many
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<Result> kept;
    std::vector<BlockSummary::Count> left_out;
};
void encode(BlockPart const& part, Bytes& into);
/// Throws CodecError, also for points that do not add up or do not lie in one block.
[[nodiscard]] BlockPart decode_part(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::space
