#include "dse/store/result/column_comparison.hpp"

#include "dse/store/result/result_schema.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pimdse::dse::store::result {
namespace {

/// Two tables and what they say differently.
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
        for (auto const& column : from) {
            auto const same = [&](auto const& other) { return other.name == column.name; };
            if (std::none_of(in.begin(), in.end(), same))
                found_.push_back(
                    fmt::format("the {} {} is in {} and not in {}", what, column.name, from_name, in_name));
        }
    }

    std::string_view left_, right_;
    std::vector<std::string> found_;
};

using Facts = std::vector<std::pair<std::string_view, std::string>>;

Facts facts_of(models::Parameter const& p) {
    return {{"kind", std::string(schema::name_of(p.kind))},
            {"unit", p.unit},
            {"meaning", p.meaning},
            {"default", models::print_value(p, p.fallback)},
            {"mark 'assumed'", p.assumed ? "yes" : "no"},
            {"list of items", fmt::format("{}", fmt::join(p.items, " "))}};
}

Facts facts_of_metric(models::Metric const& m) {
    return {{"unit", m.unit},
            {"sense", std::string(schema::name_of(m.better))},
            {"meaning", m.meaning},
            {"mark 'assumed'", m.assumed ? "yes" : "no"}};
}

/// Numbers decide where both have the same choices; texts else.
class SameValue {
  public:
    SameValue(models::Parameter const& left, models::Parameter const& right)
        : left_(left), right_(right), same_numbers_(left.choices == right.choices && left.items == right.items) {}

    [[nodiscard]] bool operator()(models::Value const& a, models::Value const& b) const {
        bool const named = a.kind() == models::Kind::choice || a.kind() == models::Kind::permutation;
        if (a.kind() == b.kind() && (same_numbers_ || !named)) return a == b;
        return models::print_value(left_, a) == models::print_value(right_, b);
    }

  private:
    models::Parameter const& left_;
    models::Parameter const& right_;
    bool same_numbers_;
};

}  // namespace

void check_same_space(ResultFile const& a, ResultFile const& b) {
    if (a.columns.architecture != b.columns.architecture) {
        throw sim::InputError(fmt::format("{} is about {} and {} about {} (only files of one space can be compared)",
                                          a.path.string(), a.columns.architecture, b.path.string(),
                                          b.columns.architecture));
    }
    if (a.columns.canonical_text != b.columns.canonical_text) {
        throw sim::InputError(
            fmt::format("{} and {} are of different spaces (parameters, constraints or inputs differ)", a.path.string(),
                        b.path.string()));
    }
    auto const names = [](ResultFile const& file) {
        std::vector<std::string> list;
        for (auto const& metric : file.columns.metrics) list.push_back(metric.name);
        return list;
    };
    if (names(a) != names(b)) {
        throw sim::InputError(fmt::format("{} and {} have different metrics (they were written by different versions)",
                                          a.path.string(), b.path.string()));
    }
}

std::vector<std::string> differing_definitions(task::Columns const& left, std::string_view left_name,
                                               task::Columns const& right, std::string_view right_name) {
    Definitions definitions(left_name, right_name);
    definitions.compare("parameter", left.parameters, right.parameters, facts_of);
    definitions.compare("metric", left.metrics, right.metrics, facts_of_metric);
    return definitions.take();
}

std::vector<std::string> differing_values(ResultFile const& left, ResultFile const& right) {
    std::vector<std::string> found;
    for (std::size_t p = 0; p < std::min(left.values.size(), right.values.size()); ++p) {
        auto const &a = left.columns.parameters[p], &b = right.columns.parameters[p];
        SameValue const same(a, b);
        for (auto const row : left.store.sorted()) {
            auto const there = right.store.find(left.store.task(row));
            if (!there || same(left.values[p][row], right.values[p][*there])) continue;
            found.push_back(fmt::format("point {}: {} is {} in {} and {} in {}", index_of(left.store.task(row).point),
                                        a.name, models::print_value(a, left.values[p][row]), left.path.string(),
                                        models::print_value(b, right.values[p][*there]), right.path.string()));
            break;
        }
    }
    return found;
}

}  // namespace pimdse::dse::store::result
