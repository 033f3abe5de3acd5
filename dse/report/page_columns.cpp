#include "dse/report/page_columns.hpp"

#include "dse/report/packed_values.hpp"
#include "dse/report/point_json.hpp"
#include "dse/search/archive.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/limit_crossings.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace pimdse::dse::report {
namespace {

using search::Row;

using search::ResultStore;
using store::ResultFile;

/// In the order of need_names.
enum class Need : std::uint8_t { front, within, failed, other };

/// How much a page needs each row. It is `within` if the worst values that a member of the front may have do not
/// dominate the best values that it may have.
std::vector<Need> needs_of(ResultFile const& file) {
    auto const& store = file.store;
    auto const& objectives = file.columns.objectives;
    std::vector<double> values;
    auto const bounds = [&](Row row, bool better) -> std::vector<double> const& {
        values.clear();
        for (auto const& objective : objectives) {
            auto const estimate = store.estimate(row, objective.metric);
            bool const lower = (objective.better == models::Sense::minimize) == better;
            values.push_back(lower ? estimate.lower : estimate.upper);
        }
        return values;
    };
    search::Archive worst_of_front(senses_of(objectives));
    for (auto const id : file.front)
        if (auto const row = store.find({id, file.front_fidelity})) worst_of_front.insert(id, bounds(*row, false));
    std::vector<Need> needs(store.size(), Need::other);
    for (Row row = 0; row < store.size(); ++row) {
        if (store.status(row) != search::Status::ok)
            needs[row] = Need::failed;
        else if (store.task(row).fidelity == file.front_fidelity && !worst_of_front.dominates(bounds(row, true)))
            needs[row] = Need::within;
    }
    for (auto const id : file.front) {
        if (auto const row = store.find({id, file.front_fidelity})) needs[*row] = Need::front;
    }
    return needs;
}

using sim::Json;

constexpr std::size_t few_rows = 20000;  ///< up to this number, every row has every metric
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

enum class MetricClass : std::uint8_t { objective, common, other };

class ColumnMaker {
  public:
    ColumnMaker(store::ResultFile const& file, space::Columns const& known, std::span<Row const> rows,
                MetricSet metrics)
        : file_(file),
          store_(file.store),
          known_(known),
          rows_(rows),
          metrics_(rows.size() <= few_rows ? MetricSet::all : metrics),
          limits_(known),
          front_(file.front) {
        std::ranges::sort(front_);
    }

    PageColumns make() {
        add_about_rows();
        for (std::size_t p = 0; p < known_.parameters.size(); ++p) add_parameter(p);
        for (std::size_t m = 0; m < known_.metrics.size(); ++m) add_metric(m);
        add_crossings();
        add_robust();
        return std::move(page_);
    }

  private:
    void add(Json head, PackedValues column) {
        head["coding"] = name_of(column.coding);
        head["rows"] = column.rows;
        head["values"] = column.values;
        head["numbers"] = column.numbers;
        head["data"] = page_.data.size();
        page_.heads.push_back(std::move(head));
        page_.data.push_back(std::move(column.data));
    }

    template <class T, class Function>
    std::vector<T> each_row(Function const& function) const {
        std::vector<T> all(rows_.size());
        std::ranges::transform(rows_, all.begin(), function);
        return all;
    }

    void add_texts(std::string_view content, std::vector<std::string> const& texts,
                   std::vector<std::uint32_t> const& codes, Json more = Json::object()) {
        Json head{{"of", content}, {"texts", texts}};
        head.update(more);
        add(std::move(head), pack_codes(codes, texts.size()));
    }

    /// Adds a text per row, coded as a list of the distinct texts.
    void add_names(std::string_view content, std::function<std::string_view(Row)> const& name) {
        std::map<std::string, std::uint32_t, std::less<>> codes;
        for (auto const row : rows_) codes.try_emplace(std::string(name(row)), 0);
        std::vector<std::string> texts;
        for (auto& [text, code] : codes) {
            code = static_cast<std::uint32_t>(texts.size());
            texts.push_back(text);
        }
        add_texts(content, texts, each_row<std::uint32_t>([&](Row row) { return codes.find(name(row))->second; }));
    }

    void add_about_rows() {
        add({{"of", "point"}},
            pack_ids(each_row<std::uint64_t>([&](Row row) { return index_of(store_.task(row).point); })));
        add_names("fidelity", [&](Row row) { return models::name_of(store_.task(row).fidelity); });
        add_names("status", [&](Row row) { return search::name_of(store_.status(row)); });
        add_names("rule", [&](Row row) { return search::failure_of(store_, row); });
        add_names("front", [&](Row row) -> std::string_view { return on_front(row) ? "front" : ""; });
        if (!known_.machines.empty())
            add_names("machine", [&](Row row) -> std::string_view {
                return space::machine_of(known_, store_.task(row).point)->name;
            });
    }

    /// Adds the limits that a design meets by its estimates only, in sentences; no column if there are none.
    void add_crossings() {
        if (limits_.empty()) return;
        std::vector<std::string> sentences(store_.size());
        bool any = false;
        std::vector<models::Estimate> metrics(store_.metrics());
        std::vector<models::Value> point(file_.values.size());
        for (auto const row : rows_) {
            if (store_.status(row) != search::Status::ok) continue;
            for (std::size_t m = 0; m < metrics.size(); ++m)
                if (limits_.reads_metric(m)) metrics[m] = store_.estimate(row, m);
            for (std::size_t p = 0; p < point.size(); ++p) point[p] = file_.values[p][row];
            for (auto const& crossing : limits_.of(store_.task(row).point, point, metrics))
                sentences[row] += (sentences[row].empty() ? "" : "; ") + space::text_of(crossing);
            any = any || !sentences[row].empty();
        }
        if (any) add_names("crossing", [&](Row row) -> std::string_view { return sentences[row]; });
    }

    /// Adds front_share (0 for designs that were on no front) and regret (NaN for these) if the file has draws of
    /// uncertain constants.
    void add_robust() {
        if (!file_.robust) return;
        auto const draws = static_cast<double>(file_.robust->draws.size());
        auto const add_number = [&](char const* name, char const* better, char const* meaning, auto const& of) {
            add({{"of", "robust"}, {"name", name}, {"better", better}, {"meaning", meaning}},
                pack_doubles(each_row<double>([&](Row row) { return was_drawn(row) ? of(design_of(row)) : unknown; })));
        };
        using Design = search::RobustDesign const*;
        add_number("front_share", "maximize", "share of the draws of uncertain constants in which it is on the front",
                   [&](Design one) { return one == nullptr ? 0.0 : static_cast<double>(one->draws_on_front) / draws; });
        add_number("regret", "minimize", "by which share every objective is behind the front in the worst draw",
                   [](Design one) { return one == nullptr ? unknown : one->regret; });
    }

    /// True for the designs that a study of uncertain constants considers.
    [[nodiscard]] bool was_drawn(Row row) const {
        return store_.task(row).fidelity == file_.front_fidelity && store_.status(row) == search::Status::ok;
    }

    [[nodiscard]] search::RobustDesign const* design_of(Row row) const {
        return find_design(*file_.robust, store_.task(row).point);
    }

    [[nodiscard]] bool on_front(Row row) const {
        auto const task = store_.task(row);
        return task.fidelity == file_.front_fidelity && std::ranges::binary_search(front_, task.point);
    }

    void add_parameter(std::size_t p) {
        auto const& values = file_.values[p];
        std::vector<models::Value> list;
        std::vector<bool> present(rows_.size());
        std::map<void const*, bool> applies;  // by machine: a space has few, and names are slow to compare
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto const* machine = space::machine_of(known_, store_.task(rows_[i]).point);
            auto const [known, is_new] = applies.try_emplace(machine, false);
            if (is_new) known->second = space::applies(known_.parameters[p].name, machine);
            present[i] = known->second;
            if (present[i]) list.push_back(values[rows_[i]]);
        }
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
        if (list.size() >= max_codes) return add_numbers(p);
        std::vector<std::uint32_t> codes;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto const end = list.end();
            auto const at = present[i] ? std::ranges::lower_bound(list.begin(), end, values[rows_[i]]) : end;
            codes.push_back(static_cast<std::uint32_t>(at - list.begin()));
        }
        add_listed(p, list, codes);
    }

    /// If the parameter does not apply to all rows, an empty text follows the values.
    void add_listed(std::size_t p, std::vector<models::Value> const& list, std::vector<std::uint32_t> const& codes) {
        auto const& parameter = file_.columns.parameters[p];
        std::vector<std::string> texts;
        Json more{{"index", p}, {"words", Json::array()}, {"list", Json::array()}};
        for (auto const& value : list) {
            texts.push_back(models::print_value(parameter, value));
            more["words"].push_back(space::replay_words(file_.columns, p, value));
            more["list"].push_back(models::value_json(parameter, value));
        }
        if (std::ranges::find(codes, list.size()) != codes.end()) {
            texts.emplace_back();
            more["words"].push_back("");
            more["list"].push_back(nullptr);
        }
        add_texts("parameter", texts, codes, std::move(more));
    }

    /// Parameters with too many values for a list. They are never choices.
    void add_numbers(std::size_t p) {
        auto const& values = file_.values[p];
        add({{"of", "parameter"}, {"index", p}}, pack_doubles(each_row<double>([&](Row row) {
                auto const value = values[row];
                return value.kind() == models::Kind::quantity ? value.as_quantity()
                                                              : static_cast<double>(value.as_integer());
            })));
    }

    [[nodiscard]] std::string base_of(std::size_t m) const {
        return store::schema::name_and_scenario(known_.metrics[m].name).first;
    }

    [[nodiscard]] MetricClass class_of(std::size_t m) const {
        bool const is_objective =
            std::ranges::any_of(known_.objectives, [&](auto const& o) { return base_of(o.metric) == base_of(m); });
        if (is_objective) return MetricClass::objective;
        return models::find_common_metric(base_of(m)) != nullptr ? MetricClass::common : MetricClass::other;
    }

    [[nodiscard]] bool has_every_row(MetricClass metric) const {
        if (metrics_ == MetricSet::all || metric == MetricClass::objective) return true;
        return metrics_ == MetricSet::usual && metric == MetricClass::common;
    }

    void add_metric(std::size_t m) {
        auto const metric_class = class_of(m);
        add_values({{"of", "value"}, {"index", m}}, each_row<double>([&](Row row) { return store_.value(row, m); }),
                   has_every_row(metric_class));
        if (store_.exact(m)) return;
        // Intervals take most of the space and are mostly read for one design. If there are many rows, only the
        // objectives themselves have intervals in every row, and not the same metrics in each scenario.
        bool const itself =
            std::ranges::any_of(known_.objectives, [&](auto const& objective) { return objective.metric == m; });
        bool const every_row =
            rows_.size() <= few_rows ? metric_class == MetricClass::objective || limits_.reads_metric(m) : itself;
        auto const estimate = [&](Row row) {
            return every_row || on_front(row) ? store_.estimate(row, m) : models::Estimate::unbounded(unknown);
        };
        auto const bound_head = [&](char const* content) {
            Json head{{"of", content}, {"index", m}};
            if (!every_row) head["told"] = "front";
            return head;
        };
        add(bound_head("low"), pack_doubles(each_row<double>([&](Row row) { return estimate(row).lower; })));
        add(bound_head("high"), pack_doubles(each_row<double>([&](Row row) { return estimate(row).upper; })));
        std::vector<std::string> const kinds(sim::bound_names.begin(), sim::bound_names.end());
        add_texts("kind", kinds, each_row<std::uint32_t>([&](Row row) { return sim::number_of(estimate(row).kinds); }),
                  {{"index", m}});
    }

    /// Without `every_row`, a column of many distinct values keeps only those of designs on the front.
    void add_values(Json head, std::vector<double> values, bool every_row) {
        if (!every_row && !has_few(values)) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = on_front(rows_[i]) ? values[i] : unknown;
            head["only"] = need_names[0];
        }
        add(std::move(head), pack_doubles(values));
    }

    static bool has_few(std::span<double const> values) {
        constexpr std::size_t few = 256;
        std::unordered_set<std::uint64_t> found;
        for (double const value : values) {
            if (found.size() > few) return false;
            found.insert(std::bit_cast<std::uint64_t>(value));
        }
        return found.size() <= few;
    }

    store::ResultFile const& file_;
    search::ResultStore const& store_;
    space::Columns const& known_;
    std::span<Row const> rows_;
    MetricSet metrics_;
    space::LimitCrossings limits_;
    std::vector<space::PointId> front_;  ///< ascending
    PageColumns page_;
};

}  // namespace

RankedRows ranked_rows(ResultFile const& file) {
    auto const needs = needs_of(file);
    RankedRows ranked;
    ranked.rows.resize(needs.size());
    std::iota(ranked.rows.begin(), ranked.rows.end(), Row{0});
    auto const key = [&](Row row) {
        auto const task = file.store.task(row);
        return std::tuple(needs[row], sim::mixed_bits(index_of(task.point)), task.fidelity);
    };
    std::ranges::sort(ranked.rows, {}, key);
    for (auto const need : needs) ++ranked.counts[static_cast<std::size_t>(need)];
    return ranked;
}

std::vector<Row> RankedRows::first(ResultStore const& store, std::size_t count) const {
    std::vector<Row> chosen(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size())));
    std::ranges::sort(chosen, {}, [&](Row row) { return store.task(row); });
    return chosen;
}

RowsPerNeed RankedRows::counts_in(std::size_t count) const {
    RowsPerNeed in{};
    for (std::size_t need = 0; need < in.size(); ++need) {
        in[need] = std::min(counts[need], count);
        count -= in[need];
    }
    return in;
}

std::size_t PageColumns::bytes() const {
    std::size_t sum = heads.dump().size();
    for (auto const& text : data) sum += text.size();
    return sum;
}

PageColumns page_columns(store::ResultFile const& file, space::Columns const& known, std::span<Row const> rows,
                         MetricSet metrics) {
    return ColumnMaker(file, known, rows, metrics).make();
}

}  // namespace pimdse::dse::report
