#pragma once

#include "dse/run/transport.hpp"
#include "dse/space/result.hpp"

#include <cstddef>
#include <span>

namespace pimdse::dse::run {

/// What travels between coordinator and worker, little-endian: a chunk is its number, fidelity and either a run of ids
/// or a list of them; a finished chunk, or part of one, is its number, its seconds and the encoded results. Reading
/// throws CodecError.
[[nodiscard]] space::Bytes write_chunk(Chunk const& chunk);
[[nodiscard]] Chunk read_chunk(std::span<std::byte const> bytes);
[[nodiscard]] space::Bytes write_finished(FinishedChunk const& finished);
[[nodiscard]] FinishedChunk read_finished(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::run
