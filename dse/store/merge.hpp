#pragma once

#include "dse/store/result_file.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::store {

/// Whether files whose runs have more to do may be merged; what comes out is unfinished, too.
enum class Unfinished : std::uint8_t { refuse, accept };

/// Joins files of one space. Throws InputError when they are of different spaces or objectives and MismatchError,
/// naming the point, the metric and both files, when two give different answers to one task; when they were computed
/// from different inputs; and when one is unfinished. Points that were evaluated and not kept are added up: the files'
/// blocks of ids must not overlap then. The provenance names all of their runs, and its state is
/// "shards missing" where shards of a search are in none of the files.
[[nodiscard]] ResultFile merge(std::vector<ResultFile> files, Unfinished unfinished = Unfinished::refuse);

}  // namespace pimdse::dse::store
