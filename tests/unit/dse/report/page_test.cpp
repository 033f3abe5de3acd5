#include "dse/report/page.hpp"

#include "dse/report/page_columns.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/report/page_reader.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::dse::report::page_test {
namespace {

namespace sample = store::sample;
using sim::Json;

constexpr std::string_view small_template =
    "<!doctype html><!-- pimdse report --><meta content=\"@POLICY@\"><title>@TITLE@</title><style>p{}</style>"
    "@DATA@<script id=\"program\">start()</script>";

/// Of one objective, so that the front is small.
store::ResultFile sealed(std::uint64_t results, sample::TemporaryDirectory const& directory) {
    auto const path = directory / "run.h5";
    auto columns = sample::columns();
    columns.objectives.resize(1);
    store::seal(path, columns, sample::store(sample::results(0, results)), {});
    return store::load_result_file(path);
}

std::string page_with(store::ResultFile const& file, PageSettings const& settings) {
    return page_of(file, nullptr, "none here", small_template, settings);
}

std::string element(std::string const& page, std::string const& id) {
    auto const at = page.find("<script id=\"" + id + "\"");
    auto const begin = page.find('>', at) + 1;
    return page.substr(begin, page.find("</script>", begin) - begin);
}

Json facts_in(std::string const& page) { return Json::parse(element(page, "facts")); }

std::vector<std::uint64_t> ids_in(std::string const& page, Json const& facts) {
    for (auto const& head : facts["columns"]) {
        if (head["of"] != "point") continue;
        auto const rows = head["rows"].get<std::size_t>();
        auto const text = element(page, "data-" + head["data"].dump());
        auto const bytes = testing::inflated(testing::from_base64(text), rows * 8);
        return testing::sums_at(bytes, 0, rows);
    }
    return {};
}

TEST(Page, has_every_row_where_all_fit) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(900, directory);
    auto const page = page_with(file, {.title = "run"});
    auto const facts = facts_in(page);
    EXPECT_EQ(facts["rows"]["shown"], file.store.size());
    EXPECT_EQ(facts["evaluated"], 900);
    std::vector<std::uint64_t> ids;
    for (auto const row : file.store.sorted()) ids.push_back(index_of(file.store.task(row).point));
    EXPECT_EQ(ids_in(page, facts), ids);
}

TEST(Page, keeps_the_front_and_says_what_is_missing_where_rows_do_not_fit) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(14000, directory);
    auto const whole = page_with(file, {.title = "run"});
    EXPECT_EQ(facts_in(whole)["space_title"], "");
    auto const part = page_with(file, {.title = "run", .max_bytes = whole.size() / 2});
    EXPECT_LE(part.size(), whole.size() / 2 + small_template.size() + 4096);
    auto const facts = facts_in(part);
    auto const ids = ids_in(part, facts);
    EXPECT_LT(ids.size(), file.store.size());
    EXPECT_GT(ids.size(), file.store.size() / 5);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    std::set<std::uint64_t> const here(ids.begin(), ids.end());
    for (auto const id : file.front) EXPECT_TRUE(here.contains(index_of(id))) << index_of(id);
    std::size_t sum = 0;
    for (auto const& need : facts["rows"]["needs"]) sum += need[1].get<std::size_t>();
    EXPECT_EQ(sum, ids.size());
    EXPECT_EQ(facts["rows"]["of"], file.store.size());
}

TEST(Page, ranks_what_may_be_on_the_front_before_failures_and_the_rest) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(3000, directory);
    auto const ranked = ranked_rows(file);
    EXPECT_EQ(ranked.rows.size(), file.store.size());
    EXPECT_EQ(ranked.counts[0], file.front.size());
    std::set<std::uint64_t> first;
    for (std::size_t i = 0; i < ranked.counts[0]; ++i) first.insert(index_of(file.store.task(ranked.rows[i]).point));
    for (auto const id : file.front) EXPECT_TRUE(first.contains(index_of(id)));
    auto const failed = ranked.counts[0] + ranked.counts[1];
    for (std::size_t i = 0; i < ranked.rows.size(); ++i) {
        bool const is_failed = i >= failed && i < failed + ranked.counts[2];
        EXPECT_EQ(file.store.status(ranked.rows[i]) != search::Status::ok, is_failed);
    }
    EXPECT_EQ(ranked.counts_in(failed), (RowsPerNeed{ranked.counts[0], ranked.counts[1], 0, 0}));
}

TEST(Page, lets_no_text_of_a_file_become_markup) {
    sample::TemporaryDirectory const directory;
    auto const file = sealed(50, directory);
    auto const page = page_with(file, {.title = "</script><script>alert(1)</script>@DATA@ \"&"});
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("</script><script>"), std::string::npos);
    EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;@DATA@ &quot;&amp;</title>"),
              std::string::npos);
    EXPECT_EQ(facts_in(page)["title"], "</script><script>alert(1)</script>@DATA@ \"&");
}

TEST(Page, allows_its_own_program_and_nothing_else) {
    sample::TemporaryDirectory const directory;
    auto const page = page_with(sealed(50, directory), {.title = "run"});
    EXPECT_NE(page.find("content=\"default-src 'none'; script-src 'sha256-"), std::string::npos);
    // printf 'start()' | openssl dgst -sha256 -binary | base64, and the same of 'p{}'
    EXPECT_NE(page.find("script-src 'sha256-DIm7WJS6ZKDYe5qFLPy+h4JFI9Bol5QmYC57mt3Fb00='"), std::string::npos);
    EXPECT_NE(page.find("style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='"), std::string::npos);
}

TEST(Page, calls_a_front_that_of_all_points_only_where_all_are_evaluated_at_its_fidelity) {
    sample::TemporaryDirectory const directory;
    auto results = sample::results(0, sample::points);
    for (std::uint64_t id = 0; id < 20; ++id) results.push_back(sample::result(id, models::Fidelity::cycle));
    auto columns = sample::columns();
    columns.points = sample::points;
    columns.objectives.resize(1);
    store::seal(directory / "run.h5", columns, sample::store(results), {});
    auto const file = store::load_result_file(directory / "run.h5");
    EXPECT_EQ(facts_in(page_with(file, {.title = "run"}))["statement"],
              "front of the 20 points that were evaluated, at cycle fidelity");
}

TEST(Page, says_that_a_space_is_not_known) {
    sample::TemporaryDirectory const directory;
    auto const facts = facts_in(page_with(sealed(50, directory), {.title = "run"}));
    EXPECT_EQ(facts["explained"]["why"], "none here");
    EXPECT_EQ(facts["explained"]["answered"], 0);
}

/// Metrics that a page has of designs on the front alone.
std::set<std::string> left_out(Json const& facts) {
    std::set<std::string> names;
    for (auto const& head : facts["columns"]) {
        if (head.value("only", "") == "front")
            names.insert(facts["metrics"][head["index"].get<std::size_t>()]["name"].get<std::string>());
    }
    return names;
}

TEST(Page, has_all_metrics_of_many_designs_where_that_is_asked) {
    sample::TemporaryDirectory const directory;
    auto results = sample::results(0, sample::points);
    for (std::uint64_t id = 0; id < sample::points; ++id)
        results.push_back(sample::result(id, models::Fidelity::cycle));
    auto columns = sample::columns();
    columns.objectives.resize(1);
    ASSERT_EQ(columns.metrics[columns.objectives[0].metric].name, "latency");
    store::seal(directory / "run.h5", columns, sample::store(results), {});
    auto const file = store::load_result_file(directory / "run.h5");
    auto const left_out_by = [&](MetricSet metrics) {
        return left_out(facts_in(page_with(file, {.title = "run", .metrics = metrics})));
    };
    EXPECT_EQ(left_out_by(MetricSet::all), std::set<std::string>{});
    EXPECT_EQ(left_out_by(MetricSet::usual), std::set<std::string>{"speed"});
    EXPECT_EQ(left_out_by(MetricSet::objectives), (std::set<std::string>{"energy", "speed"}));
}

TEST(Page, replaces_its_own_kind_only) {
    sample::TemporaryDirectory const directory;
    EXPECT_TRUE(may_be_replaced(directory / "new.html"));
    sample::set_content(directory / "page.html", std::string(small_template));
    EXPECT_TRUE(may_be_replaced(directory / "page.html"));
    sample::set_content(directory / "thesis.html", "<!doctype html><title>my thesis</title>");
    EXPECT_FALSE(may_be_replaced(directory / "thesis.html"));
}

}  // namespace
}  // namespace pimdse::dse::report::page_test
