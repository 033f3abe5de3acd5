#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/front.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/provenance.hpp"
#include "dse/store/value_column.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::store {

/// The contents of a result file. `columns.decode` accepts the ids in the file. Names, units and meanings are those of
/// the file, so no architecture is needed; a permutation is read as a choice among the orderings in the file.
struct ResultFile {
    std::filesystem::path path;
    space::Columns columns;
    search::ResultStore store;
    std::string digest;                 ///< as the file states it
    std::vector<space::PointId> front;  ///< as the file states it
    models::Fidelity front_fidelity = models::Fidelity::analytic;
    search::FrontHistory history;                       ///< as the file states it
    std::map<std::string, std::uint64_t> stated_rules;  ///< points per rule, as the file states them
    Provenance provenance;
    std::vector<ValueColumn> values;  ///< per parameter, per store row
    std::optional<search::Certificate> certificate{};
    std::string statement{};                      ///< of the certificate, as the file states it
    std::optional<search::RobustFront> robust{};  ///< under draws of uncertain constants

    /// The point of this row, one value per parameter.
    [[nodiscard]] std::vector<models::Value> point(search::Row row) const;
};

/// Number of points that the run planned to evaluate; the size of the space if the file does not state it.
[[nodiscard]] std::uint64_t planned_points(ResultFile const& file);

/// Number of points that the file's searches planned but that are not in the file: shards that were not merged, or
/// points that a stopped run did not reach. 0 if the searches did not plan ahead.
[[nodiscard]] std::uint64_t missing_points(ResultFile const& file);

/// Selects the metrics to read: given the columns of a file, returns one entry per metric.
using WantedMetrics = std::function<std::vector<bool>(space::Columns const&)>;

/// Selects no metric.
[[nodiscard]] inline std::vector<bool> no_metrics(space::Columns const& columns) {
    return std::vector<bool>(columns.metrics.size(), false);
}

/// Reads a result file. Throws InputError if it does not exist or is not a result file, StorageError if it is damaged.
/// Metrics that are not wanted are NaN in the store and cost neither time nor memory.
[[nodiscard]] ResultFile load_result_file(std::filesystem::path const& path, WantedMetrics const& wanted = nullptr);

/// The columns of a file without its rows and without `objectives` and `decode`. Choices that are the user's own files
/// have the names stated in the file. Throws as load_result_file.
[[nodiscard]] space::Columns load_columns(std::filesystem::path const& path);

/// All metrics of some tasks, from a file and its parts; empty if the file does not have the task or its point is not
/// ok. Throws as load_result_file.
[[nodiscard]] std::vector<models::Metrics> load_metrics(std::filesystem::path const& path,
                                                        std::vector<space::Task> const& tasks);

/// Calls `read` in a copy of this process, with limits on memory and time that are generous for a file of `bytes`
/// bytes: libraries crash or hang on some damaged files, which must not end this process. Throws the error of `read`
/// (InputError, or StorageError for any other one), and StorageError if the copy died. The caller must have one thread.
void try_apart(std::filesystem::path const& file, std::uint64_t bytes, std::function<void()> const& read);

}  // namespace pimdse::dse::store
