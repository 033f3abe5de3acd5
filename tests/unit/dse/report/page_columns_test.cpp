#include "dse/report/page_columns.hpp"

#include "dse/search/point_counts.hpp"
#include "dse/store/result_writer.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/random.hpp"
#include "tests/unit/dse/report/page_reader.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace pimdse::dse::report::page_columns_test {
namespace {

namespace sample = store::sample;
using models::Estimate;
using search::Row;
using sim::Json;

/// Reads columns as the page does, and by nothing but what their heads say.
class Reader {
  public:
    explicit Reader(PageColumns const& page) : page_(page) {}

    [[nodiscard]] Json const* head(std::string const& of, std::size_t index = 0) const {
        for (auto const& head : page_.heads) {
            if (head["of"] == of && head.value("index", std::size_t{0}) == index) return &head;
        }
        return nullptr;
    }

    [[nodiscard]] std::vector<std::uint64_t> codes(Json const& head, std::size_t behind = 0) const {
        auto const rows = head["rows"].get<std::size_t>(), values = head["values"].get<std::size_t>();
        std::size_t const width = values <= 1 ? 0 : values <= 256 ? 1 : 2;
        auto const bytes = bytes_of(head, behind + rows * width);
        std::vector<std::uint64_t> codes;
        for (std::size_t i = 0; i < rows; ++i) codes.push_back(testing::word_at(bytes, behind, rows, i, width));
        return codes;
    }

    [[nodiscard]] std::vector<std::string> texts(std::string const& of, std::size_t index = 0) const {
        auto const& head = *this->head(of, index);
        std::vector<std::string> texts;
        for (auto const code : codes(head)) texts.push_back(head["texts"].at(code).get<std::string>());
        return texts;
    }

    [[nodiscard]] std::vector<double> numbers(Json const& head) const {
        auto const rows = head["rows"].get<std::size_t>();
        std::vector<double> numbers;
        if (head["coding"] == "words") {
            auto const bytes = bytes_of(head, rows * 8);
            for (std::size_t i = 0; i < rows; ++i)
                numbers.push_back(std::bit_cast<double>(testing::word_at(bytes, 0, rows, i, 8)));
            return numbers;
        }
        auto const values = head["values"].get<std::size_t>();
        auto const list = codes(head, values * 8);
        std::size_t const width = values <= 1 ? 0 : values <= 256 ? 1 : 2;
        auto const words = testing::sums_at(bytes_of(head, values * 8 + rows * width), 0, values);
        for (auto const code : list) numbers.push_back(std::bit_cast<double>(words.at(code)));
        return numbers;
    }

    [[nodiscard]] std::vector<std::uint64_t> ids() const {
        auto const& head = *this->head("point");
        auto const rows = head["rows"].get<std::size_t>();
        return testing::sums_at(bytes_of(head, rows * 8), 0, rows);
    }

  private:
    [[nodiscard]] std::string const& data(Json const& head) const {
        return page_.data.at(head["data"].get<std::size_t>());
    }

    [[nodiscard]] std::vector<std::uint8_t> bytes_of(Json const& head, std::size_t size) const {
        return testing::inflated(testing::from_base64(data(head)), size);
    }

    PageColumns const& page_;
};

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

store::ResultFile sealed(std::vector<space::Result> const& results, sample::TemporaryDirectory const& directory) {
    auto const path = directory / "run.h5";
    store::seal(path, sample::columns(), sample::store(results), {});
    return store::load_result_file(path);
}

/// Feasible and exact results with speed = 3 / (latency * energy).
std::vector<space::Result> following(std::uint64_t count) {
    std::vector<space::Result> results;
    for (std::uint64_t id = 0; id < count; ++id) {
        double const latency = 1e-3 * (1.0 + sim::mixed_fraction(id)), energy = 1.0 + sim::mixed_fraction(id + 500'000);
        results.push_back({{space::PointId{id}, models::Fidelity::analytic},
                           models::Metrics{Estimate::exact(latency), Estimate::exact(energy),
                                           Estimate::exact(3.0 / (latency * energy))}});
    }
    return results;
}

std::vector<Row> every_third(store::ResultFile const& file) {
    std::vector<Row> rows;
    for (Row row = 0; row < file.store.size(); row += 3) rows.push_back(row);
    return rows;
}

TEST(PageColumns, say_of_each_row_what_the_file_says) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(sample::results(0, 3000), directory);
    auto const rows = every_third(file);
    auto const page = page_columns(file, file.columns, rows, MetricSet::all);
    Reader const reader(page);
    auto const ids = reader.ids();
    auto const fidelity = reader.texts("fidelity"), status = reader.texts("status"), rule = reader.texts("rule"),
               front = reader.texts("front");
    ASSERT_EQ(ids.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const task = file.store.task(rows[i]);
        ASSERT_EQ(ids[i], index_of(task.point));
        EXPECT_EQ(fidelity[i], models::name_of(task.fidelity));
        EXPECT_EQ(status[i], search::name_of(file.store.status(rows[i])));
        EXPECT_EQ(rule[i], search::failure_of(file.store, rows[i]));
        EXPECT_EQ(front[i] == "front", std::ranges::find(file.front, task.point) != file.front.end());
    }
    for (std::size_t p = 0; p < file.columns.parameters.size(); ++p) {
        auto const texts = reader.texts("parameter", p);
        for (std::size_t i = 0; i < rows.size(); ++i)
            ASSERT_EQ(texts[i], models::print_value(file.columns.parameters[p], file.values[p][rows[i]])) << p;
    }
}

TEST(PageColumns, have_every_bit_of_metrics_and_of_the_intervals_that_are_told) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(sample::results(0, 3000), directory);
    auto const rows = every_third(file);
    auto const page = page_columns(file, file.columns, rows, MetricSet::all);
    Reader const reader(page);
    for (std::size_t m = 0; m < file.columns.metrics.size(); ++m) {
        ASSERT_NE(reader.head("value", m), nullptr);
        auto const values = reader.numbers(*reader.head("value", m));
        for (std::size_t i = 0; i < rows.size(); ++i)
            ASSERT_TRUE(same(values[i], file.store.value(rows[i], m))) << m << " in row " << i;
        if (file.store.exact(m)) {
            EXPECT_EQ(reader.head("low", m), nullptr) << "exact metrics have no intervals";
            continue;
        }
        auto const lower = reader.numbers(*reader.head("low", m)), upper = reader.numbers(*reader.head("high", m));
        auto const kinds = reader.texts("kind", m);
        bool const is_objective = m < 2;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto const point = file.store.task(rows[i]).point;
            bool const told = is_objective || std::ranges::find(file.front, point) != file.front.end();
            if (!told) continue;
            auto const estimate = file.store.estimate(rows[i], m);
            ASSERT_TRUE(same(lower[i], estimate.lower) && same(upper[i], estimate.upper)) << m << " in row " << i;
            ASSERT_EQ(kinds[i], name_of(estimate.kinds));
        }
    }
}

TEST(PageColumns, have_the_share_of_draws_and_the_regret_of_feasible_designs_if_there_were_draws) {
    sample::TemporaryDirectory const directory;
    auto file = sealed(sample::results(0, 300), directory);
    auto const rows = every_third(file);
    EXPECT_EQ(Reader(page_columns(file, file.columns, rows, MetricSet::all)).head("robust"), nullptr);
    auto const drawn = file.store.task(rows[file.store.status(rows[0]) == search::Status::ok ? 0 : 1]).point;
    file.robust =
        search::RobustFront{.draws = {{1.0}, {2.0}}, .designs = {{.point = drawn, .draws_on_front = 1, .regret = 0.5}}};
    auto const page = page_columns(file, file.columns, rows, MetricSet::all);
    std::vector<Json> heads;
    for (auto const& head : page.heads)
        if (head["of"] == "robust") heads.push_back(head);
    ASSERT_EQ(heads.size(), 2);
    EXPECT_EQ(heads[0]["name"], "front_share");
    EXPECT_EQ(heads[1]["name"], "regret");
    auto const share = Reader(page).numbers(heads[0]), regret = Reader(page).numbers(heads[1]);
    bool found = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const task = file.store.task(rows[i]);
        bool const considered =
            task.fidelity == file.front_fidelity && file.store.status(rows[i]) == search::Status::ok;
        bool const on_front = considered && task.point == drawn;
        found = found || on_front;
        if (considered)
            EXPECT_EQ(share[i], on_front ? 0.5 : 0.0);
        else
            EXPECT_TRUE(std::isnan(share[i]));
        EXPECT_EQ(std::isnan(regret[i]), !on_front);
    }
    EXPECT_TRUE(found);
}

TEST(PageColumns, of_many_designs_have_the_intervals_of_objectives_themselves_and_not_of_every_scenario) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(sample::results(0, 3000), directory);
    ASSERT_TRUE(!file.store.exact(0) && file.store.exact(1));
    auto of_scenario = file.columns;
    of_scenario.objectives = {{1, models::Sense::minimize}};
    of_scenario.metrics[0].name = of_scenario.metrics[1].name + "@chat";
    auto const sorted = file.store.sorted();
    auto const told = [&](space::Columns const& known, std::size_t times) {
        std::vector<Row> rows;
        for (std::size_t i = 0; i < times; ++i) rows.insert(rows.end(), sorted.begin(), sorted.end());
        auto const page = page_columns(file, known, rows, MetricSet::usual);
        Reader const reader(page);
        auto const lower = reader.numbers(*reader.head("low", 0));
        auto const known_lower_bounds = std::ranges::count_if(lower, [](double end) { return !std::isnan(end); });
        return static_cast<std::size_t>(known_lower_bounds) / times;
    };
    auto const feasible = static_cast<std::size_t>(
        std::ranges::count_if(sorted, [&](Row row) { return file.store.status(row) == search::Status::ok; }));
    EXPECT_EQ(told(file.columns, 1), feasible);
    EXPECT_EQ(told(file.columns, 7), feasible);
    EXPECT_EQ(told(of_scenario, 1), feasible);
    EXPECT_EQ(told(of_scenario, 7), file.front.size());
}

TEST(PageColumns, of_one_row_and_of_none_are_columns_too) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(following(10), directory);
    std::vector<Row> const one{7};
    auto const page = page_columns(file, file.columns, one, MetricSet::all);
    Reader const reader(page);
    EXPECT_EQ(reader.ids(), std::vector<std::uint64_t>{7});
    EXPECT_TRUE(same(reader.numbers(*reader.head("value", 0))[0], file.store.value(7, 0)));
    auto const none = page_columns(file, file.columns, {}, MetricSet::all);
    for (auto const& head : none.heads) EXPECT_EQ(head["rows"], 0) << head.dump();
    EXPECT_EQ(none.heads.size(), page.heads.size());
}

TEST(PageColumns, take_as_many_bytes_as_they_say) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(following(300), directory);
    auto const page = page_columns(file, file.columns, every_third(file), MetricSet::all);
    std::size_t bytes = page.heads.dump().size();
    std::set<std::size_t> places;
    for (auto const& text : page.data) bytes += text.size();
    for (auto const& head : page.heads) places.insert(head["data"].get<std::size_t>());
    EXPECT_EQ(page.bytes(), bytes);
    EXPECT_EQ(places.size(), page.data.size()) << "each text belongs to one head";
    EXPECT_EQ(*places.rbegin(), page.data.size() - 1);
}

}  // namespace
}  // namespace pimdse::dse::report::page_columns_test
