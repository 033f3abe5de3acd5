#pragma once

#include "dse/store/result/result_file.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse {

/// Whether files whose runs have more to do may be merged; what comes out is unfinished, too.
enum class Unfinished : std::uint8_t { refuse, accept };

/// Joins files of one space. Throws InputError when they are of different spaces or objectives and MismatchError,
/// naming the point, the metric and both files, when two give different answers to one task; when they were computed
/// from different inputs; and when one is unfinished. Points that were evaluated and not kept are added up: the files'
/// blocks of ids must not overlap then. The provenance names all of their runs.
[[nodiscard]] ResultFile merge(std::vector<ResultFile> files, Unfinished unfinished = Unfinished::refuse);

/// A metric that two files give differently for the same task; `metric` is npos where the statuses differ.
struct Difference {
    static constexpr std::size_t status_differs = static_cast<std::size_t>(-1);
    Task task;
    std::size_t metric = status_differs;
    double left = 0.0, right = 0.0;
    std::string left_status, right_status;
};

struct Comparison {
    std::vector<PointId> gained, lost;        ///< on the front of the right, of the left only
    std::vector<Task> only_left, only_right;  ///< answered in one file only
    std::vector<Difference> differences;
    std::vector<std::string> columns;  ///< what the files say differently of their columns and parameters, in sentences
    std::optional<std::string> input;  ///< a file that had changed between the two; says nothing of the answers
    [[nodiscard]] bool equal() const {
        return gained.empty() && lost.empty() && only_left.empty() && only_right.empty() && differences.empty() &&
               columns.empty();
    }
};
/// Compares what two files of one space say. `relative` = 0 compares bits; otherwise |left - right| <= relative *
/// |left| passes.
[[nodiscard]] Comparison compare(ResultFile const& left, ResultFile const& right, double relative = 0.0);

/// Recomputes the digest, the front and its history, the counts of rules and blocks of a file; one sentence per
/// mismatch, none if it holds together.
[[nodiscard]] std::vector<std::string> check_consistency(ResultFile const& file);

/// `count` rows of the file to be evaluated again, drawn by hash of (seed, counter); all of them if there are fewer.
[[nodiscard]] std::vector<ResultStore::Row> sample_rows(ResultFile const& file, std::size_t count, std::uint64_t seed);

}  // namespace pimdse::dse
