#pragma once

#include "dse/run/transport.hpp"
#include "dse/space/result.hpp"

#include <cstddef>
#include <span>

namespace pimdse::dse::run {

/// Messages between coordinator and workers, little-endian. A chunk is its number, its fidelity and either a run of
/// consecutive ids or a list of ids. A finished chunk, or a part of one, is its number, its seconds and the encoded
/// results. The read functions throw CodecError.
[[nodiscard]] space::Bytes write_chunk(Chunk const& chunk);
[[nodiscard]] Chunk read_chunk(std::span<std::byte const> bytes);
[[nodiscard]] space::Bytes write_finished(FinishedChunk const& finished);
[[nodiscard]] FinishedChunk read_finished(std::span<std::byte const> bytes);

}  // namespace pimdse::dse::run
