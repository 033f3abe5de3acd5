#include "dse/store/result/result_file.hpp"

#include "dse/store/hdf5/file.hpp"
#include "dse/store/own_files.hpp"
#include "dse/store/result/certificate_table.hpp"
#include "dse/store/result/foreign_file.hpp"
#include "dse/store/result/open_block_table.hpp"
#include "dse/store/result/result_parts.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/store/result/row_reader.hpp"
#include "dse/store/result/seal_head.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <charconv>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace pimdse::dse::store::result {
namespace {

using hdf5::Group;

constexpr std::size_t most_objectives = 6;

/// Calls `read` with the root of a file that was checked first: a sealed one by its sum, another one in a copy of this
/// process.
void with_file(std::filesystem::path const& path, std::function<void(hdf5::Group const&)> const& read) {
    DurableFile const file(path, DurableFile::Mode::read);
    auto const open = [&] { read(hdf5::File::open(path, file.place()).root()); };
    if (check_seal(file) == Seal::none) try_apart(path, file.size(), open);
    open();
}

/// Where a part of this master lies. Throws StorageError if it is not there.
std::filesystem::path place_of(Part const& part, std::filesystem::path const& master) {
    auto place = parts_directory(destination_of(master)) / part.file;
    if (std::filesystem::exists(place)) return place;
    throw StorageError(
        place, fmt::format("{} is not there: it has {} of the answers of {}. Was the directory {} left "
                           "behind when the file was moved?",
                           place.string(), part.rows, master.string(), place.parent_path().filename().string()));
}

/// Reads one file; what is inconsistent in it is damage.
class FileReader {
  public:
    FileReader(std::filesystem::path const& path, hdf5::Group const& root, WantedMetrics const& wanted)
        : path_(path), root_(root), wanted_(wanted) {}

    ResultFile read() {
        check_schema();
        RowReader rows(root_);
        ResultFile file{path_, {}, answers::ResultStore(rows.metrics().size()),       {}, {}, {}, {},
                        {},    {}, std::vector<ValueColumn>(rows.parameters().size())};
        file.columns.parameters = rows.parameters();
        file.columns.metrics = rows.metrics();
        file.columns.machines = rows.machines();
        read_head(file.columns);
        file.digest = root_.text("digest");
        read_front(file);
        file.certificate = tables::read_certificate(root_, file.columns);
        if (file.certificate) file.statement = root_.open_group("certificate").text("statement");
        if (wanted_) rows.read_only(wanted_(file.columns));
        rows.read(file.store, file.values);
        read_parts(file);
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
            throw sim::InputError(fmt::format(
                "{} has schema {} (this program reads schemas {} to {}). Was it written by a newer version?",
                path_.string(), found, schema::oldest_version, schema::version));
        }
    }

    void read_head(task::Columns& columns) const {
        columns.architecture = root_.text("architecture");
        columns.seed = root_.number("seed");
        columns.space_text = root_.text("space");
        columns.canonical_text = root_.text("canonical_space");
        columns.points = root_.number("points_in_space");
        read_inputs(columns);
    }

    void read_inputs(task::Columns& columns) const {
        bool const as_attributes = root_.has_attribute("input_files");  // in files of version 1
        auto const names =
            as_attributes ? root_.texts("input_files") : root_.open_group("inputs").open_column("file").read_texts();
        auto const sums =
            as_attributes ? root_.texts("input_sha256") : root_.open_group("inputs").open_column("sha256").read_texts();
        if (names.size() != sums.size()) damaged("some input has no sum, or some sum no input");
        for (std::size_t i = 0; i < names.size(); ++i) columns.input_hashes.emplace_back(names[i], sums[i]);
    }

    void read_front(ResultFile& file) const {
        auto const group = root_.open_group("front");
        auto const names = group.texts("objectives");
        auto const senses = group.texts("better");
        if (names.size() != senses.size() || names.size() > most_objectives)
            damaged("objectives without a sense, or too many of them");
        for (std::size_t i = 0; i < names.size(); ++i) {
            int const metric = models::find_metric(file.columns.metrics, names[i]);
            if (metric < 0) damaged(fmt::format("objective {} is not among the metrics", names[i]));
            auto const better = schema::sense_named(senses[i]);
            if (better == models::Sense::none)
                damaged(fmt::format("objective {} is neither minimized nor maximized", names[i]));
            file.columns.objectives.push_back({static_cast<std::size_t>(metric), better});
        }
        for (auto const id : group.open_column("ids").read<std::uint64_t>()) file.front.push_back(task::PointId{id});
        auto const fidelity = group.text("fidelity");
        auto const found = std::find(models::fidelity_names.begin(), models::fidelity_names.end(), fidelity);
        if (found == models::fidelity_names.end()) damaged("unknown fidelity of the front");
        file.front_fidelity = static_cast<models::Fidelity>(found - models::fidelity_names.begin());
        if (group.has("history")) read_history(group.open_group("history"), file.history);
    }

    static void read_history(hdf5::Group const& group, front::FrontHistory& history) {
        history.ids_per_row = group.number("ids_per_row");
        history.first_id = group.open_column("first_id").read<std::uint64_t>();
        history.evaluations = group.open_column("evaluations").read<std::uint64_t>();
        history.hypervolume = group.open_column("hypervolume").read<double>();
        history.size = group.open_column("size").read<std::uint64_t>();
        history.box.ideal = group.reals("ideal_point");
        history.box.reference = group.reals("reference_point");
    }

    void restore_open_blocks(answers::ResultStore& store) const {
        try {
            tables::read_open_blocks(root_, store);
        } catch (task::CodecError const& error) {
            damaged(error.what());
        }
    }

    /// The rows that lie in other files.
    void read_parts(ResultFile& file) const {
        for (auto const& part : dse::store::result::read_parts(root_)) {
            with_file(place_of(part, path_), [&](hdf5::Group const& root) { read_part(root, part, file); });
        }
    }

    void read_part(hdf5::Group const& root, Part const& part, ResultFile& file) const {
        RowReader rows(root);
        auto const is_named = [](auto const& table, auto const& other) {
            return std::ranges::equal(
                table, other, {}, [](auto const& row) { return row.name; }, [](auto const& row) { return row.name; });
        };
        task::Columns theirs;
        FileReader(path_, root, wanted_).read_inputs(theirs);
        bool const same = same_space(root.text("canonical_space"), theirs.input_hashes, file.columns.canonical_text,
                                     file.columns.input_hashes) &&
                          is_named(rows.parameters(), file.columns.parameters) &&
                          is_named(rows.metrics(), file.columns.metrics);
        if (!same || rows.rows() != part.rows || root.text("digest") != part.digest)
            root.damaged(fmt::format("it is not the part that {} names", path_.string()));
        if (wanted_) rows.read_only(wanted_(file.columns));
        rows.read(file.store, file.values);
    }

    /// Where only fronts were kept: which blocks of ids are done.
    void restore_blocks(answers::ResultStore& store) const {
        if (!root_.has("blocks")) return;
        auto const group = root_.open_group("blocks");
        auto const blocks = group.open_column("block").read<std::uint64_t>();
        auto const fidelities = group.open_column("fidelity").read<std::uint8_t>();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (fidelities.size() != blocks.size() || points.size() != blocks.size())
            damaged("/blocks has columns of different length");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (fidelities[i] >= models::fidelity_names.size()) damaged("unknown fidelity of a block");
            if (points[i] > task::BlockSummary::ids)
                damaged(fmt::format("block {} has {} points, more than its ids", blocks[i], points[i]));
            if (!store.add_block(blocks[i], static_cast<models::Fidelity>(fidelities[i]), points[i]))
                damaged(fmt::format("block {} is there twice", blocks[i]));
        }
    }

    /// Points that a block's front left out are only counted in a file.
    void restore_left_out(ResultFile& file) const {
        answers::ResultStore& store = file.store;
        auto const group = root_.open_group("rules");
        auto const names = group.open_column("rule").read_texts();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (names.size() != points.size()) damaged("/rules has columns of different length");
        for (std::size_t i = 0; i < names.size(); ++i) file.stated_rules[names[i]] += points[i];
        std::uint64_t const evaluated = root_.number("evaluated");
        if (evaluated == store.size()) return;
        if (evaluated < store.size())
            damaged(fmt::format("{} answers are said to be all of {}", evaluated, store.size()));
        std::vector<task::BlockSummary::Count> left_out;
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

    std::filesystem::path const& path_;
    hdf5::Group const& root_;
    WantedMetrics const& wanted_;
};

}  // namespace

std::vector<models::Value> ResultFile::point(answers::ResultStore::Row row) const {
    std::vector<models::Value> point;
    for (auto const& column : values) point.push_back(column[row]);
    return point;
}

std::uint64_t planned_points(ResultFile const& file) {
    auto const text = file.provenance.more_of("planned");
    std::uint64_t planned = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), planned);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size() ? planned : file.columns.points;
}

std::uint64_t missing_points(ResultFile const& file) {
    auto const evaluated = file.store.evaluated();
    if (evaluated >= file.columns.points && file.columns.points > 0) return 0;
    auto const plans = united(file.provenance.plans);
    auto const missing = missing_in(plans);
    bool const stopped = file.provenance.unfinished() && file.provenance.more_of("state") != state_shards_missing;
    if (!stopped) return missing;
    auto const planned = planned_in(plans);  // how many of them it came to is known, and not which
    return planned - std::min(planned, evaluated);
}

ResultFile load_result_file(std::filesystem::path const& path, WantedMetrics const& wanted) {
    if (!std::filesystem::exists(path)) throw sim::InputError(fmt::format("{} is not there", path.string()));
    if (!std::filesystem::is_regular_file(path)) throw sim::InputError(fmt::format("{} is no file", path.string()));
    std::optional<ResultFile> file;
    with_file(path, [&](hdf5::Group const& root) { file = FileReader(path, root, wanted).read(); });
    rename_own_files(file->columns,
                     moved_files(file->columns.input_hashes, std::filesystem::absolute(path).parent_path()));
    return std::move(*file);
}

std::vector<models::Metrics> load_metrics(std::filesystem::path const& path, std::vector<task::Task> const& tasks) {
    std::map<task::Task, models::Metrics> found;
    for (auto const& task : tasks) found[task];
    auto const look = [&](hdf5::Group const& root) { RowReader(root).find_metrics(found); };
    with_file(path, [&](hdf5::Group const& root) {
        look(root);
        for (auto const& part : dse::store::result::read_parts(root)) with_file(place_of(part, path), look);
    });
    std::vector<models::Metrics> metrics;
    for (auto const& task : tasks) metrics.push_back(found[task]);
    return metrics;
}

}  // namespace pimdse::dse::store::result
