#include "dse/store/comparison.hpp"

#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

namespace pimdse::dse::store {
namespace {

using search::Row;

/// The status of a row; if the point is infeasible, with the rule and the reason.
std::string status_text(ResultFile const& file, Row row) {
    auto const status = file.store.status(row);
    if (status != search::Status::infeasible) return std::string(name_of(status));
    return fmt::format("{} ({}: {})", name_of(status), file.store.rule(row), file.store.reason(row));
}

bool same_bounds(models::Estimate const& a, models::Estimate const& b, double relative) {
    return agree(a.lower, b.lower, relative) && agree(a.upper, b.upper, relative) && a.kinds == b.kinds;
}

std::string bounds_text(models::Estimate const& estimate) {
    return fmt::format("{} within [{}, {}] ({})", estimate.value, estimate.lower, estimate.upper,
                       name_of(estimate.kinds));
}

void compare_metrics(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    for (std::size_t m = 0; m < left.columns.metrics.size(); ++m) {
        auto const a = left.store.estimate(l, m), b = right.store.estimate(r, m);
        if (!agree(a.value, b.value, relative))
            into.push_back({left.store.task(l), m, a.value, b.value, {}, {}});
        else if (!same_bounds(a, b, relative))
            into.push_back({left.store.task(l), m, a.value, b.value, bounds_text(a), bounds_text(b)});
    }
}

void compare_results(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    auto const status = left.store.status(l);
    bool const same_rule = left.store.rule(l) == right.store.rule(r);
    bool const same_reason =
        status != search::Status::infeasible || relative > 0.0 || left.store.reason(l) == right.store.reason(r);
    if (status == search::Status::ok && right.store.status(r) == status)
        compare_metrics(left, l, right, r, relative, into);
    else if (status != right.store.status(r) || !same_rule || !same_reason)
        into.push_back(
            {left.store.task(l), Difference::status_differs, 0.0, 0.0, status_text(left, l), status_text(right, r)});
}

using sim::Json;

/// Collects the differences between the tables of two files, one sentence each.
class Definitions {
  public:
    Definitions(std::string_view left, std::string_view right) : left_(left), right_(right) {}

    template <class Table, class Describe>
    void compare(std::string_view what, Table const& left, Table const& right, Describe const& describe) {
        missing(what, left, right, left_, right_);
        missing(what, right, left, right_, left_);
        if (left.size() != right.size()) return;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (left[i].name != right[i].name)
                return differ(fmt::format("{} number {}", what, i + 1), left[i].name, right[i].name);
            auto const a = describe(left[i]), b = describe(right[i]);
            for (std::size_t k = 0; k < a.size(); ++k) {
                if (a[k].second != b[k].second)
                    differ(fmt::format("the {} of the {} {}", a[k].first, what, left[i].name), a[k].second,
                           b[k].second);
            }
        }
    }

    void differ(std::string const& what, std::string_view left, std::string_view right) {
        found_.push_back(fmt::format("{} is '{}' in {} and '{}' in {}", what, left, left_, right, right_));
    }

    std::vector<std::string> take() { return std::move(found_); }

  private:
    template <class Table>
    void missing(std::string_view what, Table const& from, Table const& in, std::string_view from_name,
                 std::string_view in_name) {
        std::unordered_set<std::string_view> names;
        for (auto const& column : in) names.insert(column.name);
        for (auto const& column : from) {
            if (!names.contains(column.name))
                found_.push_back(
                    fmt::format("the {} {} is in {} and not in {}", what, column.name, from_name, in_name));
        }
    }

    std::string_view left_, right_;
    std::vector<std::string> found_;
};

using Facts = std::vector<std::pair<std::string_view, std::string>>;

Facts facts_of(models::Parameter const& p, bool with_meaning) {
    return {
        {"kind", std::string(schema::name_of(p.kind))}, {"unit", p.unit},
        {"meaning", with_meaning ? p.meaning : ""},     {"default", models::print_value(p, p.default_value)},
        {"mark 'assumed'", p.assumed ? "yes" : "no"},   {"list of items", fmt::format("{}", fmt::join(p.items, " "))}};
}

Facts facts_of(models::Metric const& m, bool with_meaning) {
    return {{"unit", m.unit},
            {"sense", std::string(schema::name_of(m.better))},
            {"meaning", with_meaning ? m.meaning : ""},
            {"mark 'assumed'", m.assumed ? "yes" : "no"}};
}

/// The machines in a canonical text: the text itself, or each entry of its `machines`.
std::vector<Json*> machines_in(Json& text) {
    std::vector<Json*> machines;
    if (!text.is_object()) return machines;
    if (!text.contains("machines")) return {&text};
    for (auto& machine : text["machines"]) machines.push_back(&machine);
    return machines;
}

/// Removes the constraints from the text of a space and returns them as "NAME (EXPR)".
std::set<std::string> take_conditions(Json& text) {
    std::set<std::string> conditions;
    for (auto* machine : machines_in(text)) {
        auto const prefix = machine->contains("name") ? machine->at("name").get<std::string>() + ": " : "";
        for (auto const& condition : machine->value("constraints", Json::array()))
            conditions.insert(
                fmt::format("{}{} ({})", prefix, condition.value("name", ""), condition.value("expr", "")));
        machine->erase("constraints");
    }
    return conditions;
}

[[noreturn]] void damaged_text(ResultFile const& file, Json::Error const& error) {
    throw sim::StorageError(file.path, "{} is damaged (the text of its space cannot be read: {})", file.path.string(),
                            error.what());
}

Json text_of_space(ResultFile const& file) {
    try {
        return Json::parse(file.columns.canonical_text);
    } catch (Json::Error const& error) {
        damaged_text(file, error);
    }
}

bool is_same_space(ResultFile const& a, ResultFile const& b) {
    return space::same_space(a.columns.canonical_text, a.columns.input_hashes, b.columns.canonical_text,
                             b.columns.input_hashes);
}

/// The text of a file's space without its constraints, and the constraints.
std::pair<Json, std::set<std::string>> without_conditions(ResultFile const& file) {
    auto text = text_of_space(file);
    try {
        auto conditions = take_conditions(text);
        return {std::move(text), std::move(conditions)};
    } catch (Json::Error const& error) {
        damaged_text(file, error);
    }
}

/// Calls look(key, left, right) for every key whose values differ; null stands for a value that is not there.
template <class Look>
void each_difference(Json const& left, Json const& right, Look const& look) {
    Json const none;
    for (auto const& [key, value] : left.items()) {
        auto const* other = right.member(key);
        if (other == nullptr || *other != value) look(key, value, other == nullptr ? none : *other);
    }
    for (auto const& [key, value] : right.items())
        if (!left.contains(key)) look(key, none, value);
}

/// Adds the names of parts of a space that differ: keys of its text or of a machine's, or names of parameters.
void add_subjects(Json const& left, Json const& right, std::set<std::string>& subjects) {
    each_difference(left, right, [&](std::string const& key, Json const& a, Json const& b) {
        if (key == "machines" && a.is_array() && b.is_array() && a.size() == b.size()) {
            for (std::size_t m = 0; m < a.size(); ++m) add_subjects(a[m], b[m], subjects);
        } else if (key == "parameters" && a.is_object() && b.is_object()) {
            each_difference(a, b, [&](std::string const& name, Json const&, Json const&) { subjects.insert(name); });
        } else {
            subjects.insert(key);
        }
    });
}

/// Throws an InputError that names the differing parts: "(they differ in banks, channels)".
[[noreturn]] void different_spaces(ResultFile const& a, Json const& left, ResultFile const& b, Json const& right) {
    constexpr std::size_t max = 8;
    std::set<std::string> subjects;
    add_subjects(left, right, subjects);
    std::vector<std::string> named(subjects.begin(), subjects.end());
    auto const more = named.size() > max ? fmt::format(" and {} more", named.size() - max) : "";
    named.resize(std::min(max, named.size()));
    throw sim::InputError("{} and {} belong to different spaces (they differ in {}{})", a.path.string(),
                          b.path.string(), fmt::join(named, ", "), more);
}

void check_columns(ResultFile const& a, ResultFile const& b) {
    if (sim::names_of(a.columns.metrics) != sim::names_of(b.columns.metrics))
        throw sim::InputError("{} and {} have different metrics (they were written by different versions)",
                              a.path.string(), b.path.string());
}

void check_architecture(ResultFile const& a, ResultFile const& b) {
    if (a.columns.architecture == b.columns.architecture) return;
    throw sim::InputError("{} is for {} and {} is for {} (only files of one space can be compared)", a.path.string(),
                          a.columns.architecture, b.path.string(), b.columns.architecture);
}

/// Whether the kept and the left-out points of blocks add up to the number of points of the blocks.
bool blocks_add_up(ResultFile const& file) {
    auto const& blocks = file.store.blocks();
    std::uint64_t in_blocks = 0, kept = 0, left_out = 0;
    for (auto const& [block, points] : blocks) in_blocks += points;
    for (Row row = 0; row < file.store.size(); ++row) {
        auto const task = file.store.task(row);
        if (blocks.contains({index_of(task.point) / space::BlockSummary::ids, task.fidelity})) ++kept;
    }
    for (auto const& count : file.store.left_out()) left_out += count.points;
    return in_blocks == kept + left_out;
}

/// Whether two shares of hypervolume are equal except for rounding: another order of additions changes the last bits.
bool same_share(double a, double b) {
    return std::isnan(a) || std::isnan(b) || agree(a, b, 1e-9) || std::abs(a - b) < 1e-12;
}

bool same_history(search::FrontHistory const& a, search::FrontHistory const& b) {
    return a.ids_per_row == b.ids_per_row && a.first_id == b.first_id && a.evaluations == b.evaluations &&
           a.size == b.size &&
           std::equal(a.hypervolume.begin(), a.hypervolume.end(), b.hypervolume.begin(), b.hypervolume.end(),
                      same_share) &&
           a.box.ideal == b.box.ideal && a.box.reference == b.box.reference;
}

/// Whether the front has the finest fidelity in the file. Files without a certificate may come from a version that
/// built the front from the finest feasible results.
bool is_finest(ResultFile const& file) {
    if (file.front_fidelity == search::finest_fidelity(file.store)) return true;
    if (file.certificate || file.front_fidelity > search::finest_fidelity(file.store)) return false;
    for (Row row = 0; row < file.store.size(); ++row)
        if (file.store.status(row) == search::Status::ok && file.store.task(row).fidelity > file.front_fidelity)
            return false;
    return true;
}

/// The constraints that only one of the two spaces has, one sentence each. Throws InputError if the spaces differ in
/// anything else.
std::vector<std::string> differing_conditions(ResultFile const& a, ResultFile const& b) {
    check_architecture(a, b);
    std::vector<std::string> sentences;
    if (!is_same_space(a, b)) {
        auto const [left, in_left] = without_conditions(a);
        auto const [right, in_right] = without_conditions(b);
        if (left != right) different_spaces(a, left, b, right);
        auto const only_in = [&](auto const& some, auto const& others, ResultFile const& file) {
            for (auto const& condition : some) {
                if (!others.contains(condition))
                    sentences.push_back(fmt::format("the constraint {} is in {} only", condition, file.path.string()));
            }
        };
        only_in(in_left, in_right, a);
        only_in(in_right, in_left, b);
        if (sentences.empty()) sentences.emplace_back("the constraints are in a different order");
    }
    check_columns(a, b);
    return sentences;
}

}  // namespace

Comparison compare(ResultFile const& left, ResultFile const& right, double relative) {
    Comparison comparison;
    comparison.conditions = differing_conditions(left, right);
    comparison.input = space::differing_input(left.columns.input_hashes, right.columns.input_hashes);
    comparison.columns = differing_definitions(left.columns, left.path.string(), right.columns, right.path.string());
    if (comparison.columns.empty()) comparison.columns = differing_values(left, right);
    auto const only_in = [](std::vector<space::PointId> a, std::vector<space::PointId> b) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        std::vector<space::PointId> rest;
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
        return rest;
    };
    comparison.gained = only_in(right.front, left.front);
    comparison.lost = only_in(left.front, right.front);
    for (Row const row : left.store.sorted()) {
        if (auto const found = right.store.find(left.store.task(row))) {
            compare_results(left, row, right, *found, relative, comparison.differences);
        } else {
            comparison.only_left.push_back(left.store.task(row));
        }
    }
    for (Row const row : right.store.sorted()) {
        if (!left.store.contains(right.store.task(row))) comparison.only_right.push_back(right.store.task(row));
    }
    return comparison;
}

void check_same_space(ResultFile const& a, ResultFile const& b) {
    check_architecture(a, b);
    if (!is_same_space(a, b)) different_spaces(a, text_of_space(a), b, text_of_space(b));
    check_columns(a, b);
}

std::vector<std::string> differing_definitions(space::Columns const& left, std::string_view left_name,
                                               space::Columns const& right, std::string_view right_name) {
    // Another version of the program may describe the same parameter in other words.
    bool const with_meaning = !space::differing_input(left.input_hashes, right.input_hashes);
    auto const facts = [&](auto const& column) { return facts_of(column, with_meaning); };
    Definitions definitions(left_name, right_name);
    definitions.compare("parameter", left.parameters, right.parameters, facts);
    definitions.compare("metric", left.metrics, right.metrics, facts);
    return definitions.take();
}

std::vector<std::string> differing_values(ResultFile const& left, ResultFile const& right) {
    std::vector<std::string> sentences;
    for (std::size_t p = 0; p < std::min(left.values.size(), right.values.size()); ++p) {
        auto const &a = left.columns.parameters[p], &b = right.columns.parameters[p];
        // Values are compared as numbers if both parameters have the same choices and items, otherwise as texts.
        bool const same_numbers = a.choices == b.choices && a.items == b.items;
        auto const same = [&](models::Value const& x, models::Value const& y) {
            bool const named = x.kind() == models::Kind::choice || x.kind() == models::Kind::permutation;
            if (x.kind() == y.kind() && (same_numbers || !named)) return x == y;
            return models::print_value(a, x) == models::print_value(b, y);
        };
        for (auto const row : left.store.sorted()) {
            auto const found = right.store.find(left.store.task(row));
            if (!found || same(left.values[p][row], right.values[p][*found])) continue;
            sentences.push_back(fmt::format("point {}: {} is {} in {} and {} in {}",
                                            index_of(left.store.task(row).point), a.name,
                                            models::print_value(a, left.values[p][row]), left.path.string(),
                                            models::print_value(b, right.values[p][*found]), right.path.string()));
            break;
        }
    }
    return sentences;
}

std::vector<std::string> check_consistency(ResultFile const& file) {
    std::vector<std::string> problems;
    auto const name = file.path.string();
    auto const& columns = file.columns;
    auto const identity = space::identity_text(columns.canonical_text, columns.input_hashes);
    // Earlier versions included the paths of the user's own files in the digest.
    bool const digest_includes_paths =
        identity != columns.canonical_text && search::digest(columns.canonical_text, file.store) == file.digest;
    if (auto const sum = search::digest(identity, file.store); sum != file.digest && !digest_includes_paths) {
        problems.push_back(
            fmt::format("{} states the digest {} but holds results with the digest {}", name, file.digest, sum));
    }
    if (!file.columns.objectives.empty() &&
        search::front_of(file.store, file.columns.objectives, file.front_fidelity).ids() != file.front) {
        problems.push_back(fmt::format("{} states a front that is not the front of its results", name));
    }
    if (!is_finest(file)) {
        problems.push_back(fmt::format("{} states a front of {} results, but has results of a finer fidelity", name,
                                       models::name_of(file.front_fidelity)));
    } else if (!file.columns.objectives.empty() &&
               !same_history(file.history,
                             search::front_history(file.store, file.columns.objectives, file.front_fidelity))) {
        problems.push_back(fmt::format("{} states a history of its front that is not that of its results", name));
    }
    if (file.stated_rules != file.store.counts_per_rule()) {
        problems.push_back(fmt::format("{} states counts of violated rules that are not those of its results", name));
    }
    if (!blocks_add_up(file))
        problems.push_back(
            fmt::format("{} states numbers of points in blocks that its results do not add up to", name));
    if (auto const broken = search::first_broken_bound(file.store, file.store, file.columns.metrics.size()))
        problems.push_back(search::text_of(*broken, file.columns.metrics));
    return problems;
}

std::vector<Row> sample_rows(ResultFile const& file, std::size_t count, std::uint64_t seed) {
    std::vector<Row> rows = file.store.sorted();
    std::size_t const wanted = std::min(count, rows.size());
    for (std::size_t i = 0; i < wanted; ++i) {
        std::size_t const other =
            i + static_cast<std::size_t>(sim::mixed_bits(seed * sim::golden_step + i) % (rows.size() - i));
        std::swap(rows[i], rows[other]);
    }
    rows.resize(wanted);
    return rows;
}

}  // namespace pimdse::dse::store
