#pragma once

#include "dse/store/result_file.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::store {

/// Whether files of unfinished runs may be merged; the merged file is unfinished, too.
enum class Unfinished : std::uint8_t { refuse, accept };

/// Merges files of one space. Throws InputError if their spaces or objectives differ. Throws MismatchError if two files
/// have different results for one task (the message names the point, the metric and both files), if they were computed
/// from different inputs, or if one is unfinished. The numbers of points that were evaluated but not kept are added up;
/// the files' blocks of ids must not overlap in this case. The provenance names all runs; its state is "shards missing"
/// if none of the files has some shard of a search.
[[nodiscard]] ResultFile merge(std::vector<ResultFile> files, Unfinished unfinished = Unfinished::refuse);

}  // namespace pimdse::dse::store
