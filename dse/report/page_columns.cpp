#include "dse/report/page_columns.hpp"

#include "dse/answers/failure_kinds.hpp"
#include "dse/report/packed_values.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/task/machine_name.hpp"
#include "dse/task/replay.hpp"
#include "dse/task/value_json.hpp"
#include "models/contract/parameter_text.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace pimdse::dse::report {
namespace {

using nlohmann::ordered_json;
using Row = answers::ResultStore::Row;

/// Makes the columns one after the other.
class ColumnMaker {
  public:
    ColumnMaker(store::result::ResultFile const& file, task::Columns const& known, std::span<Row const> rows)
        : file_(file), store_(file.store), known_(known), rows_(rows), front_(file.front) {
        std::ranges::sort(front_);
    }

    PageColumns make() {
        add_about_rows();
        for (std::size_t p = 0; p < known_.parameters.size(); ++p) add_parameter(p);
        for (std::size_t m = 0; m < known_.metrics.size(); ++m) add_metric(m);
        return std::move(page_);
    }

  private:
    void add(ordered_json head, PackedValues column) {
        head["coding"] = name_of(column.coding);
        head["rows"] = column.rows;
        head["values"] = column.values;
        head["numbers"] = column.numbers;
        head["data"] = page_.data.size();
        page_.heads.push_back(std::move(head));
        page_.data.push_back(std::move(column.data));
    }

    template <class T, class Of>
    std::vector<T> each_row(Of const& of) const {
        std::vector<T> all(rows_.size());
        std::ranges::transform(rows_, all.begin(), of);
        return all;
    }

    void add_texts(std::string_view of, std::vector<std::string> const& texts, std::vector<std::uint32_t> const& codes,
                   ordered_json more = ordered_json::object()) {
        ordered_json head{{"of", of}, {"texts", texts}};
        head.update(more);
        add(std::move(head), pack_codes(codes, texts.size()));
    }

    /// A text for each row; most rows have the same few.
    void add_names(std::string_view of, std::function<std::string_view(Row)> const& name) {
        std::map<std::string, std::uint32_t, std::less<>> codes;
        for (auto const row : rows_) codes.try_emplace(std::string(name(row)), 0);
        std::vector<std::string> texts;
        for (auto& [text, code] : codes) {
            code = static_cast<std::uint32_t>(texts.size());
            texts.push_back(text);
        }
        add_texts(of, texts, each_row<std::uint32_t>([&](Row row) { return codes.find(name(row))->second; }));
    }

    void add_about_rows() {
        add({{"of", "point"}},
            pack_ids(each_row<std::uint64_t>([&](Row row) { return index_of(store_.task(row).point); })));
        add_names("fidelity", [&](Row row) { return models::name_of(store_.task(row).fidelity); });
        add_names("status", [&](Row row) { return answers::name_of(store_.status(row)); });
        add_names("rule", [&](Row row) { return answers::failure_of(store_, row); });
        add_names("front", [&](Row row) -> std::string_view { return on_front(row) ? "front" : ""; });
        if (!known_.machines.empty())
            add_names("machine", [&](Row row) -> std::string_view {
                return task::machine_of(known_, store_.task(row).point)->name;
            });
    }

    [[nodiscard]] bool on_front(Row row) const {
        auto const task = store_.task(row);
        return task.fidelity == file_.front_fidelity && std::ranges::binary_search(front_, task.point);
    }

    [[nodiscard]] bool applies(std::size_t parameter, Row row) const {
        return task::applies(known_.parameters[parameter].name, task::machine_of(known_, store_.task(row).point));
    }

    void add_parameter(std::size_t p) {
        auto const& values = file_.values[p];
        std::vector<models::Value> list;
        std::vector<bool> here(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            here[i] = applies(p, rows_[i]);
            if (here[i]) list.push_back(values[rows_[i]]);
        }
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
        if (list.size() >= most_codes) return add_numbers(p);
        std::vector<std::uint32_t> codes;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            auto const end = list.end();
            auto const at = here[i] ? std::ranges::lower_bound(list.begin(), end, values[rows_[i]]) : end;
            codes.push_back(static_cast<std::uint32_t>(at - list.begin()));
        }
        add_listed(p, list, codes);
    }

    /// Behind the values comes what stands at points of other machines.
    void add_listed(std::size_t p, std::vector<models::Value> const& list, std::vector<std::uint32_t> const& codes) {
        auto const& parameter = file_.columns.parameters[p];
        std::vector<std::string> texts;
        ordered_json more{{"index", p}, {"words", ordered_json::array()}, {"list", ordered_json::array()}};
        for (auto const& value : list) {
            texts.push_back(models::print_value(parameter, value));
            more["words"].push_back(task::replay_words(file_.columns, p, value));
            more["list"].push_back(task::value_json(parameter, value));
        }
        if (std::ranges::find(codes, list.size()) != codes.end()) {
            texts.emplace_back();
            more["words"].push_back("");
            more["list"].push_back(nullptr);
        }
        add_texts("parameter", texts, codes, std::move(more));
    }

    /// Too many to be listed, which choices never are.
    void add_numbers(std::size_t p) {
        auto const& values = file_.values[p];
        add({{"of", "parameter"}, {"index", p}}, pack_doubles(each_row<double>([&](Row row) {
                auto const value = values[row];
                return value.kind() == models::Kind::quantity ? value.as_quantity()
                                                              : static_cast<double>(value.as_integer());
            })));
    }

    void add_metric(std::size_t m) {
        auto const estimate = [&](Row row) { return store_.estimate(row, m); };
        auto const add_end = [&](std::string_view of, auto const& end) {
            add({{"of", of}, {"index", m}}, pack_doubles(each_row<double>(end)));
        };
        add_end("value", [&](Row row) { return estimate(row).value; });
        if (store_.exact(m)) return;
        bool const everywhere = is_objective(m);
        auto const told = [&](Row row) {
            constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
            return everywhere || on_front(row) ? estimate(row) : models::Estimate::unbounded(unknown);
        };
        add_end("low", [&](Row row) { return told(row).low; });
        add_end("high", [&](Row row) { return told(row).high; });
        std::vector<std::string> const kinds(sim::bound_names.begin(), sim::bound_names.end());
        add_texts("kind", kinds, each_row<std::uint32_t>([&](Row row) { return sim::number_of(told(row).kinds); }),
                  {{"index", m}});
    }

    /// In any scenario. Others take most of the room, and are looked at beside one design.
    [[nodiscard]] bool is_objective(std::size_t m) const {
        auto const base = [&](std::size_t of) {
            return store::result::schema::name_and_scenario(known_.metrics[of].name).first;
        };
        return std::ranges::any_of(known_.objectives, [&](auto const& o) { return base(o.metric) == base(m); });
    }

    store::result::ResultFile const& file_;
    answers::ResultStore const& store_;
    task::Columns const& known_;
    std::span<Row const> rows_;
    std::vector<task::PointId> front_;  ///< ascending
    PageColumns page_;
};

}  // namespace

std::size_t PageColumns::bytes() const {
    std::size_t sum = heads.dump().size();
    for (auto const& text : data) sum += text.size();
    return sum;
}

PageColumns page_columns(store::result::ResultFile const& file, task::Columns const& known, std::span<Row const> rows) {
    return ColumnMaker(file, known, rows).make();
}

}  // namespace pimdse::dse::report
