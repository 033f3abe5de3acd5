#include "dse/space/result.hpp"

#include "sim/base/check.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

namespace pimdse::dse::space {
namespace {

/// The byte that encodes the kind of an outcome; a defect is `first_defect` plus its kind. An infeasible point whose
/// violation was measured has a tag of its own, above those of version 0.1.0.
enum Outcome : std::uint8_t { feasible = 0, infeasible = 1, first_defect = 2, measured = 16 };

/// The tag of an encoded estimate: the number of its bounds' kinds, and whether the lower and upper bound follow the
/// value. Two bounds of different kinds have tags of their own, above those of version 0.1.0.
constexpr std::uint8_t equal_kinds = 3;
constexpr std::uint8_t has_range = 4;
constexpr std::uint8_t first_mixed = 8;
constexpr std::uint8_t range_of_mixed = 16;
constexpr std::uint8_t one_tag_each = 0xFF;

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::uint8_t tag_of(models::Estimate const& e) {
    bool const range = !same_bits(e.lower, e.value) || !same_bits(e.upper, e.value);
    std::uint8_t const kinds = number_of(e.kinds);
    if (kinds >= equal_kinds)
        return static_cast<std::uint8_t>((first_mixed + kinds - equal_kinds) | (range ? range_of_mixed : 0U));
    return static_cast<std::uint8_t>(kinds | (range ? has_range : 0U));
}

/// The tag of all estimates, or `one_tag_each` if they differ.
std::uint8_t common_tag(models::Metrics const& metrics) {
    std::uint8_t const first = metrics.empty() ? std::uint8_t{0} : tag_of(metrics.front());
    for (auto const& estimate : metrics) {
        if (tag_of(estimate) != first) return one_tag_each;
    }
    return first;
}

void put_outcome(Bytes& into, models::Metrics const& metrics) {
    sim::expects(metrics.size() < 65536, "a result has fewer than 65,536 metrics");
    std::uint8_t const common = common_tag(metrics);
    sim::wire::put(into, feasible, static_cast<std::uint16_t>(metrics.size()), common);
    for (auto const& estimate : metrics) {
        std::uint8_t const tag = tag_of(estimate);
        if (common == one_tag_each) sim::wire::put(into, tag);
        sim::wire::put(into, estimate.value);
        if ((tag & ((tag & first_mixed) != 0 ? range_of_mixed : has_range)) != 0)
            sim::wire::put(into, estimate.lower, estimate.upper);
    }
}

void put_outcome(Bytes& into, models::Infeasible const& outcome) {
    bool const is_measured = outcome.violation < models::Infeasible::unmeasured;
    sim::wire::put(into, is_measured ? measured : infeasible, outcome.rule, outcome.reason);
    if (is_measured) sim::wire::put(into, outcome.violation);
}

void put_outcome(Bytes& into, models::Defect const& outcome) {
    sim::wire::put(into, static_cast<std::uint8_t>(first_defect + static_cast<std::uint8_t>(outcome.kind)),
                   outcome.what);
}

template <class T>
T need(std::optional<T> value) {
    if (!value) throw CodecError("an encoded result is truncated");
    return *std::move(value);
}

models::Fidelity take_fidelity(sim::wire::Reader& from) {
    auto const fidelity = need(from.take<std::uint8_t>());
    if (fidelity >= models::fidelity_names.size()) throw CodecError("an encoded result has an unknown fidelity");
    return static_cast<models::Fidelity>(fidelity);
}

models::Estimate take_estimate(sim::wire::Reader& from, std::uint8_t common) {
    std::uint8_t const tag = common == one_tag_each ? need(from.take<std::uint8_t>()) : common;
    bool const mixed = (tag & first_mixed) != 0;
    unsigned const range = mixed ? range_of_mixed : has_range;
    unsigned const number = (tag & ~range) - (mixed ? first_mixed - equal_kinds : 0U);
    if (number >= sim::all_bound_kinds.size() || (!mixed && number >= equal_kinds))
        throw CodecError("an encoded estimate has an unknown tag");
    double const value = need(from.take_double());
    models::Estimate estimate{value, value, value, sim::all_bound_kinds[number]};
    if ((tag & range) != 0) {
        estimate.lower = need(from.take_double());
        estimate.upper = need(from.take_double());
    }
    return estimate;
}

models::Outcome take_outcome(sim::wire::Reader& from) {
    std::uint8_t const kind = need(from.take<std::uint8_t>());
    if (kind == feasible) {
        models::Metrics metrics(need(from.take<std::uint16_t>()));
        std::uint8_t const common = need(from.take<std::uint8_t>());
        for (auto& estimate : metrics) estimate = take_estimate(from, common);
        return metrics;
    }
    if (kind == infeasible || kind == measured) {
        models::Infeasible refused{std::string(need(from.take_text())), std::string(need(from.take_text()))};
        if (kind == measured) refused.violation = need(from.take_double());
        if (std::isnan(refused.violation)) throw CodecError("an encoded violation is not a number");
        return refused;
    }
    auto const defect = static_cast<std::uint8_t>(kind - first_defect);
    if (defect > static_cast<std::uint8_t>(models::DefectKind::crash))
        throw CodecError("an encoded result has an unknown outcome");
    return models::Defect{std::string(need(from.take_text())), static_cast<models::DefectKind>(defect)};
}

Result take_result(sim::wire::Reader& from) {
    Result result;
    result.task.point = PointId{need(from.take<std::uint64_t>())};
    result.task.fidelity = take_fidelity(from);
    result.rank = static_cast<int>(need(from.take<std::uint32_t>()));
    result.seconds = need(from.take_double());
    result.outcome = take_outcome(from);
    return result;
}

/// The sum of kept and left-out points; nullopt if it exceeds `max`.
std::optional<std::uint64_t> sum_of(std::vector<Result> const& kept, std::vector<BlockSummary::Count> const& left_out,
                                    std::uint64_t max) {
    std::uint64_t sum = kept.size();
    for (auto const& count : left_out) {
        if (sum > max || count.points > max - sum) return std::nullopt;
        sum += count.points;
    }
    return sum <= max ? std::optional(sum) : std::nullopt;
}

/// Throws CodecError unless all kept points are among the `points` ids from `first` on.
void check_within(std::vector<Result> const& kept, std::uint64_t first, std::uint64_t points) {
    for (auto const& result : kept) {
        std::uint64_t const id = index_of(result.task.point);
        if (id < first || id - first >= points)
            throw CodecError("an encoded block keeps the result of a point outside the block");
    }
}

}  // namespace

void encode(Result const& result, Bytes& into) {
    sim::wire::put(into, result.task.point, result.task.fidelity, static_cast<std::uint32_t>(result.rank),
                   result.seconds);
    std::visit([&](auto const& outcome) { put_outcome(into, outcome); }, result.outcome);
}

void encode(std::span<Result const> results, Bytes& into) {
    for (auto const& result : results) encode(result, into);
}

void decode(std::span<std::byte const> bytes, std::vector<Result>& into) {
    for (sim::wire::Reader from(bytes); !from.empty();) into.push_back(take_result(from));
}

std::vector<Result> decode(std::span<std::byte const> bytes) {
    std::vector<Result> results;
    decode(bytes, results);
    return results;
}

void encode(std::span<BlockSummary::Count const> counts, Bytes& into) {
    sim::wire::put(into, static_cast<std::uint32_t>(counts.size()));
    for (auto const& count : counts) sim::wire::put(into, count.rule, count.points);
}

std::vector<BlockSummary::Count> decode_counts(sim::wire::Reader& from) {
    std::vector<BlockSummary::Count> counts;
    for (std::uint32_t left = need(from.take<std::uint32_t>()); left != 0; --left) {
        std::string rule(need(from.take_text()));
        counts.push_back({std::move(rule), need(from.take<std::uint64_t>())});
    }
    return counts;
}

void encode(BlockSummary const& summary, Bytes& into) {
    sim::wire::put(into, summary.block, summary.fidelity);
    encode(summary.left_out, into);
    encode(summary.kept, into);
}

BlockSummary decode_block(std::span<std::byte const> bytes) {
    sim::wire::Reader from(bytes);
    BlockSummary summary;
    summary.block = need(from.take<std::uint64_t>());
    summary.fidelity = take_fidelity(from);
    summary.left_out = decode_counts(from);
    while (!from.empty()) summary.kept.push_back(take_result(from));
    if (summary.block > ~std::uint64_t{0} / BlockSummary::ids)
        throw CodecError("an encoded block lies beyond the largest possible id");
    if (!sum_of(summary.kept, summary.left_out, BlockSummary::ids))
        throw CodecError("an encoded block has more points than ids");
    check_within(summary.kept, summary.block * BlockSummary::ids, BlockSummary::ids);
    return summary;
}

void encode(BlockPart const& part, Bytes& into) {
    sim::wire::put(into, part.first, part.points, part.fidelity);
    encode(part.left_out, into);
    encode(part.kept, into);
}

BlockPart decode_part(std::span<std::byte const> bytes) {
    sim::wire::Reader from(bytes);
    BlockPart part;
    part.first = need(from.take<std::uint64_t>());
    part.points = need(from.take<std::uint64_t>());
    part.fidelity = take_fidelity(from);
    part.left_out = decode_counts(from);
    while (!from.empty()) part.kept.push_back(take_result(from));
    if (part.points > BlockSummary::ids - part.first % BlockSummary::ids)
        throw CodecError("an encoded part of a block does not lie in one block");
    if (sum_of(part.kept, part.left_out, part.points) != part.points)
        throw CodecError("an encoded part of a block does not add up");
    check_within(part.kept, part.first, part.points);
    return part;
}

}  // namespace pimdse::dse::space
