#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/certificate.hpp"

#include <optional>
#include <vector>

namespace pimdse::dse::explain {

/// How a search with a certificate was done with a point.
struct Closing {
    enum class Way : std::uint8_t { answered, closed, twin, open, infeasible };
    Way way = Way::answered;
    std::optional<task::PointId> by{};  ///< the witness of a closed point; the one whose answer a twin has
    std::vector<double> best{};         ///< of a closed point: what it could reach at best, as metrics
};

[[nodiscard]] Closing closing_of(task::Certificate const& certificate, answers::ResultStore const& store,
                                 task::PointId point);

[[nodiscard]] std::string_view name_of(Closing::Way way);

}  // namespace pimdse::dse::explain
