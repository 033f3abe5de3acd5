#include "models/text/numbers.hpp"

#include "models/text/request.hpp"
#include "small_machine.hpp"

#include <gmock/gmock.h>
#include <cmath>
#include <random>

namespace pimdse::models::text::test::numbers_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The small machine with further numbers, as name and expression of a plain number.
std::string with_numbers(std::vector<std::pair<std::string, std::string>> const& numbers) {
    std::string text(small_machine);
    for (auto const& [name, value] : numbers)
        text += fmt::format("\n[number.{}]\nvalue = \"{}\"\nunit = \"1\"\n", name, value);
    return text;
}

/// All numbers of a machine at its default point, by name.
class Computed {
  public:
    explicit Computed(std::string const& text) : file_(text), machine_(read_file(file_.path())) {
        std::vector<double> constants(given_names.size(), 0.0);
        for (auto const& name : constant_names(machine_.file()))
            constants.push_back(machine_.file().constants.at(name).si);
        point_ = default_point(machine_.parameters());
        values_ = machine_.numbers().values(point_, constants);
    }
    [[nodiscard]] double operator()(std::string_view name) const { return values_[machine_.numbers().at(name)]; }
    [[nodiscard]] CompiledMachine const& machine() const { return machine_; }

  private:
    models::testing::TemporaryFile file_;
    CompiledMachine machine_;
    std::vector<Value> point_;
    std::vector<double> values_;
};

TEST(Numbers, are_computed_from_parameters_constants_and_each_other) {
    Computed const at{std::string(small_machine)};
    EXPECT_EQ(at("hardware_view"), 0.0);
    EXPECT_EQ(at("channel_rate"), 64e9);
    EXPECT_EQ(at("dram.bandwidth"), 512e9);
    EXPECT_EQ(at("dram.share"), 0.8);
    EXPECT_EQ(at("dram.capacity"), 64.0 * 1024 * 1024 * 1024);
    EXPECT_EQ(at("lanes.lanes"), 64.0);
    EXPECT_EQ(at("lanes.frequency"), 1.5e9);
    EXPECT_EQ(at("metric.byte_rate"), at("dram.bandwidth"));
    EXPECT_EQ(at("slow_start"), 2e-6);
    EXPECT_EQ(at("cable.latency"), 2e-6);
}

/// However they are written: a chain of numbers, each of which reads the next, in a random order of the file.
TEST(Numbers, do_not_depend_on_the_order_in_the_file) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::pair<std::string, std::string>> chain;
        for (int i = 0; i < 40; ++i)
            chain.emplace_back(fmt::format("n{}", i), i == 39 ? "1" : fmt::format("n{} + {}", i + 1, i));
        std::shuffle(chain.begin(), chain.end(), random);
        Computed const at(with_numbers(chain));
        EXPECT_EQ(at("n0"), 39.0 * 38.0 / 2.0 + 1.0);
        EXPECT_EQ(at("n20"), at("n0") - 190.0);
    }
}

TEST(Numbers, know_which_of_them_read_a_parameter) {
    Computed const at{std::string(small_machine)};
    auto const& numbers = at.machine().numbers();
    auto const readers = [&](std::string_view name) {
        return numbers.readers_of(static_cast<std::size_t>(find_parameter(at.machine().parameters(), name)));
    };
    EXPECT_THAT(readers("channels"),
                AllOf(Contains(numbers.at("dram.bandwidth")), Contains(numbers.at("dram.capacity")),
                      Contains(numbers.at("dram.memory_area")), Not(Contains(numbers.at("metric.byte_rate")))));
    EXPECT_THAT(readers("clock"), ::testing::ElementsAre(numbers.at("lanes.frequency")));
    EXPECT_TRUE(readers("batch").empty());
}

TEST(Numbers, that_depend_on_themselves_are_refused) {
    auto const one = with_numbers({{"a", "a + 1"}});
    EXPECT_THAT(refusal(one), HasSubstr(fmt::format(".toml:{}: a depends on itself", line_of(one, "\"a + 1\""))));
    EXPECT_THAT(refusal(with_numbers({{"a", "b"}, {"b", "c * 2"}, {"c", "min(a, 1)"}})),
                HasSubstr("depends on itself"));
    EXPECT_THAT(refusal(with("bandwidth = \"channels * channel_rate\"", "bandwidth = \"dram.bandwidth * 2\"")),
                HasSubstr("dram.bandwidth depends on itself"));
    EXPECT_THAT(refusal(with("idle = \"20 W\"", "idle = \"power.limit\"\nlimit = \"power.idle\"")),
                HasSubstr("depends on itself"));
}

TEST(Numbers, have_the_dimension_of_what_they_stand_for) {
    for (auto const& [from, to, said] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"bandwidth = \"channels * channel_rate\"", "bandwidth = \"channels\"",
              "dram.bandwidth: \"channels\" is a plain number (it must be a bandwidth)"},
             {"bandwidth = \"channels * channel_rate\"", "bandwidth = \"channels * chanel_rate\"",
              "'chanel_rate' is neither a parameter nor a constant. Did you mean 'channel_rate'?"},
             {"idle = \"20 W\"", "idle = \"20 J\"", "power.idle: \"20 J\" is an energy (it must be a power)"},
             {"wait = \"slow_start\"", "wait = 3", "(it must be a time)"},
             {"work = 5", "work = \"many\"", "work of \"*.softmax\": expression \"many\": 'many' is neither"},
             {"share = \"attained\"", "share = \"attained * 1 GB/s\"", "(it must be a plain number)"},
             {"lanes = \"if(mode == fast, 128, 64)\"", "lanes = \"if(mode == fst, 128, 64)\"",
              "'fst' is not a value of mode. Did you mean 'fast'?"},
             {"frequency = \"clock\"", "frequency = \"clok\"", "Did you mean 'clock'?"},
             {"value = \"dram.bandwidth\"", "value = \"dram.capacity\"", "(it must be a bandwidth)"},
             {"slower = 3", "slower = \"mode\"", "it is a condition, not a number"}}) {
        auto const text = with(from, to);
        auto const found = refusal(text);
        EXPECT_THAT(found, HasSubstr(said)) << to;
        EXPECT_THAT(found, HasSubstr(fmt::format(".toml:{}: ", line_of(text, to)))) << found;
    }
    EXPECT_EQ(refusal(with("idle = \"20 W\"", "idle = 0")), "") << "0 has every dimension";
}

TEST(Numbers, have_all_their_mistakes_said) {
    auto const text = with("idle = \"20 W\"", "idle = \"20 J\"", with("share = \"attained\"", "share = \"atained\""));
    EXPECT_THAT(refusal(text), AllOf(HasSubstr("power.idle"), HasSubstr("dram.share"), HasSubstr("'attained'")));
}

TEST(Numbers, have_names_of_their_own) {
    EXPECT_THAT(refusal(with_numbers({{"attained", "1"}})), HasSubstr("there are two numbers named attained"));
    EXPECT_THAT(refusal(with_numbers({{"hardware_view", "1"}})),
                HasSubstr("there are two numbers named hardware_view"));
}

}  // namespace
}  // namespace pimdse::models::text::test::numbers_test
