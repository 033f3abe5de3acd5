#include "dse/result_file.hpp"

#include "dse/foreign_file.hpp"
#include "dse/hdf5.hpp"
#include "dse/metric_rows.hpp"
#include "dse/open_block_table.hpp"
#include "dse/parameter_column.hpp"
#include "dse/result_schema.hpp"
#include "dse/seal_head.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace pimdse::dse {
namespace {

using hdf5::Group;

constexpr std::size_t most_objectives = 6;

constexpr std::uint64_t rows_at_once = 65536;

/// Reads one file; what is inconsistent in it is damage.
class FileReader {
  public:
    FileReader(std::filesystem::path const& path, Group root) : path_(path), root_(std::move(root)) {}

    ResultFile read() {
        check_schema();
        read_index();
        read_parameters();
        read_metrics();
        ResultFile file{path_, std::move(columns_), ResultStore(metrics_.size()), {}, {}, {}, {}, {}, {}, std::move(values_)};
        read_head(file.columns);
        file.digest = root_.text("digest");
        read_front(file);
        fill(file.store);
        restore_left_out(file);
        restore_blocks(file.store);
        restore_open_blocks(file.store);
        file.provenance = read_provenance(root_);
        file.columns.decode = decoder_of(file.store, file.values);
        return file;
    }

  private:
    [[noreturn]] void damaged(std::string const& what) const { root_.damaged(what); }

    void check_schema() const {
        if (!root_.has_attribute("schema"))
            throw sim::InputError(fmt::format("{} is no result file of pimdse (it has no schema)", path_.string()));
        if (auto const found = root_.number("schema"); found < schema::oldest_version || found > schema::version) {
            throw sim::InputError(fmt::format("{} has schema {} (this program reads schemas {} to {}). Was it written by a newer version?", path_.string(),
                                              found, schema::oldest_version, schema::version));
        }
    }

    hdf5::Column opened_column(Group const& group, std::string const& name) const {
        auto opened = group.open_column(name);
        if (opened.rows() != rows_) damaged(fmt::format("{} has {} rows, not {}", name, opened.rows(), rows_));
        return opened;
    }

    template <class T>
    std::vector<T> column(Group const& group, std::string const& name) const {
        return opened_column(group, name).read<T>();
    }

    void read_index() {
        auto const ids = root_.open_column("point_id");
        if (ids.rows() >= std::numeric_limits<ResultStore::Row>::max()) damaged(fmt::format("{} rows are more than a file can have", ids.rows()));
        points_ = ids.read<std::uint64_t>();
        rows_ = points_.size();
        check_ids();
        fidelities_ = column<std::uint8_t>(root_, "fidelity");
        statuses_ = column<std::uint8_t>(root_, "status");
        auto const beyond = [](std::vector<std::uint8_t> const& flags, std::size_t count) {
            return std::any_of(flags.begin(), flags.end(), [&](std::uint8_t flag) { return flag >= count; });
        };
        if (beyond(fidelities_, models::fidelity_names.size()) || beyond(statuses_, status_names.size()))
            damaged("unknown fidelity or status");
    }

    /// Every id is one of the space, where its size is known.
    void check_ids() const {
        std::uint64_t const size = root_.number("points_in_space");
        auto const beyond = std::find_if(points_.begin(), points_.end(), [&](std::uint64_t id) { return size != 0 && id >= size; });
        if (beyond != points_.end()) damaged(fmt::format("point {} is beyond the {} points of its space", *beyond, size));
    }

    /// The names of the columns in a group.
    std::vector<std::string> names_of(Group const& group) const {
        auto names = group.texts("names");
        std::unordered_set<std::string_view> known;
        for (auto const& name : names) {
            if (name.empty() || name.find('/') != std::string::npos) damaged(fmt::format("'{}' is no name of a column", name));
            if (!known.insert(name).second) damaged(fmt::format("{} is there twice", name));
        }
        return names;
    }

    void read_head(Columns& columns) const {
        columns.architecture = root_.text("architecture");
        columns.seed = root_.number("seed");
        columns.space_text = root_.text("space");
        columns.canonical_text = root_.text("canonical_space");
        columns.points = root_.number("points_in_space");
        read_inputs(columns);
    }

    void read_inputs(Columns& columns) const {
        bool const as_attributes = root_.has_attribute("input_files");   // in files of version 1
        auto const names = as_attributes ? root_.texts("input_files") : root_.open_group("inputs").open_column("file").read_texts();
        auto const sums = as_attributes ? root_.texts("input_sha256") : root_.open_group("inputs").open_column("sha256").read_texts();
        if (names.size() != sums.size()) damaged("some input has no sum, or some sum no input");
        for (std::size_t i = 0; i < names.size(); ++i) columns.input_hashes.emplace_back(names[i], sums[i]);
    }

    void read_parameters() {
        auto const group = root_.open_group("parameters");
        for (auto const& name : names_of(group)) {
            auto const opened = group.open_column(name);
            if (opened.rows() != rows_) damaged(fmt::format("parameter {} has {} rows, not {}", name, opened.rows(), rows_));
            columns_.parameters.push_back(read_parameter(root_, name, opened));
            values_.push_back(read_values(columns_.parameters.back(), opened));
        }
    }

    void read_metrics() {
        auto const group = root_.open_group("metrics");
        auto const bounds = root_.open_group("bounds");
        for (auto const& name : names_of(group)) {
            auto const opened = group.open_column(name);
            models::Metric metric;
            metric.name = name;
            metric.unit = opened.text("unit");
            metric.meaning = opened.text("meaning");
            metric.better = schema::sense_named(opened.text("better"));
            metric.assumed = opened.number("assumed") != 0;
            columns_.metrics.push_back(std::move(metric));
            metrics_.emplace_back(opened_column(group, name), opened_column(bounds, name + "_low"), opened_column(bounds, name + "_high"),
                                  opened_column(bounds, name + "_kind"));
        }
    }

    void read_front(ResultFile& file) const {
        auto const group = root_.open_group("front");
        auto const names = group.texts("objectives");
        auto const senses = group.texts("better");
        if (names.size() != senses.size() || names.size() > most_objectives) damaged("objectives without a sense, or too many of them");
        for (std::size_t i = 0; i < names.size(); ++i) {
            int const metric = models::find_metric(file.columns.metrics, names[i]);
            if (metric < 0) damaged(fmt::format("objective {} is not among the metrics", names[i]));
            auto const better = schema::sense_named(senses[i]);
            if (better == models::Sense::none) damaged(fmt::format("objective {} is neither minimized nor maximized", names[i]));
            file.columns.objectives.push_back({static_cast<std::size_t>(metric), better});
        }
        for (auto const id : group.open_column("ids").read<std::uint64_t>()) file.front.push_back(PointId{id});
        auto const fidelity = group.text("fidelity");
        auto const found = std::find(models::fidelity_names.begin(), models::fidelity_names.end(), fidelity);
        if (found == models::fidelity_names.end()) damaged("unknown fidelity of the front");
        file.front_fidelity = static_cast<models::Fidelity>(found - models::fidelity_names.begin());
        if (group.has("history")) read_history(group.open_group("history"), file.history);
    }

    static void read_history(Group const& group, FrontHistory& history) {
        history.ids_per_row = group.number("ids_per_row");
        history.first_id = group.open_column("first_id").read<std::uint64_t>();
        history.evaluations = group.open_column("evaluations").read<std::uint64_t>();
        history.hypervolume = group.open_column("hypervolume").read<double>();
        history.size = group.open_column("size").read<std::uint64_t>();
        history.box.ideal = group.reals("ideal_point");
        history.box.reference = group.reals("reference_point");
    }

    void fill(ResultStore& store) {
        auto const failures = root_.open_group("failures");
        auto const rules = failures.open_column("rule").read_texts();
        auto const reasons = failures.open_column("reason").read_texts();
        auto const timing = root_.open_group("timing");
        auto const all_seconds = opened_column(timing, "seconds");
        auto const all_ranks = opened_column(timing, "rank");
        std::vector<double> seconds;
        std::vector<std::int32_t> ranks;
        std::size_t failed = 0;
        for (std::size_t row = 0; row < rows_; ++row) {
            std::size_t const i = row % rows_at_once;
            if (i == 0) {
                auto const count = std::min<std::uint64_t>(rows_at_once, rows_ - row);
                seconds = all_seconds.read<double>(row, count);
                ranks = all_ranks.read<std::int32_t>(row, count);
                for (auto& metric : metrics_) metric.go_to(row, count);
            }
            Answer answer{{PointId{points_[row]}, static_cast<models::Fidelity>(fidelities_[row])}, {}, seconds[i], ranks[i]};
            auto const status = static_cast<Status>(statuses_[row]);
            if (status == Status::ok) {
                answer.outcome = metrics_in(i);
            } else {
                if (failed >= rules.size() || failed >= reasons.size()) damaged("/failures has fewer rows than there are failures");
                answer.outcome = failure(status, rules[failed], reasons[failed]);
                ++failed;
            }
            if (store.insert(answer) != ResultStore::Insertion::added) damaged(fmt::format("point {} is there twice", points_[row]));
        }
        if (failed != rules.size() || failed != reasons.size()) damaged("/failures has more rows than there are failures");
        check_failures(failures);
    }

    void restore_open_blocks(ResultStore& store) const {
        try {
            tables::read_open_blocks(root_, store);
        } catch (CodecError const& error) {
            damaged(error.what());
        }
    }

    /// /failures repeats point and fidelity of the rows that are not ok, in their order.
    void check_failures(Group const& failures) const {
        auto const points = failures.open_column("point_id").read<std::uint64_t>();
        auto const fidelities = failures.open_column("fidelity").read<std::uint8_t>();
        std::size_t failed = 0;
        for (std::size_t row = 0; row < rows_; ++row) {
            if (static_cast<Status>(statuses_[row]) == Status::ok) continue;
            bool const same = failed < points.size() && failed < fidelities.size() && points[failed] == points_[row] && fidelities[failed] == fidelities_[row];
            if (!same) damaged(fmt::format("/failures does not say why point {} failed", points_[row]));
            ++failed;
        }
        if (failed != points.size() || failed != fidelities.size()) damaged("/failures has more rows than there are failures");
    }

    /// Where only fronts were kept: which blocks of ids are done.
    void restore_blocks(ResultStore& store) const {
        if (!root_.has("blocks")) return;
        auto const group = root_.open_group("blocks");
        auto const blocks = group.open_column("block").read<std::uint64_t>();
        auto const fidelities = group.open_column("fidelity").read<std::uint8_t>();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (fidelities.size() != blocks.size() || points.size() != blocks.size()) damaged("/blocks has columns of different length");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (fidelities[i] >= models::fidelity_names.size()) damaged("unknown fidelity of a block");
            if (points[i] > BlockSummary::ids) damaged(fmt::format("block {} has {} points, more than its ids", blocks[i], points[i]));
            if (!store.add_block(blocks[i], static_cast<models::Fidelity>(fidelities[i]), points[i])) damaged(fmt::format("block {} is there twice", blocks[i]));
        }
    }

    /// Points that a block's front left out are only counted in a file.
    void restore_left_out(ResultFile& file) const {
        ResultStore& store = file.store;
        auto const group = root_.open_group("rules");
        auto const names = group.open_column("rule").read_texts();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (names.size() != points.size()) damaged("/rules has columns of different length");
        for (std::size_t i = 0; i < names.size(); ++i) file.stated_rules[names[i]] += points[i];
        std::uint64_t const evaluated = root_.number("evaluated");
        if (evaluated == store.size()) return;
        if (evaluated < store.size()) damaged(fmt::format("{} answers are said to be all of {}", evaluated, store.size()));
        std::vector<BlockSummary::Count> left_out;
        std::uint64_t dominated = evaluated - std::min<std::uint64_t>(evaluated, store.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto const& kept = store.counts_per_rule();
            std::uint64_t const rows = kept.contains(names[i]) ? kept.at(names[i]) : 0;
            if (points[i] <= rows) continue;
            left_out.push_back({names[i], points[i] - rows});
            dominated -= std::min(dominated, points[i] - rows);
        }
        if (dominated != 0) left_out.push_back({"", dominated});
        store.add_left_out(left_out);
    }

    /// Row `i` of those that are in memory.
    models::Metrics metrics_in(std::size_t i) const {
        models::Metrics metrics;
        metrics.reserve(metrics_.size());
        for (auto const& metric : metrics_) metrics.push_back(metric.estimate(i));
        return metrics;
    }

    static models::Outcome failure(Status status, std::string const& rule, std::string const& reason) {
        if (status == Status::infeasible) return models::Infeasible{rule, reason};
        return models::Defect{reason,
                              static_cast<models::DefectKind>(static_cast<unsigned>(status) - static_cast<unsigned>(Status::exception))};
    }

    std::filesystem::path const& path_;
    Group root_;
    std::size_t rows_ = 0;
    std::vector<std::uint64_t> points_;
    std::vector<std::uint8_t> fidelities_, statuses_;
    std::vector<MetricRows> metrics_;
    std::vector<ValueColumn> values_;
    Columns columns_;
};

}  // namespace

std::vector<models::Value> ResultFile::point(ResultStore::Row row) const {
    std::vector<models::Value> point;
    for (auto const& column : values) point.push_back(column[row]);
    return point;
}

ResultFile load_result_file(std::filesystem::path const& path) {
    if (!std::filesystem::exists(path)) throw sim::InputError(fmt::format("{} is not there", path.string()));
    if (!std::filesystem::is_regular_file(path)) throw sim::InputError(fmt::format("{} is no file", path.string()));
    DurableFile const file(path, DurableFile::Mode::read);
    auto const read = [&] { return FileReader(path, hdf5::File::open(path, file.place()).root()).read(); };
    if (check_seal(file) == Seal::none) try_apart(path, file.size(), [&] { (void)read(); });
    return read();
}

}  // namespace pimdse::dse
