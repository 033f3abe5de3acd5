#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/front.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/provenance.hpp"
#include "dse/store/value_column.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// A result file read back. `columns.decode` knows the ids in the file. The names, units and meanings are those of the
/// file, so no architecture is needed; a permutation is read as a choice among the orderings in the file.
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
    std::string statement{};  ///< of the certificate, as the file states it

    /// One value per parameter of the answer in this row.
    [[nodiscard]] std::vector<models::Value> point(search::ResultStore::Row row) const;
};

/// How many points the run meant to ask for; of a file that does not say, all of its space.
[[nodiscard]] std::uint64_t planned_points(ResultFile const& file);

/// Points that the file's searches planned and that are not in it: shards that were not merged, or what a stopped run
/// did not come to. 0 where searches did not plan ahead.
[[nodiscard]] std::uint64_t missing_points(ResultFile const& file);

/// Which metrics a reader wants, one entry each, from all that a file says of its answers but the answers.
using WantedMetrics = std::function<std::vector<bool>(space::Columns const&)>;

/// Throws InputError when there is no such file or it is no result file, StorageError when it is damaged. Metrics that
/// are not wanted are NaN in the store, and take neither time nor memory.
[[nodiscard]] ResultFile load_result_file(std::filesystem::path const& path, WantedMetrics const& wanted = nullptr);

/// The columns of a file without its rows; choices that are files of the user's own have the names in the file. Has no
/// `objectives` and no `decode`. Throws as load_result_file.
[[nodiscard]] space::Columns load_columns(std::filesystem::path const& path);

/// All metrics of some answers of a file and its parts; nothing where a task is not there or its point is not ok.
/// Throws as load_result_file.
[[nodiscard]] std::vector<models::Metrics> load_metrics(std::filesystem::path const& path,
                                                        std::vector<space::Task> const& tasks);

/// Tries `read` in a copy of this process first, with limits on memory and time that are generous for a file of so many
/// bytes: libraries crash or hang on some damaged files, and that must not end this process. Throws what `read` throws
/// (InputError, or StorageError for anything else) and StorageError where the copy died. For a caller with one thread.
void try_apart(std::filesystem::path const& file, std::uint64_t bytes, std::function<void()> const& read);

}  // namespace pimdse::dse::store
