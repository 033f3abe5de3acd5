#include "dse/store/result/column_writer.hpp"

#include "dse/store/result/choice_texts.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/store/result/result_tables.hpp"
#include "models/contract/parameter_text.hpp"

#include <algorithm>
#include <tuple>

namespace pimdse::dse::store::result {
namespace {

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
    return group.create_text_column(parameter.name, rows, schema::longest_text(parameter));
}

void describe(hdf5::Column& column, models::Parameter const& parameter) {
    column.attribute("kind", schema::name_of(parameter.kind));
    column.attribute("unit",
                     parameter.kind == models::Kind::quantity ? schema::si_unit(parameter.unit) : parameter.unit);
    column.attribute("meaning", parameter.meaning);
    column.attribute("assumed", std::uint64_t{parameter.assumed});
    column.attribute("usual_unit", parameter.unit);
    column.attribute("default", models::print_value(parameter, parameter.fallback));
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

}  // namespace

void ColumnWriter::attach(hdf5::Column& column, std::span<Row const> rows) const {
    if (scale_ && rows.size() == rows_.size()) column.attach_scale(*scale_);
}

/// A column whose rows are some answers in order.
template <class T, class Get>
hdf5::Column ColumnWriter::put(hdf5::Group& group, std::string const& name, std::span<Row const> rows, Get const& get) {
    auto column = group.create_column<T>(name, rows.size());
    attach(column, rows);
    chunks_.write({&column, 1}, [&](std::uint64_t first, std::size_t count, std::span<hdf5::RawRows> into) {
        for (std::size_t i = 0; i < count; ++i) into[0].put(i, T{get(rows[first + i])});
    });
    return column;
}

void ColumnWriter::write_index() {
    auto column =
        put<std::uint64_t>(root_, "point_id", rows_, [&](Row row) { return index_of(store_.task(row).point); });
    column.attribute("meaning", "number of the point in its space");
    column.make_scale("point_id");
    scale_ = std::make_unique<hdf5::Column>(std::move(column));
    auto fidelity = put<std::uint8_t>(root_, "fidelity", rows_,
                                      [&](Row row) { return static_cast<std::uint8_t>(store_.task(row).fidelity); });
    fidelity.attribute("meaning", "how costs were found");
    tables::describe_flags(fidelity, models::fidelity_names);
    auto status = put<std::uint8_t>(root_, "status", rows_,
                                    [&](Row row) { return static_cast<std::uint8_t>(store_.status(row)); });
    status.attribute("meaning", "what became of the point");
    tables::describe_flags(status, answers::status_names);
}

void ColumnWriter::write_answers() {
    write_answers({root_, "", rows_, ""});
    if (!columns_.machines.empty()) write_machines();
}

void ColumnWriter::write_answers(Block const& block) {
    write_parameters(block);
    write_metrics(block);
}

/// Which machine each row is of, and what only one of them has, for its rows only.
void ColumnWriter::write_machines() {
    auto const machine_of_row = [&](Row row) {
        auto const* machine = task::machine_of(columns_, store_.task(row).point);
        return static_cast<std::uint8_t>(machine - columns_.machines.data());
    };
    auto which = put<std::uint8_t>(root_, "machine", rows_, machine_of_row);
    which.attribute("meaning", "which of the machines of the space");
    std::vector<std::string_view> names;
    for (auto const& machine : columns_.machines) names.push_back(machine.name);
    tables::describe_flags(which, names);
    auto all = root_.create_group("machines");
    all.attribute("names", std::vector<std::string>(names.begin(), names.end()));
    for (auto const& machine : columns_.machines) {
        auto group = all.create_group(machine.name);
        auto const rows = rows_of(machine);
        group.attribute("architecture", machine.architecture);
        group.attribute("first_id", machine.first_id);
        group.attribute("points", machine.points);
        group.attribute("first_row", static_cast<std::uint64_t>(rows.data() - rows_.data()));
        group.attribute("rows", static_cast<std::uint64_t>(rows.size()));
        write_answers({group, "/machines/" + machine.name, rows, machine.name});
    }
}

/// Rows are sorted by id.
std::span<ColumnWriter::Row const> ColumnWriter::rows_of(task::MachineColumns const& machine) const {
    auto const id = [&](Row row) { return index_of(store_.task(row).point); };
    auto const first = std::ranges::lower_bound(rows_, machine.first_id, {}, id);
    auto const last = std::ranges::lower_bound(rows_, machine.first_id + machine.points, {}, id);
    return {first, last};
}

/// Positions of what the block's rows have; which machine a row is of has a column of its own.
std::vector<std::size_t> ColumnWriter::parameters_of(Block const& block) const {
    std::vector<std::size_t> which;
    for (std::size_t p = columns_.machines.empty() ? 0 : task::at_machine_parameter + 1; p < columns_.parameters.size();
         ++p) {
        if (block.has(columns_.parameters[p].name)) which.push_back(p);
    }
    return which;
}

void ColumnWriter::write_parameters(Block const& block) {
    auto group = block.group.create_group("parameters");
    auto const which = parameters_of(block);
    std::vector<std::string> names;
    models::Parameters parameters;
    std::vector<hdf5::Column> made;
    for (auto const p : which) {
        auto parameter = columns_.parameters[p];
        parameter.name = task::machine_and_name(parameter.name).second;
        auto column = create(group, parameter, block.rows.size());
        attach(column, block.rows);
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

/// Decodes points; a value goes to the column of its parameter.
void ColumnWriter::put_points(std::span<Row const> rows, std::span<std::size_t const> which,
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

void ColumnWriter::write_metrics(Block const& block) {
    write_metrics_of("", block, block.group, block.path);
    auto const scenarios = schema::scenarios_in(columns_.metrics);
    if (scenarios.empty()) return;
    auto all = block.group.create_group("scenarios");
    all.attribute("names", scenarios);
    for (auto const& scenario : scenarios) {
        auto group = all.create_group(scenario);
        write_metrics_of(scenario, block, group, block.path + "/scenarios/" + scenario);
    }
}

/// Metrics of one scenario, or those of no scenario, in a group and its bounds beside it.
void ColumnWriter::write_metrics_of(std::string const& scenario, Block const& block, hdf5::Group& parent,
                                    std::string const& path) {
    auto group = parent.create_group("metrics");
    auto bounds = parent.create_group("bounds");
    std::vector<std::string> names;
    for (std::size_t m = 0; m < columns_.metrics.size(); ++m) {
        auto metric = columns_.metrics[m];
        if (!block.has(metric.name)) continue;
        std::string of;
        std::tie(metric.name, of) = schema::name_and_scenario(task::machine_and_name(metric.name).second);
        if (of != scenario) continue;
        write_metric(metric, m, block.rows, group, bounds, path);
        names.push_back(metric.name);
    }
    group.attribute("names", names);
    bounds.attribute("meaning", "where the cycle-level answer must lie; kind says what stands behind it");
}

void ColumnWriter::write_metric(models::Metric const& metric, std::size_t m, std::span<Row const> rows,
                                hdf5::Group& group, hdf5::Group& bounds, std::string const& path) {
    auto const name = schema::dataset_name(metric.name);
    auto column = put<double>(group, name, rows, [&](Row row) { return store_.value(row, m); });
    column.attribute("unit", metric.unit);
    column.attribute("better", schema::name_of(metric.better));
    column.attribute("meaning", metric.meaning);
    column.attribute("assumed", std::uint64_t{metric.assumed});
    if (store_.exact(m)) {
        bounds.link(name + "_low", path + "/metrics/" + name);
        bounds.link(name + "_high", path + "/metrics/" + name);
    } else {
        put<double>(bounds, name + "_low", rows, [&](Row row) { return store_.estimate(row, m).low; });
        put<double>(bounds, name + "_high", rows, [&](Row row) { return store_.estimate(row, m).high; });
    }
    auto kind = put<std::uint8_t>(bounds, name + "_kind", rows,
                                  [&](Row row) { return number_of(store_.estimate(row, m).kinds); });
    tables::describe_flags(kind, sim::bound_names);
}

void ColumnWriter::write_timing(std::vector<Moment> const& progress) {
    scale_.reset();
    auto group = root_.create_group("timing");
    auto seconds = put<double>(group, "seconds", rows_, [&](Row row) { return store_.seconds(row); });
    seconds.attribute("unit", "s");
    put<std::int32_t>(group, "rank", rows_, [&](Row row) { return static_cast<std::int32_t>(store_.rank(row)); });
    if (!progress.empty()) write_progress(group, progress);
}

}  // namespace pimdse::dse::store::result
