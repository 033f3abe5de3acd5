#include "models/dram/dram_check.hpp"

#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace pimdse::models {
namespace {

using sim::dram::Options;
using sim::dram::RefreshMode;
using sim::dram::Scheduler;

double number(std::string_view text, std::string_view what) {
    auto const value = sim::number_in<double>(text);
    if (value && std::isfinite(*value)) return *value;
    throw sim::InputError("{}: '{}' is not a number", what, sim::clipped(text));
}

int transaction_bytes(ReferenceRow const& row) {
    auto const bytes = sim::exact_whole<int>(number(row.cell("txn_bytes"), row.case_id()));
    if (!bytes)
        throw sim::InputError("{}: txn_bytes '{}' is not a whole number of bytes", row.case_id(),
                              row.cell("txn_bytes"));
    return *bytes;
}

/// The whole number after `key` in `text`; `default_value` if `text` does not contain the key.
int number_after(std::string_view text, std::string_view key, int default_value) {
    auto const at = text.find(key);
    if (at == std::string_view::npos) return default_value;
    int value = 0;
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
    return value;
}

void read_refresh(ReferenceRow const& row, std::string_view suffix, Options& options) {
    auto const& cell = row.cell("refresh");
    if (cell == "NoRefresh" || (cell.empty() && suffix == "nr"))
        options.refresh = RefreshMode::none;
    else if (cell == "PerBankRefresh" || cell == "PerBank" || (cell.empty() && suffix == "pb"))
        options.refresh = RefreshMode::per_bank;
    else if (!cell.empty() && cell != "AllBank")
        throw sim::InputError("{}: refresh '{}' is not AllBank, PerBankRefresh or NoRefresh", row.case_id(), cell);
    auto const& scheduler = row.cell("scheduler");
    if (scheduler == "FRFCFS-RowHit" || (scheduler.empty() && suffix == "rh"))
        options.scheduler = Scheduler::frfcfs_row_hit;
    else if (!scheduler.empty() && scheduler != "FRFCFS")
        throw sim::InputError("{}: scheduler '{}' is not FRFCFS or FRFCFS-RowHit", row.case_id(), scheduler);
}

void read_front_end(ReferenceRow const& row, std::string_view simulator, Options& options) {
    auto const& cell = row.cell("frontend");
    if (cell.empty()) {
        options.tries = number_after(simulator, "k", 8);
        options.window = number_after(simulator, "w", 0);
        return;
    }
    for (auto const& part : sim::split(cell, ';')) {
        if (part.ends_with("tries/cycle")) options.tries = number_after(part, "", 8);
        options.window = number_after(part, "window=", options.window);
    }
}

struct Compared {
    std::string_view column;
    double ours;
};

bool same(std::string const& expected, Compared const& compared) {
    bool const printed_rounded = compared.column == "avg_read_latency_cyc";
    return std::abs(number(expected, compared.column) - compared.ours) <= (printed_rounded ? 0.00051 : 0.0);
}

bool compare_numbers(std::string const& left, std::string_view operation, std::string const& right) {
    double const a = number(left, "--only"), b = number(right, "--only");
    return operation == "<=" ? a <= b : a >= b;
}

/// The first operator of a condition; the rest is the value. "" if there is none.
std::string_view operation_of(std::string_view condition) {
    std::string_view first;
    std::size_t before = condition.size();
    for (std::string_view const operation : {"!=", "<=", ">=", "=", "~"}) {
        auto const at = condition.find(operation);
        if (at < before) before = at, first = operation;
    }
    return first;
}

bool condition_holds(ReferenceRow const& row, std::string const& condition) {
    auto const operation = operation_of(condition);
    if (operation.empty()) return row.case_id().find(condition) != std::string::npos;
    auto const at = condition.find(operation);
    auto const column = condition.substr(0, at), value = condition.substr(at + operation.size());
    if (!row.cells.contains(column)) {
        std::vector<std::string> known;
        for (auto const& [name, cell] : row.cells) known.push_back(name);
        throw sim::InputError("--only names a column '{}' that the table does not have.{}", column,
                              sim::suggestion(column, known));
    }
    auto const& cell = row.cell(column);
    if (operation == "~") return cell.find(value) != std::string::npos;
    if (operation == "=") return cell == value;
    if (operation == "!=") return cell != value;
    return compare_numbers(cell, operation, value);
}

}  // namespace

std::string const& ReferenceRow::cell(std::string_view column) const {
    static std::string const nothing;
    auto const found = cells.find(column);
    return found == cells.end() ? nothing : found->second;
}

std::vector<ReferenceRow> read_reference_rows(std::filesystem::path const& file) {
    std::vector<std::string> columns{"case_id", "mapping_lsb_to_msb", "stream", "txn_bytes", "total_cycles"};
    auto const needed = columns.size();
    sim::CsvRows table(file, columns);
    for (auto const& name : table.names())
        if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    table.choose(columns, needed);
    std::vector<ReferenceRow> rows;
    while (auto cells = table.next()) {
        ReferenceRow row;
        row.line = static_cast<int>(table.line());
        for (std::size_t i = 0; i < columns.size(); ++i) row.cells.emplace(columns[i], std::move((*cells)[i]));
        rows.push_back(std::move(row));
    }
    return rows;
}

bool is_modelled(ReferenceRow const& row) { return row.case_id().starts_with("r21"); }

ReferenceCase reference_case(ReferenceRow const& row) {
    auto const fields = sim::split(row.case_id(), '.');
    if (fields.size() < 2)
        throw sim::InputError("line {}: case id '{}' is not SIM.CONFIG.MAPPING.STREAM", row.line, row.case_id());
    std::string config(fields[1]), suffix;
    for (std::string_view const known : {"_nr", "_pb", "_rh"}) {
        if (config.ends_with(known)) {
            suffix = known.substr(1);
            config.resize(config.size() - known.size());
        }
    }
    Options options;
    read_refresh(row, suffix, options);
    read_front_end(row, fields[0], options);
    auto standard = load_dram_standard(config);
    auto mapping = sim::dram::parse_mapping(row.cell("mapping_lsb_to_msb"), standard.organisation);
    auto stream = sim::dram::parse_stream(row.cell("stream"), transaction_bytes(row));
    return {std::move(standard), std::move(mapping), std::move(stream), options};
}

RowCheck check_row(ReferenceRow const& row, sim::dram::FastForward fast_forward) {
    double const cycles = number(row.cell("total_cycles"), row.case_id());
    if (!(cycles > 0.0)) throw sim::InputError("{}: total_cycles = {} (it must be above 0)", row.case_id(), cycles);
    auto wanted = reference_case(row);
    wanted.options.fast_forward = fast_forward;
    auto const start = std::chrono::steady_clock::now();
    auto const counted = simulate(wanted.standard, wanted.mapping, wanted.stream, wanted.options);
    RowCheck check;
    check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    check.timings = row.cell("timings").substr(0, row.cell("timings").find(':'));
    check.stream_kind = row.cell("stream").substr(0, row.cell("stream").find(':'));
    check.requests = counted.requests;
    auto const as_double = [](auto count) { return static_cast<double>(count); };
    for (auto const& compared :
         {Compared{"total_cycles", as_double(counted.cycles)}, Compared{"row_hits", as_double(counted.hits)},
          Compared{"row_misses", as_double(counted.misses)}, Compared{"row_conflicts", as_double(counted.conflicts)},
          Compared{"refresh_cmds_all_channels", as_double(counted.refreshes)},
          Compared{"wck_cas_cmds", as_double(counted.clock_syncs)},
          Compared{"avg_read_latency_cyc", counted.average_read_latency().value_or(0.0)},
          Compared{"n_requests", as_double(counted.requests)}}) {
        auto const& expected = row.cell(compared.column);
        if (!expected.empty() && !same(expected, compared))
            check.differences.push_back(
                {row.case_id(), std::string(compared.column), expected, fmt::format("{}", compared.ours)});
    }
    auto const differs = [&](std::string_view part) {
        return std::any_of(check.differences.begin(), check.differences.end(),
                           [&](auto const& d) { return d.column.starts_with(part); });
    };
    check.cycles_identical = !differs("total_cycles");
    check.counts_identical = !differs("row_");
    check.relative_error = std::abs(as_double(counted.cycles) - cycles) / cycles;
    return check;
}

bool selected(ReferenceRow const& row, std::string_view expression) {
    constexpr std::string_view joint = " and ";
    while (!expression.empty()) {
        auto const end = expression.find(joint);
        if (!condition_holds(row, std::string(expression.substr(0, end)))) return false;
        expression = end == std::string_view::npos ? std::string_view{} : expression.substr(end + joint.size());
    }
    return true;
}

}  // namespace pimdse::models
