#pragma once

#include "dse/answers/result_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::answers {

/// What is said of the points that broke one rule, or failed in one way.
struct FailureKind {
    std::string rule;
    std::uint64_t points = 0;
    std::optional<ResultStore::Row> example;  ///< none where fronts are kept and no row is of this kind
};

/// The rule that an infeasible row breaks; of other failures their class.
[[nodiscard]] std::string_view failure_of(ResultStore const& store, ResultStore::Row row);

/// The commonest first; the example is the one with the smallest id.
[[nodiscard]] std::vector<FailureKind> failure_kinds(ResultStore const& store);

}  // namespace pimdse::dse::answers
