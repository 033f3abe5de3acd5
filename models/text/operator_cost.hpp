#pragma once

#include "models/contract/outcome.hpp"
#include "models/text/cost.hpp"
#include "models/text/prepared.hpp"

#include <cstdint>
#include <string>

/// One operator of a machine alone, as programs that measure kernels run it (docs/generated/accuracy.md).
namespace pimdse::models::text {

/// How a router spreads tokens over experts: each chooses for itself, all experts alike; all experts have as many; or
/// the tokens of an expert follow a power law of the range that AIConfigurator's tables draw from (2026). No expert has
/// a token twice, and one with less than a token in the mean is touched in so many of all steps.
struct Routing {
    enum class Kind : std::uint8_t { uniform, balanced, power_law };
    Kind kind = Kind::uniform;
    double exponent = 1.0;
};

/// Experts that `tokens` tokens touch, of which each chooses `active` of `experts`.
[[nodiscard]] double touched_by(Routing const& routing, double tokens, double experts, double active);

/// A question for one operator. Shapes are counts.
struct OperatorShape {
    enum class Kind : std::uint8_t { product, attention, experts };
    Kind kind = Kind::product;
    double m = 0.0, k = 0.0, n = 0.0;  ///< product: m x k times k x n
    /// Attention of `queries` positions of each of `batch` sequences to `keys` positions each, their own included.
    double batch = 0.0, queries = 1.0, keys = 0.0;
    std::int64_t heads = 0, kv_heads = 0, head_width = 0;
    /// Experts: `tokens` of width `hidden`, each by `active` of `experts` with gate, up and down of `ffn`.
    double tokens = 0.0, hidden = 0.0, ffn = 0.0, experts = 0.0, active = 0.0;
    Routing routing;
    bool repeated = false;  ///< run before with the same operands, which a cache may still have
};

/// What an operator takes.
struct OperatorCost {
    double seconds = 0.0;
    /// s, proved: operations and bytes at the figures of the data sheet, from main memory; operations alone if a
    /// cache has what is `repeated`.
    double lower = 0.0;
    double spread = 0.0;  ///< factor within which measured kernels lie of `seconds`; 0: the machine states none
    double bytes = 0.0;   ///< of weights, keys and values
    /// The memory of `hold.repeated` has room for half of them at least: a measured time may be below `lower`, and not
    /// below `arithmetic` (s), the bound of operations alone.
    bool cached = false;
    double arithmetic = 0.0;
    std::string limit;  ///< the component that it waits for, or "the time of a kernel"
};

/// Precondition: counts are above 0. Infeasible if the machine does not compute in the format of the point.
[[nodiscard]] std::variant<OperatorCost, Infeasible> operator_cost(Prepared const& prepared, Point point,
                                                                   OperatorShape const& shape);

}  // namespace pimdse::models::text
