#include "dse/space/metric_table.hpp"

#include "../store/sample.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/space_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/digest.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace pimdse::dse::space::table_reader_test {
namespace {

using store::sample::set_content;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string const quality =
    "# ours\nweight_bits,llm,accuracy,perplexity\n4,opt-125m,0.5,30.5\n8,opt-125m,0.625,28\n"
    "model,opt-125m,0.75,27.5\n4,\"opt-1.3b\",0.6875,15\n8,opt-1.3b,0.875,14.5\n";
std::string const with_table =
    "[table]\nfile = \"quality.csv\"\nkeys = [\"weight_bits\", \"llm\"]\n"
    "metrics = { accuracy = \"higher\", perplexity = { better = \"lower\" } }\n";
std::string const designs = "weight_bits = [\"model\", \"4\", \"8\"]\nchannels = [1, 2]\n";
std::string const one_request = "[workload]\nllm = \"opt-125m\"\ninput = 64\noutput = 8\n";
std::string const two_requests =
    "[[scenario]]\nname = \"small\"\nllm = \"opt-125m\"\ninput = 64\noutput = 8\nweight = 3\n"
    "[[scenario]]\nname = \"large\"\nllm = \"opt-1.3b\"\ninput = 32\noutput = 16\n";

std::string umdam(std::string const& objectives, std::string const& rest) {
    return "schema = 2\narchitecture = \"umdam\"\nobjectives = [" + objectives + "]\n[parameters]\n" + designs + rest;
}

class Tables : public ::testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "sub");
        set_content(folder_ / "quality.csv", quality);
    }
    [[nodiscard]] Space space(std::string const& text, std::string const& name = "s.toml") const {
        return space::parse_space(text, (folder_ / name).string());
    }
    [[nodiscard]] std::vector<std::string> mistakes(std::string const& text) const {
        return mistakes_by([&] { (void)space(text); });
    }
    [[nodiscard]] std::vector<std::string> mistakes_of_file(std::string const& table) const {
        set_content(folder_ / "quality.csv", table);
        return mistakes(umdam("\"latency\"", one_request + with_table));
    }
    [[nodiscard]] std::string path(std::string const& name) const { return (folder_ / name).string(); }
    store::sample::TemporaryDirectory folder_;
};

double value_of(Space const& space, models::Outcome const& outcome, std::string const& metric) {
    auto const at = models::find_metric(space.metrics(), metric);
    auto const& estimate = std::get<models::Metrics>(outcome).at(static_cast<std::size_t>(at));
    EXPECT_TRUE(metric.starts_with("accuracy") ? estimate.is_exact() : true);
    return estimate.value;
}

/// What a sweep gives is what a sweep without the table gives, joined with the rows by hand.
TEST_F(Tables, join_their_rows_to_what_is_evaluated) {
    std::map<std::string, std::map<std::string, double>> const accuracy{
        {"opt-125m", {{"4", 0.5}, {"8", 0.625}, {"model", 0.75}}}, {"opt-1.3b", {{"4", 0.6875}, {"8", 0.875}}}};
    for (auto const& requests : {one_request, two_requests}) {
        bool const several = requests == two_requests;
        auto const joined = space(umdam("\"latency\", \"accuracy\", \"latency / accuracy\"", requests + with_table));
        auto const bare = space(umdam("\"latency\"", requests));
        ASSERT_EQ(joined.size(), bare.size());
        for (std::uint64_t id = 0; id < bare.size(); ++id) {
            std::vector<models::Value> point;
            bare.decode(PointId{id}, point);
            auto const& parameters = bare.machines().front().parameters();
            auto const bits = static_cast<std::size_t>(models::find_parameter(parameters, "weight_bits"));
            auto const text = models::print_value(parameters[bits], point[bits]);
            Task const task{PointId{id}, models::Fidelity::analytic};
            auto const with = space::evaluate(joined, task).outcome, without = space::evaluate(bare, task).outcome;
            if (several && text == "model") {
                auto const& refused = std::get<models::Infeasible>(with);
                EXPECT_EQ(refused.rule, "table");
                EXPECT_EQ(refused.reason, "large: quality.csv has no row with weight_bits = model, llm = opt-1.3b");
                continue;
            }
            double const small = accuracy.at("opt-125m").at(text);
            double const large = several ? accuracy.at("opt-1.3b").at(text) : 0.0;
            double const all = several ? (3.0 * small + large) / 4.0 : small;
            EXPECT_DOUBLE_EQ(value_of(joined, with, "accuracy"), all);
            EXPECT_DOUBLE_EQ(value_of(joined, with, "latency / accuracy"), value_of(bare, without, "latency") / all);
            if (several) {
                EXPECT_EQ(value_of(joined, with, "accuracy@small"), small);
                EXPECT_EQ(value_of(joined, with, "accuracy@large"), large);
            }
            for (auto const& metric : bare.metrics()) {
                double const a = value_of(joined, with, metric.name), b = value_of(bare, without, metric.name);
                EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << metric.name;
            }
        }
    }
}

TEST_F(Tables, are_metrics_of_conditions_aggregates_and_assumptions) {
    auto const read = space(umdam(
        "\"latency\"", two_requests + with_table + "[aggregate]\naccuracy = \"worst\"\n" +
                           "[[constraint]]\nname = \"good\"\nexpr = \"accuracy@small >= 0.6 and perplexity < 40\"\n"));
    EXPECT_EQ(read.machines().front().constraints.size(), 1U);
    auto const with_under = "under = [\"accuracy >= 0.6\"]\n" + umdam("\"latency\"", one_request + with_table);
    EXPECT_THAT(space(with_under).under(), ElementsAre("accuracy >= 0.6"));
}

TEST_F(Tables, are_inputs_that_results_keep) {
    for (auto const& requests : {one_request, two_requests}) {
        auto const read = space(umdam("\"latency\", \"accuracy\"", requests + with_table));
        auto const columns = read.columns();
        EXPECT_THAT(columns.machine_files, ElementsAre(models::SourceFile{path("quality.csv"), quality}));
        EXPECT_THAT(columns.input_hashes, Contains(std::pair(path("quality.csv"), sim::sha256(quality))));
        set_content(folder_ / "quality.csv", "no table at all");
        auto const again = space::space_of_columns(columns, "a.h5");
        EXPECT_EQ(again.canonical_text(), columns.canonical_text);
        EXPECT_EQ(again.columns().machine_files, columns.machine_files);
        EXPECT_EQ(space::differing_input(again.columns().input_hashes, columns.input_hashes), std::nullopt);
        Task const task{PointId{4}, models::Fidelity::analytic};
        EXPECT_EQ(std::get<models::Metrics>(space::evaluate(again, task).outcome).size(), read.metrics().size());
        EXPECT_EQ(value_of(again, space::evaluate(again, task).outcome, "accuracy"),
                  value_of(read, space::evaluate(read, task).outcome, "accuracy"));
        set_content(folder_ / "quality.csv", quality);
    }
}

TEST_F(Tables, are_identified_by_their_content) {
    auto const text = umdam("\"latency\"", one_request + with_table);
    auto const here = space(text).columns();
    set_content(folder_ / "sub/quality.csv", quality);
    auto const there = space(text, "sub/s.toml").columns();
    EXPECT_NE(here.canonical_text, there.canonical_text);
    EXPECT_TRUE(space::same_space(here.canonical_text, here.input_hashes, there.canonical_text, there.input_hashes));
    set_content(folder_ / "quality.csv", quality + "model,opt-1.3b,0.9,14\n");
    auto const changed = space(text).columns();
    EXPECT_EQ(space::differing_input(here.input_hashes, changed.input_hashes), path("quality.csv"));
    EXPECT_NE(space::identity_text(here.canonical_text, here.input_hashes),
              space::identity_text(changed.canonical_text, changed.input_hashes));
}

std::string two_machines(std::string const& objectives, std::string const& tables) {
    return "schema = 2\nobjectives = [" + objectives +
           "]\n[workload]\nllm = \"opt-125m\"\n[[machine]]\narchitecture = \"umdam\"\n"
           "[machine.parameters]\nweight_bits = [\"4\", \"8\"]\n[[machine]]\narchitecture = \"lpddr5x_pim\"\n"
           "[machine.parameters]\nchannels = [2, 4]\n" +
           tables;
}

TEST_F(Tables, may_be_about_one_machine_or_name_machines) {
    set_content(folder_ / "by_machine.csv", "machine,llm,accuracy\numdam,opt-125m,0.5\nlpddr5x_pim,opt-125m,0.75\n");
    std::string const named =
        "[table]\nfile = \"by_machine.csv\"\nkeys = [\"machine\", \"llm\"]\n"
        "metrics = { accuracy = \"higher\" }\n";
    auto const joint = space(two_machines("\"latency\", \"accuracy\"", named));
    Task const last{PointId{joint.size() - 1}, models::Fidelity::analytic};
    Task const first{PointId{0}, models::Fidelity::analytic};
    EXPECT_EQ(value_of(joint, space::evaluate(joint, first).outcome, "accuracy"), 0.5);
    EXPECT_EQ(value_of(joint, space::evaluate(joint, last).outcome, "accuracy"), 0.75);
    EXPECT_EQ(space::space_of_columns(joint.columns()).canonical_text(), joint.canonical_text());

    set_content(folder_ / "channels.csv", "channels,accuracy\n2,0.25\n4,0.375\n");
    std::string const each =
        "[[table]]\nmachine = \"umdam\"\nfile = \"quality.csv\"\nkeys = [\"weight_bits\", \"llm\"]\n"
        "metrics = { accuracy = \"higher\", perplexity = \"lower\" }\n"
        "[[table]]\nmachine = \"lpddr5x_pim\"\nfile = \"channels.csv\"\nkeys = [\"channels\"]\n"
        "metrics = { accuracy = \"higher\" }\n";
    auto const apart = space(two_machines("\"latency\", \"accuracy\"", each));
    EXPECT_EQ(value_of(apart, space::evaluate(apart, last).outcome, "accuracy"), 0.375);
    EXPECT_GE(models::find_metric(apart.metrics(), "umdam.perplexity"), 0) << "the other machine has none";
    EXPECT_EQ(space::space_of_columns(apart.columns()).canonical_text(), apart.canonical_text());

    EXPECT_THAT(mistakes(two_machines("\"latency\"", with_table)), ElementsAre(says("table-key-of-one-machine")));
    EXPECT_THAT(mistakes(two_machines("\"latency\", \"perplexity\"", each)), ElementsAre(HasSubstr("perplexity")));
    EXPECT_THAT(mistakes(two_machines("\"latency\"",
                                      "[table]\nmachine = \"umdan\"\nfile = \"quality.csv\"\n"
                                      "keys = [\"llm\"]\nmetrics = { accuracy = \"higher\" }\n")),
                Contains(says("table-unknown-machine")));
}

TEST_F(Tables, are_reported_with_the_lines_of_their_mistakes) {
    auto const head = [&](std::string const& table) { return mistakes(umdam("\"latency\"", one_request + table)); };
    EXPECT_THAT(head("[table]\n"), list("table-says-nothing"));
    EXPECT_THAT(head("[table]\nfile = \"none.csv\"\nkeys = [\"llm\"]\nmetrics = { accuracy = \"higher\" }\n"),
                ElementsAre(says("table-file-missing")));
    EXPECT_THAT(head("[table]\nfile = \"sub\"\nkeys = [\"llm\"]\nmetrics = { accuracy = \"higher\" }\n"),
                ElementsAre(HasSubstr(":12: sub: cannot be read")));
    std::string const file = "[table]\nfile = \"quality.csv\"\n";
    EXPECT_THAT(head(file + "keys = []\nmetrics = []\nrows = 3\n"), list("table-keys-empty"));
    EXPECT_THAT(
        head(file + "keys = [\"llm\", \"llm\"]\nmetrics = { llm = \"higher\", and = \"lower\", b-c = \"lower\", "
                    "d = \"best\", e = { unit = \"ms\" }, f = { better = \"lower\", scale = 2 }, g = { better = "
                    "\"lower\", unit = \"points\" } }\n"),
        list("table-metrics-wrong"));
    EXPECT_THAT(head(file + "keys = [\"weight_bit\", \"llm\"]\nmetrics = { accuracy = \"higher\" }\n"),
                Contains(says("table-column-of-a-key")));
    EXPECT_THAT(head(file + "keys = [\"llm\"]\nmetrics = { perplexity = \"lower\" }\n"), list("table-rows-twice"));
    EXPECT_THAT(mistakes_of_file("weight_bits,llm,accuracy,perplexity\n3,opt-125m,1,1\n4,opt-125n,1,1\n"),
                list("table-values-unknown"));
    set_content(folder_ / "quality.csv", "llm,latency,batch,speedup\nopt-125m,1,2,3\n");
    EXPECT_THAT(
        head(file + "keys = [\"llm\"]\nmetrics = { latency = \"lower\", batch = \"lower\", speedup = \"higher\" }\n"),
        list("table-names-taken"));
    EXPECT_THAT(head("table = 3\n"), Contains(HasSubstr("'table'")));
}

/// Objectives of a table with mistakes are not reported a second time.
TEST_F(Tables, with_mistakes_hide_no_more_than_they_must) {
    EXPECT_THAT(mistakes(umdam("\"accuracy\"", one_request + "[table]\nfile = \"quality.csv\"\nkeys = [\"llm\"]\n")),
                ElementsAre(HasSubstr("'metrics' is missing")));
    set_content(folder_ / "quality.csv", "weight_bits,llm,accuracy,perplexity\n4,opt-125m,x,1\n");
    EXPECT_THAT(mistakes(umdam("\"accuracy\", \"acuracy\"", one_request + with_table)),
                ElementsAre(HasSubstr("acuracy"), HasSubstr("quality.csv:2: accuracy = 'x'")));
}

TEST_F(Tables, whose_metrics_are_constants_are_remarked_upon) {
    std::string const by_model =
        "[table]\nfile = \"models.csv\"\nkeys = [\"llm\"]\nmetrics = { accuracy = \"higher\" }\n";
    set_content(folder_ / "models.csv", "llm,accuracy\nopt-125m,0.5\nopt-1.3b,0.6\n");
    EXPECT_THAT(space(umdam("\"latency\"", one_request + by_model)).remarks(),
                ElementsAre(HasSubstr("no key of models.csv has several values")));
    EXPECT_THAT(space(umdam("\"latency\"", two_requests + by_model)).remarks(), IsEmpty());
}

}  // namespace
}  // namespace pimdse::dse::space::table_reader_test
