#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/front/front.hpp"
#include "dse/store/durable_file.hpp"
#include "dse/store/result/provenance.hpp"
#include "dse/store/result/value_column.hpp"
#include "dse/store/storage_error.hpp"
#include "dse/task/certificate.hpp"
#include "dse/task/columns.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store::result {

/// A result file read back. `columns.decode` knows the ids in the file. The names, units and meanings are those of the
/// file, so no architecture is needed; a permutation is read as a choice among the orderings in the file.
struct ResultFile {
    std::filesystem::path path;
    task::Columns columns;
    answers::ResultStore store;
    std::string digest;                ///< as the file states it
    std::vector<task::PointId> front;  ///< as the file states it
    models::Fidelity front_fidelity = models::Fidelity::analytic;
    front::FrontHistory history;                        ///< as the file states it
    std::map<std::string, std::uint64_t> stated_rules;  ///< points per rule, as the file states them
    Provenance provenance;
    std::vector<ValueColumn> values;  ///< per parameter, per store row
    std::optional<task::Certificate> certificate{};
    std::string statement{};  ///< of the certificate, as the file states it

    /// One value per parameter of the answer in this row.
    [[nodiscard]] std::vector<models::Value> point(answers::ResultStore::Row row) const;
};

/// How many points the run meant to ask for; of a file that does not say, all of its space.
[[nodiscard]] std::uint64_t planned_points(ResultFile const& file);

/// Points that the file's searches planned and that are not in it: shards that were not merged, or what a stopped run
/// did not come to. 0 where searches did not plan ahead.
[[nodiscard]] std::uint64_t missing_points(ResultFile const& file);

/// Which metrics a reader wants, one entry each, from all that a file says of its answers but the answers.
using WantedMetrics = std::function<std::vector<bool>(task::Columns const&)>;

/// Throws InputError when there is no such file or it is no result file, StorageError when it is damaged. Metrics that
/// are not wanted are NaN in the store, and take neither time nor memory.
[[nodiscard]] ResultFile load_result_file(std::filesystem::path const& path, WantedMetrics const& wanted = nullptr);

/// All metrics of some answers of a file and its parts; nothing where a task is not there or its point is not ok.
/// Throws as load_result_file.
[[nodiscard]] std::vector<models::Metrics> load_metrics(std::filesystem::path const& path,
                                                        std::vector<task::Task> const& tasks);

}  // namespace pimdse::dse::store::result
