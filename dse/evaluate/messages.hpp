#pragma once

#include "dse/evaluate/work.hpp"
#include "dse/task/answer_codec.hpp"

#include <cstddef>
#include <span>

namespace pimdse::dse::evaluate {

/// What travels between coordinator and worker, little-endian: a chunk is its number, fidelity and either a run of ids
/// or a list of them; a finished chunk, or part of one, is its number, its seconds and the encoded findings. Reading
/// throws CodecError.
[[nodiscard]] task::Bytes write_chunk(Chunk const& chunk);
[[nodiscard]] Chunk read_chunk(std::span<std::byte const> bytes);
[[nodiscard]] task::Bytes write_finished(FinishedChunk const& finished);
[[nodiscard]] FinishedChunk read_finished(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::evaluate
