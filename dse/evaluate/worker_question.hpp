#pragma once

#include "dse/task/answer_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::evaluate {

/// When a child writes what it has: every answer at once, so that the first one missing is the point that killed it, or
/// many together.
enum class Telling : std::uint8_t { each_at_once, together };

/// What a worker process must know before it can answer.
struct WorkerQuestion {
    Telling telling = Telling::together;
    std::vector<int> lines;  ///< descriptors by which it is asked
    std::string space_text, space_name;
    std::vector<std::pair<std::string, std::string>> overrides;  ///< of the space's text
    std::vector<std::string> objectives;
};

[[nodiscard]] task::Bytes write_question(WorkerQuestion const& question);
/// Throws CodecError.
[[nodiscard]] WorkerQuestion read_question(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::evaluate
