#pragma once

#include "models/chips/links.hpp"
#include "models/text/operator_cost.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace pimdse::dse::cli {

/// A collective of the devices of a group, started by a program of the devices or by the library of a host (NCCL).
struct CollectiveShape {
    models::chips::Collective collective = models::chips::Collective::all_reduce;
    std::int64_t devices = 1;
    double bytes = 0.0;
    models::chips::Starter starter = models::chips::Starter::program;
    bool called = false;  ///< one by one by a host, whose call it waits for, instead of in a recorded graph
};

using OperatorQuestion = std::variant<models::text::OperatorShape, CollectiveShape>;

/// Reads "product m=64 k=4096 n=6144". Throws InputError in one sentence.
[[nodiscard]] OperatorQuestion read_operator(std::string_view text);
/// The operators with their keys, those with a default in brackets.
[[nodiscard]] std::string operator_grammar();

}  // namespace pimdse::dse::cli
