#include "dse/store/result/result_writer.hpp"

#include "dse/store/digest.hpp"
#include "dse/store/durable_file.hpp"
#include "dse/store/hdf5/chunk_writer.hpp"
#include "dse/store/hdf5/file.hpp"
#include "dse/store/result/choice_texts.hpp"
#include "dse/store/result/open_block_table.hpp"
#include "dse/store/result/result_parts.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/store/result/result_tables.hpp"
#include "dse/store/result/seal_head.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <span>
#include <system_error>
#include <tuple>

namespace pimdse::dse::store::result {
namespace {

using hdf5::Column;
using hdf5::Group;
using Row = answers::ResultStore::Row;

/// Writes one file; the order of creation is fixed, so that everything but /timing and /provenance, which come last,
/// lies at the same place in the files of equal runs.
class Writer {
  public:
    /// `parts` have the rows, unless there are none.
    Writer(hdf5::Group root, task::Columns const& columns, answers::ResultStore const& store,
           std::span<Part const> parts, int threads)
        : root_(std::move(root)),
          columns_(columns),
          store_(store),
          parts_(parts),
          rows_(parts.empty() ? std::span(store.sorted()) : std::span<Row const>()),
          chunks_(threads),
          digest_(std::async(threads == 1 ? std::launch::deferred : std::launch::async,
                             [this] { return digest(columns_.canonical_text, store_); })) {}

    std::string write(Provenance const& provenance) {
        write_head();
        write_index();
        write_parameters();
        write_metrics();
        write_parts(root_, parts_);
        tables::write_failures(root_, columns_, store_, rows_);
        tables::write_rules(root_, store_);
        tables::write_blocks(root_, store_);
        tables::write_open_blocks(root_, store_);
        tables::write_front(root_, columns_, store_);
        std::string sum = digest_.get();
        root_.attribute("digest", sum);
        write_timing();
        write_provenance(root_, provenance);
        return sum;
    }

  private:
    void write_head() {
        root_.attribute("schema", schema::version);
        root_.attribute("architecture", columns_.architecture);
        root_.attribute("seed", columns_.seed);
        root_.attribute("space", columns_.space_text);
        root_.attribute("canonical_space", columns_.canonical_text);
        root_.attribute("points_in_space", columns_.points);
        root_.attribute("evaluated", store_.evaluated());
        tables::write_inputs(root_, columns_);
    }

    /// A column whose rows are the answers in order.
    template <class T, class Get>
    hdf5::Column put(hdf5::Group& group, std::string const& name, Get const& get) {
        auto column = group.create_column<T>(name, rows_.size());
        if (scale_) column.attach_scale(*scale_);
        chunks_.write({&column, 1}, [&](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
            for (std::size_t i = 0; i < count; ++i) into[0].put(i, T{get(rows_[first + i])});
        });
        return column;
    }

    void write_index() {
        auto column = put<std::uint64_t>(root_, "point_id", [&](Row row) { return index_of(store_.task(row).point); });
        column.attribute("meaning", "number of the point in its space");
        column.make_scale("point_id");
        scale_ = std::make_unique<hdf5::Column>(std::move(column));
        auto fidelity = put<std::uint8_t>(
            root_, "fidelity", [&](Row row) { return static_cast<std::uint8_t>(store_.task(row).fidelity); });
        fidelity.attribute("meaning", "how costs were found");
        tables::describe_flags(fidelity, models::fidelity_names);
        auto status =
            put<std::uint8_t>(root_, "status", [&](Row row) { return static_cast<std::uint8_t>(store_.status(row)); });
        status.attribute("meaning", "what became of the point");
        tables::describe_flags(status, answers::status_names);
    }

    hdf5::Column create(hdf5::Group& group, models::Parameter const& parameter) {
        switch (parameter.kind) {
            case models::Kind::integer:
                return group.create_column<std::int64_t>(parameter.name, rows_.size());
            case models::Kind::quantity:
                return group.create_column<double>(parameter.name, rows_.size());
            case models::Kind::flag:
                return group.create_column<std::uint8_t>(parameter.name, rows_.size());
            case models::Kind::choice:
            case models::Kind::permutation:
                break;
        }
        return group.create_text_column(parameter.name, rows_.size(), schema::longest_text(parameter));
    }

    void write_parameters() {
        auto group = root_.create_group("parameters");
        std::vector<std::string> names;
        std::vector<hdf5::Column> made;
        for (auto const& parameter : columns_.parameters) {
            auto column = create(group, parameter);
            column.attach_scale(*scale_);
            column.attribute("kind", schema::name_of(parameter.kind));
            column.attribute(
                "unit", parameter.kind == models::Kind::quantity ? schema::si_unit(parameter.unit) : parameter.unit);
            column.attribute("meaning", parameter.meaning);
            column.attribute("assumed", std::uint64_t{parameter.assumed});
            column.attribute("usual_unit", parameter.unit);
            column.attribute("default", models::print_value(parameter, parameter.fallback));
            names.push_back(parameter.name);
            made.push_back(std::move(column));
        }
        group.attribute("names", names);
        tables::write_choices(root_, columns_);
        chunks_.write(made, [this](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
            put_points(first, count, into);
        });
    }

    /// Decodes points; a value goes to the column of its parameter.
    void put_points(std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) const {
        std::vector<ChoiceTexts> texts(columns_.parameters.begin(), columns_.parameters.end());
        std::vector<models::Value> point;
        for (std::size_t i = 0; i < count; ++i) {
            columns_.decode(store_.task(rows_[first + i]).point, point);
            for (std::size_t p = 0; p < into.size(); ++p)
                put_value(columns_.parameters[p].kind, point[p], texts[p], i, into[p]);
        }
    }

    static void put_value(models::Kind kind, models::Value const& value, ChoiceTexts& texts, std::size_t row,
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

    void write_metrics() {
        write_metrics_of("", root_, "");
        auto const scenarios = schema::scenarios_in(columns_.metrics);
        if (scenarios.empty()) return;
        auto all = root_.create_group("scenarios");
        all.attribute("names", scenarios);
        for (auto const& scenario : scenarios) {
            auto group = all.create_group(scenario);
            write_metrics_of(scenario, group, "/scenarios/" + scenario);
        }
    }

    /// Metrics of one scenario, or those of no scenario, in a group and its bounds beside it.
    void write_metrics_of(std::string const& scenario, hdf5::Group& parent, std::string const& path) {
        auto group = parent.create_group("metrics");
        auto bounds = parent.create_group("bounds");
        std::vector<std::string> names;
        for (std::size_t m = 0; m < columns_.metrics.size(); ++m) {
            auto metric = columns_.metrics[m];
            std::string of;
            std::tie(metric.name, of) = schema::name_and_scenario(metric.name);
            if (of != scenario) continue;
            auto column = put<double>(group, metric.name, [&](Row row) { return store_.value(row, m); });
            column.attribute("unit", metric.unit);
            column.attribute("better", schema::name_of(metric.better));
            column.attribute("meaning", metric.meaning);
            column.attribute("assumed", std::uint64_t{metric.assumed});
            names.push_back(metric.name);
            if (store_.exact(m)) {
                bounds.link(metric.name + "_low", path + "/metrics/" + metric.name);
                bounds.link(metric.name + "_high", path + "/metrics/" + metric.name);
            } else {
                put<double>(bounds, metric.name + "_low", [&](Row row) { return store_.estimate(row, m).low; });
                put<double>(bounds, metric.name + "_high", [&](Row row) { return store_.estimate(row, m).high; });
            }
            auto kind = put<std::uint8_t>(bounds, metric.name + "_kind",
                                          [&](Row row) { return number_of(store_.estimate(row, m).kinds); });
            tables::describe_flags(kind, sim::bound_names);
        }
        group.attribute("names", names);
        bounds.attribute("meaning", "where the cycle-level answer must lie; kind says what stands behind it");
    }

    void write_timing() {
        // Not attached: the scale lists whatever hangs on it, so equal runs would differ outside /timing.
        scale_.reset();
        auto group = root_.create_group("timing");
        auto seconds = put<double>(group, "seconds", [&](Row row) { return store_.seconds(row); });
        seconds.attribute("unit", "s");
        put<std::int32_t>(group, "rank", [&](Row row) { return static_cast<std::int32_t>(store_.rank(row)); });
    }

    hdf5::Group root_;
    task::Columns const& columns_;
    answers::ResultStore const& store_;
    std::span<Part const> parts_;
    std::span<Row const> rows_;
    std::unique_ptr<hdf5::Column> scale_;
    hdf5::ChunkWriter chunks_;
    std::future<std::string> digest_;  ///< takes as long as all columns, and each row waits for the one before
};

std::string write_file(std::filesystem::path const& path, task::Columns const& columns,
                       answers::ResultStore const& store, Provenance const& provenance, std::span<Part const> parts,
                       int threads) {
    auto file = hdf5::File::build(path);
    std::string sum = Writer(file.root(), columns, store, parts, threads).write(provenance);
    auto const bytes = file.image();
    put_seal_head(bytes);
    replace_file(path, bytes);
    return sum;
}

/// The answers in some rows, as a run of their own.
answers::ResultStore answers_of(answers::ResultStore const& store, std::span<Row const> rows) {
    answers::ResultStore some(store.metrics());
    for (auto const row : rows) some.insert(store.answer(row));
    return some;
}

/// Writes a file whose name says what is in it, which is known when it is written.
Part write_part(std::filesystem::path const& directory, std::size_t number, task::Columns const& columns,
                answers::ResultStore const& answers, Provenance const& provenance, int threads) {
    Part part{{}, index_of(answers.task(0).point), answers.size(), {}};
    auto const unnamed = directory / part_name(number, "0");
    part.digest = write_file(unnamed, columns, answers, provenance, {}, threads);
    part.file = part_name(number, part.digest);
    std::filesystem::rename(unnamed, directory / part.file);
    sync_directory_of(directory / part.file);
    return part;
}

std::vector<Part> write_all_parts(std::filesystem::path const& master, task::Columns const& columns,
                                  answers::ResultStore const& store, Provenance provenance, std::uint64_t rows_per_part,
                                  int threads) {
    auto const directory = parts_directory(master);
    std::error_code failed;
    std::filesystem::create_directory(directory, failed);
    if (failed)
        throw StorageError(directory,
                           fmt::format("cannot make the directory {} ({})", directory.string(), failed.message()));
    provenance.set_more("state", state_part);
    std::span<Row const> rest = store.sorted();
    std::vector<Part> parts;
    while (!rest.empty()) {
        auto const some = rest.first(std::min<std::uint64_t>(rows_per_part, rest.size()));
        parts.push_back(write_part(directory, parts.size(), columns, answers_of(store, some), provenance, threads));
        rest = rest.subspan(some.size());
    }
    return parts;
}

}  // namespace

std::string seal(std::filesystem::path const& path, task::Columns const& columns, answers::ResultStore const& store,
                 Provenance const& provenance, int threads, std::uint64_t rows_per_part) {
    sim::expects(rows_per_part > 0, "a part has rows");
    auto const master = destination_of(path);
    std::vector<Part> parts;
    if (store.size() > rows_per_part)
        parts = write_all_parts(master, columns, store, provenance, rows_per_part, threads);
    std::string sum = write_file(path, columns, store, provenance, parts, threads);
    remove_other_parts(master, parts);
    return sum;
}

}  // namespace pimdse::dse::store::result
