#include "dse/store/result_writer.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/hdf5_column.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_parts.hpp"
#include "dse/store/result_schema.hpp"
#include "dse/store/result_tables.hpp"
#include "dse/store/robust_tables.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/words.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace pimdse::dse::store {

namespace {

using search::Row;

/// The texts of the values of a choice or permutation, each made once. The kind of a value decides how it is printed: a
/// choice may have values that are permutations, and vice versa.
class ChoiceTexts {
  public:
    explicit ChoiceTexts(models::Parameter const& parameter) : parameter_(parameter) {}
    [[nodiscard]] std::string_view of(models::Value const& value) {
        if (value.kind() == models::Kind::choice) return parameter_.choices.at(value.as_choice());
        auto const [known, is_new] = orderings_.try_emplace(value.as_permutation());
        if (is_new) known->second = models::print_value(parameter_, value);
        return known->second;
    }

  private:
    models::Parameter const& parameter_;
    std::unordered_map<std::uint64_t, std::string> orderings_;
};

bool has_ascii_texts(models::Parameter const& parameter) {
    return std::ranges::all_of(parameter.choices, hdf5::is_ascii) &&
           std::ranges::all_of(parameter.items, hdf5::is_ascii);
}

hdf5::Column create(hdf5::Group& group, models::Parameter const& parameter, std::size_t rows) {
    switch (parameter.kind) {
        case models::Kind::integer:
            return group.create_column<std::int64_t>(parameter.name, rows);
        case models::Kind::quantity:
            return group.create_column<double>(parameter.name, rows);
        case models::Kind::flag:
            return group.create_column<std::uint8_t>(parameter.name, rows);
        case models::Kind::choice:
        case models::Kind::permutation:
            break;
    }
    return group.create_text_column(parameter.name, rows, schema::longest_text(parameter), has_ascii_texts(parameter));
}

void describe(hdf5::Column& column, models::Parameter const& parameter) {
    column.attribute("kind", schema::name_of(parameter.kind));
    column.attribute("unit",
                     parameter.kind == models::Kind::quantity ? schema::si_unit(parameter.unit) : parameter.unit);
    column.attribute("meaning", parameter.meaning);
    column.attribute("assumed", std::uint64_t{parameter.assumed});
    column.attribute("usual_unit", parameter.unit);
    column.attribute("default", models::print_value(parameter, parameter.default_value));
}

void put_value(models::Kind kind, models::Value const& value, ChoiceTexts& texts, std::size_t row,
               hdf5::RawRows& into) {
    switch (kind) {
        case models::Kind::integer:
            return into.put(row, std::int64_t{value.as_integer()});
        case models::Kind::quantity:
            return into.put(row, value.as_quantity());
        case models::Kind::flag:
            return into.put(row, std::uint8_t{value.as_flag()});
        case models::Kind::choice:
        case models::Kind::permutation:
            return into.put_text(row, texts.of(value));
    }
}

/// Writes the columns of a file that have a row per result, or a row per result of one machine.
class ColumnWriter {
  public:
    /// The arguments must outlive this object; rows ascend by id.
    ColumnWriter(hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store,
                 std::span<Row const> rows, int threads)
        : root_(root), columns_(columns), store_(store), rows_(rows), chunks_(threads) {}

    /// Writes ids, fidelities and statuses. Columns written later are attached to the ids as their dimension scale.
    void write_index() {
        ids_ = put_ids(root_, "point_id", rows_);
        scale_ = &*ids_;
        auto fidelity = put<std::uint8_t>(
            root_, "fidelity", rows_, [&](Row row) { return static_cast<std::uint8_t>(store_.task(row).fidelity); });
        fidelity.attribute("meaning", "fidelity of the evaluation");
        tables::describe_flags(fidelity, models::fidelity_names);
        auto status = put<std::uint8_t>(root_, "status", rows_,
                                        [&](Row row) { return static_cast<std::uint8_t>(store_.status(row)); });
        status.attribute("meaning", "outcome of the evaluation");
        tables::describe_flags(status, search::status_names);
    }
    /// Writes the parameters and metrics that all rows have, then those of each machine.
    void write_results() {
        write_results({root_, "", rows_, ""});
        if (!columns_.machines.empty()) write_machines();
    }
    /// Writes /timing.
    void write_timing(std::vector<Moment> const& progress) {
        auto group = root_.create_group("timing");
        auto seconds = put<double>(group, "seconds", rows_, [&](Row row) { return store_.seconds(row); });
        seconds.attribute("unit", "s");
        put<std::int32_t>(group, "rank", rows_, [&](Row row) { return static_cast<std::int32_t>(store_.rank(row)); });
        if (!progress.empty()) write_progress(group, progress);
    }

  private:
    /// A group of columns for some rows: all rows, or those of one machine of several.
    struct Block {
        hdf5::Group& group;
        std::string path;  ///< path of the group
        std::span<Row const> rows;
        std::string_view machine;  ///< "": columns that all rows have
    };
    /// Whether a parameter or metric belongs into a block. The names of a single machine may contain a dot, too.
    [[nodiscard]] bool has(Block const& block, std::string_view name) const {
        return columns_.machines.empty() || space::machine_and_name(name).first == block.machine;
    }
    [[nodiscard]] std::string name_in_block(std::string const& name) const {
        return columns_.machines.empty() ? name : std::string(space::machine_and_name(name).second);
    }

    /// A metric without a scenario, or one in every scenario: its place among the store's metrics, by scenario.
    struct MetricColumns {
        models::Metric metric;
        std::vector<std::size_t> places;
        bool in_scenarios = false;
    };

    /// Attaches a column to the ids of its rows, and a table also to the scenarios.
    void attach(hdf5::Column& column, bool in_scenarios = false) {
        if (scale_ == nullptr) return;
        std::array<hdf5::Column const*, 2> const scales{scale_, scenarios_};
        column.attach_scales(std::span(scales).first(in_scenarios ? 2 : 1));
    }
    /// Writes the ids of rows, to which the columns written later are attached as their dimension scale.
    [[nodiscard]] hdf5::Column put_ids(hdf5::Group& group, std::string const& name, std::span<Row const> rows) {
        scale_ = nullptr;
        auto ids = put<std::uint64_t>(group, name, rows, [&](Row row) { return index_of(store_.task(row).point); });
        ids.attribute("meaning", "number of the point in its space");
        ids.make_scale(name);
        return ids;
    }
    /// Writes a column with one value per row.
    template <class T, class Get>
    hdf5::Column put(hdf5::Group& group, std::string const& name, std::span<Row const> rows, Get const& get) {
        auto column = group.create_column<T>(name, rows.size());
        attach(column);
        chunks_.write({&column, 1}, [&](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
            for (std::size_t i = 0; i < count; ++i) into[0].put(i, T{get(rows[first + i])});
        });
        return column;
    }
    /// Writes a column, or a table with a number per scenario; `get` returns the number of a row and of a metric's
    /// place.
    template <class T, class Get>
    hdf5::Column put_metric(hdf5::Group& group, std::string const& name, std::span<Row const> rows,
                            MetricColumns const& of, Get const& get) {
        if (!of.in_scenarios) return put<T>(group, name, rows, [&](Row row) { return get(row, of.places.front()); });
        auto table = group.create_table<T>(name, rows.size(), of.places.size());
        attach(table, true);
        if (rows.empty()) return table;
        std::size_t const width = table.chunk().width;
        for (std::size_t at = 0; at < of.places.size(); at += width) {
            auto const places = std::span(of.places).subspan(at, std::min(width, of.places.size() - at));
            auto const fill = [&](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
                for (std::size_t i = 0; i < count; ++i) {
                    for (std::size_t s = 0; s < places.size(); ++s)
                        into[0].put(i * width + s, T{get(rows[first + i], places[s])});
                }
            };
            chunks_.write({&table, 1}, fill, at);
        }
        return table;
    }
    void write_results(Block const& block) {
        write_parameters(block);
        write_metrics(block);
    }
    /// Writes the machine of each row, and the columns that only one machine has, with the rows of this machine only.
    void write_machines() {
        auto const machine_of_row = [&](Row row) {
            return static_cast<std::uint8_t>(space::machine_index(columns_, store_.task(row).point));
        };
        auto which = put<std::uint8_t>(root_, "machine", rows_, machine_of_row);
        which.attribute("meaning", "which of the machines of the space");
        auto const names = sim::names_of(columns_.machines);
        tables::describe_flags(which, std::vector<std::string_view>(names.begin(), names.end()));
        auto all = root_.create_group("machines");
        all.attribute("names", names);
        for (auto const& machine : columns_.machines) {
            auto group = all.create_group(machine.name);
            auto const rows = rows_of(machine);
            group.attribute("architecture", machine.architecture);
            group.attribute("first_id", machine.first_id);
            group.attribute("points", machine.points);
            group.attribute("first_row", static_cast<std::uint64_t>(rows.data() - rows_.data()));
            group.attribute("rows", static_cast<std::uint64_t>(rows.size()));
            auto const ids = put_ids(group, tables::points_of_group, rows);
            scale_ = &ids;
            write_results({group, "/machines/" + machine.name, rows, machine.name});
        }
        scale_ = &*ids_;
    }
    /// Rows are sorted by id.
    [[nodiscard]] std::span<Row const> rows_of(space::MachineColumns const& machine) const {
        auto const id = [&](Row row) { return index_of(store_.task(row).point); };
        auto const first = std::ranges::lower_bound(rows_, machine.first_id, {}, id);
        auto const last = std::ranges::lower_bound(rows_, machine.first_id + machine.points, {}, id);
        return {first, last};
    }
    /// Positions of the block's parameters; the machine of a row has a column of its own and is left out.
    [[nodiscard]] std::vector<std::size_t> parameters_of(Block const& block) const {
        std::vector<std::size_t> which;
        for (std::size_t p = columns_.machines.empty() ? 0 : space::at_machine_parameter + 1;
             p < columns_.parameters.size(); ++p) {
            if (has(block, columns_.parameters[p].name)) which.push_back(p);
        }
        return which;
    }
    void write_parameters(Block const& block) {
        auto group = block.group.create_group("parameters");
        auto const which = parameters_of(block);
        std::vector<std::string> names;
        models::Parameters parameters;
        std::vector<hdf5::Column> made;
        for (auto const p : which) {
            auto parameter = columns_.parameters[p];
            parameter.name = name_in_block(parameter.name);
            auto column = create(group, parameter, block.rows.size());
            attach(column);
            describe(column, parameter);
            names.push_back(parameter.name);
            parameters.push_back(std::move(parameter));
            made.push_back(std::move(column));
        }
        group.attribute("names", names);
        tables::write_choices(block.group, parameters);
        chunks_.write(made, [&](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
            put_points(block.rows.subspan(first, count), which, into);
        });
    }
    /// Decodes points and puts their values into the columns of the parameters `which`.
    void put_points(std::span<Row const> rows, std::span<std::size_t const> which,
                    std::span<hdf5::RawRows> into) const {
        std::vector<ChoiceTexts> texts;
        for (auto const p : which) texts.emplace_back(columns_.parameters[p]);
        std::vector<models::Value> point;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            columns_.decode(store_.task(rows[i]).point, point);
            for (std::size_t c = 0; c < into.size(); ++c)
                put_value(columns_.parameters[which[c]].kind, point[which[c]], texts[c], i, into[c]);
        }
    }
    /// The metrics of the block without a scenario, or those in scenarios, which are the same in each.
    [[nodiscard]] std::vector<MetricColumns> metrics_of(Block const& block, bool in_scenarios) const {
        std::vector<MetricColumns> metrics;
        std::unordered_map<std::string, std::size_t> known;
        for (std::size_t m = 0; m < columns_.metrics.size(); ++m) {
            auto const& metric = columns_.metrics[m];
            if (!has(block, metric.name)) continue;
            auto const [name, scenario] = schema::name_and_scenario(name_in_block(metric.name));
            if (scenario.empty() == in_scenarios) continue;
            auto const [at, is_new] = known.emplace(name, metrics.size());
            if (is_new) {
                metrics.push_back({metric, {}, in_scenarios});
                metrics.back().metric.name = name;
            }
            metrics[at->second].places.push_back(m);
        }
        return metrics;
    }
    /// Writes metrics into the group `metrics` of `parent`, which is at `path`, and their bounds into `bounds`.
    void write_metrics(Block const& block) {
        write_metrics(metrics_of(block, false), block.rows, block.group, block.path);
        auto const scenarios = schema::scenarios_in(columns_.metrics);
        if (scenarios.empty()) return;
        auto group = block.group.create_group("scenarios");
        group.attribute("names", scenarios);
        auto names = group.put_texts("scenario", scenarios);
        names.make_scale("scenario");
        scenarios_ = &names;
        auto const metrics = metrics_of(block, true);
        for (auto const& of : metrics)
            sim::expects(of.places.size() == scenarios.size(), "every scenario has the same metrics");
        write_metrics(metrics, block.rows, group, block.path + "/scenarios");
        scenarios_ = nullptr;
    }
    void write_metrics(std::vector<MetricColumns> const& metrics, std::span<Row const> rows, hdf5::Group& parent,
                       std::string const& path) {
        auto group = parent.create_group("metrics");
        auto bounds = parent.create_group("bounds");
        std::vector<std::string> names;
        for (auto const& of : metrics) {
            write_metric(of, rows, group, bounds, path);
            names.push_back(of.metric.name);
        }
        group.attribute("names", names);
        bounds.attribute(
            "meaning", "NAME_low and NAME_high enclose the cycle-level result; NAME_kind is the kind of these bounds");
    }
    void write_metric(MetricColumns const& of, std::span<Row const> rows, hdf5::Group& group, hdf5::Group& bounds,
                      std::string const& path) {
        auto const& metric = of.metric;
        auto const name = schema::dataset_name(metric.name);
        auto column =
            put_metric<double>(group, name, rows, of, [&](Row row, std::size_t m) { return store_.value(row, m); });
        column.attribute("unit", metric.unit);
        column.attribute("better", schema::name_of(metric.better));
        column.attribute("meaning", metric.meaning);
        column.attribute("assumed", std::uint64_t{metric.assumed});
        if (std::ranges::all_of(of.places, [&](std::size_t m) { return store_.exact(m); })) {
            bounds.link(name + "_low", path + "/metrics/" + name);
            bounds.link(name + "_high", path + "/metrics/" + name);
        } else {
            put_metric<double>(bounds, name + "_low", rows, of,
                               [&](Row row, std::size_t m) { return store_.estimate(row, m).lower; });
            put_metric<double>(bounds, name + "_high", rows, of,
                               [&](Row row, std::size_t m) { return store_.estimate(row, m).upper; });
        }
        auto kind = put_metric<std::uint8_t>(bounds, name + "_kind", rows, of, [&](Row row, std::size_t m) {
            return number_of(store_.estimate(row, m).kinds);
        });
        tables::describe_flags(kind, sim::bound_names);
    }

    hdf5::Group& root_;
    space::Columns const& columns_;
    search::ResultStore const& store_;
    std::span<Row const> rows_;
    std::optional<hdf5::Column> ids_;
    hdf5::Column const* scale_ = nullptr;  ///< of the rows that are written: `ids_`, or those of a machine
    hdf5::Column const* scenarios_ = nullptr;
    hdf5::ChunkWriter chunks_;
};

/// Writes the content of one file and returns its digest. The order of creation is fixed, and /timing and /provenance
/// come last, so that everything else is at the same offset in the files of equal runs. If there are `parts`, they have
/// the rows, and this file has none.
std::string write_content(hdf5::Group root, space::Columns const& columns, search::ResultStore const& store,
                          Provenance const& provenance, std::span<Part const> parts, int threads,
                          search::Certificate const* certificate, search::RobustFront const* robust) {
    auto const rows = parts.empty() ? std::span(store.sorted()) : std::span<Row const>();
    ColumnWriter written(root, columns, store, rows, threads);
    // The digest takes as long as all columns and is sequential.
    auto digest = std::async(threads == 1 ? std::launch::deferred : std::launch::async, [&] {
        return search::digest(space::identity_text(columns.canonical_text, columns.input_hashes), store);
    });
    root.attribute("schema", schema::version_for(columns.metrics));
    root.attribute("architecture", columns.architecture);
    root.attribute("seed", columns.seed);
    root.attribute("space", columns.space_text);
    root.attribute("canonical_space", columns.canonical_text);
    root.attribute("points_in_space", columns.points);
    root.attribute("evaluated", store.evaluated());
    tables::write_inputs(root, columns);
    tables::write_machine_files(root, columns);
    written.write_index();
    written.write_results();
    write_parts(root, parts);
    tables::write_failures(root, columns, store, rows);
    tables::write_rules(root, store);
    tables::write_blocks(root, store);
    tables::write_open_blocks(root, store);
    tables::write_front(root, columns, store);
    if (certificate != nullptr) tables::write_certificate(root, columns, *certificate);
    if (robust != nullptr) tables::write_robust_front(root, *robust);
    std::string const sum = digest.get();
    root.attribute("digest", sum);
    written.write_timing(provenance.progress);
    write_provenance(root, provenance);
    return sum;
}

/// The files of a run whose access a new one of its files has, as far as they exist.
using Kin = std::array<std::filesystem::path, 2>;

std::string write_file(std::filesystem::path const& path, Kin const& kin, space::Columns const& columns,
                       search::ResultStore const& store, Provenance const& provenance, std::span<Part const> parts,
                       int threads, search::Certificate const* certificate = nullptr,
                       search::RobustFront const* robust = nullptr) {
    auto file = hdf5::File::build(path);
    auto sum = write_content(file.root(), columns, store, provenance, parts, threads, certificate, robust);
    auto const content = content_sum(file.root());
    auto const bytes = file.image();
    put_seal_head(bytes, content);
    base::replace_file(path, bytes, kin);
    return sum;
}

/// A store with the results of some rows.
search::ResultStore results_of(search::ResultStore const& store, std::span<Row const> rows) {
    search::ResultStore some(store.metrics());
    for (auto const row : rows) some.insert(store.result(row));
    return some;
}

/// Writes a part. Its name contains its digest, which is known only after writing, so the file is renamed then.
Part write_part(std::filesystem::path const& directory, Kin const& kin, std::size_t number,
                space::Columns const& columns, search::ResultStore const& results, Provenance const& provenance,
                int threads) {
    Part part{{}, index_of(results.task(0).point), results.size(), {}};
    auto const unnamed = directory / part_name(number, "0");
    part.digest = write_file(unnamed, kin, columns, results, provenance, {}, threads);
    part.file = part_name(number, part.digest);
    std::filesystem::rename(unnamed, directory / part.file);
    base::sync_directory_of(directory / part.file);
    return part;
}

std::vector<Part> write_all_parts(Kin const& kin, space::Columns const& columns, search::ResultStore const& store,
                                  Provenance provenance, std::uint64_t rows_per_part, int threads) {
    auto const directory = parts_directory(kin[0]);
    std::error_code failed;
    std::filesystem::create_directory(directory, failed);
    if (failed)
        throw sim::StorageError(directory, "cannot create the directory {} ({})", directory.string(), failed.message());
    provenance.set_more("state", state_part);
    provenance.progress.clear();  // it is in the master
    std::span<Row const> rest = store.sorted();
    std::vector<Part> parts;
    while (!rest.empty()) {
        auto const some = rest.first(std::min<std::uint64_t>(rows_per_part, rest.size()));
        parts.push_back(
            write_part(directory, kin, parts.size(), columns, results_of(store, some), provenance, threads));
        rest = rest.subspan(some.size());
    }
    return parts;
}

}  // namespace

std::string seal(std::filesystem::path const& path, space::Columns const& columns, search::ResultStore const& store,
                 Provenance const& provenance, int threads, std::uint64_t rows_per_part,
                 search::Certificate const* certificate, search::RobustFront const* robust) {
    sim::expects(rows_per_part > 0, "a part has rows");
    auto const master = base::destination_of(path);
    Kin const kin{master, journal::journal_path(master)};
    std::vector<Part> parts;
    if (store.size() > rows_per_part) parts = write_all_parts(kin, columns, store, provenance, rows_per_part, threads);
    std::string sum = write_file(path, kin, columns, store, provenance, parts, threads, certificate, robust);
    remove_other_parts(master, parts);
    return sum;
}

}  // namespace pimdse::dse::store
