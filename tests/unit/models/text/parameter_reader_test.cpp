#include "models/text/parameter_reader.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_text.hpp"
#include "small_machine.hpp"

#include <gmock/gmock.h>
#include <utility>

namespace pimdse::models::text::test::parameter_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The small machine with one parameter more.
std::string with_parameter(std::string const& name, std::string const& keys) {
    return fmt::format("{}\n[parameter.{}]\n{}\n", small_machine, name, keys);
}

Parameter read(std::string const& name, std::string const& keys) {
    models::testing::TemporaryFile const file(with_parameter(name, keys));
    return read_file(file.path()).parameters.back();
}

TEST(ParameterReader, reads_counts_quantities_flags_and_choices) {
    auto const count = read("rows", "default = 8\nlimits = [1, 64]\nmeaning = \"m\"\nresource = true");
    EXPECT_EQ(count.kind, Kind::integer);
    EXPECT_EQ(count.default_value, Value::integer(8));
    EXPECT_EQ(count.lower, 1.0);
    EXPECT_EQ(count.upper, 64.0);
    EXPECT_TRUE(count.resource);
    EXPECT_EQ(count.meaning, "m");

    auto const quantity = read(
        "rate", "default = \"2 GHz\"\nlimits = [1, \"3000 MHz\"]\nunit = \"GHz\"\nmeaning = \"m\"\nassumed = true");
    EXPECT_EQ(quantity.kind, Kind::quantity);
    EXPECT_EQ(quantity.default_value, Value::quantity(2e9));
    EXPECT_EQ(quantity.lower, 1e9) << "a plain number is in the unit of the parameter";
    EXPECT_EQ(quantity.upper, 3e9);
    EXPECT_TRUE(quantity.assumed);

    auto const share = read("part", "default = 0.5\nlimits = [0, 1]\nmeaning = \"m\"");
    EXPECT_EQ(share.kind, Kind::quantity) << "with a fraction it is no count";
    auto const fraction = read("part", "default = 1\nwhole = false\nlimits = [0, 1]\nmeaning = \"m\"");
    EXPECT_EQ(fraction.kind, Kind::quantity);
    auto const kibibytes =
        read("buffer", "default = \"64 KiB\"\nwhole = true\nlimits = [1, 128]\nunit = \"KiB\"\nmeaning = \"m\"");
    EXPECT_EQ(kibibytes.kind, Kind::integer);
    EXPECT_EQ(kibibytes.default_value, Value::integer(64));
    EXPECT_EQ(kibibytes.upper, 128.0);

    auto const flag = read("gated", "default = true\nmeaning = \"m\"");
    EXPECT_EQ(flag.kind, Kind::flag);
    EXPECT_EQ(flag.default_value, Value::flag(true));

    auto const choice = read("kind", "choices = [\"a\", \"b\"]\ndefault = \"b\"\nmeaning = \"m\"");
    EXPECT_THAT(choice.choices, ElementsAre("a", "b"));
    EXPECT_EQ(choice.default_value, Value::choice(1));
    EXPECT_EQ(read("kind", "choices = [\"a\", \"b\"]\nmeaning = \"m\"").default_value, Value::choice(0));
}

TEST(ParameterReader, takes_the_parameters_that_every_machine_has_with_a_default_of_its_own) {
    auto const share = read("attained_share", "default = 0.6\nmeaning = \"of this machine\"");
    EXPECT_EQ(share.kind, Kind::quantity);
    EXPECT_EQ(share.default_value, Value::quantity(0.6));
    EXPECT_EQ(share.upper, attained_share(0.5, "").upper);
    auto const overhead = read("layer_overhead", "default = \"5 us\"\nunit = \"us\"\nmeaning = \"m\"");
    EXPECT_DOUBLE_EQ(overhead.default_value.as_quantity(), 5e-6);
    EXPECT_EQ(overhead.technology, "layer_overhead") << "launched by a host";
    EXPECT_EQ(
        read("layer_overhead", "launch = \"stream\"\ndefault = \"5 us\"\nunit = \"us\"\nmeaning = \"m\"").technology,
        "layer_overhead_stream");
}

TEST(ParameterReader, says_what_is_wrong_with_the_line) {
    for (auto const& [keys, said] : std::vector<std::pair<std::string, std::string>>{
             {"default = 8", "'meaning' is missing"},
             {"meaning = \"m\"", "parameter 'drawn': 'default' is missing"},
             {"default = 8\nlimits = [9, 64]\nmeaning = \"m\"", "the default is not within the limits"},
             {"default = 8\nlimits = [64, 1]\nmeaning = \"m\"", "'limits' has the larger number first"},
             {"default = 8\nlimits = [1]\nmeaning = \"m\"", "'limits' is not a pair of numbers [lower, upper]"},
             {"default = 8\nlimits = 1\nmeaning = \"m\"", "'limits' is not a pair of numbers [lower, upper]"},
             {"default = 8\nlimits = [\"1 GHz\", \"2 GHz\"]\nmeaning = \"m\"", "units differ"},
             {"default = \"8 GHz\"\nmeaning = \"m\"", "units differ"},
             {"default = \"8 GHz\"\nunit = \"GHzz\"\nmeaning = \"m\"", "GHzz"},
             {"default = \"many\"\nmeaning = \"m\"", "many"},
             {"default = [8]\nmeaning = \"m\"", "it is neither a number nor text"},
             {"default = 1.5\nwhole = true\nmeaning = \"m\"", "the default is not a whole number"},
             {"default = 8\nlimit = [1, 64]\nmeaning = \"m\"", "unknown key 'limit'. Did you mean 'limits'?"},
             {"choices = []\nmeaning = \"m\"", "'choices' is not a list of names"},
             {"choices = \"a\"\nmeaning = \"m\"", "'choices' is not a list of names"},
             {"choices = [[\"a\"]]\nmeaning = \"m\"", "it is neither a number nor text"},
             {"choices = [\"one\", \"two\"]\ndefault = \"tow\"\nmeaning = \"m\"",
              "the default 'tow' is not a choice. Did you mean 'two'?"},
             {"choices = [\"one\", \"one\"]\nmeaning = \"m\"", "'one' is twice among the choices"},
             {"default = 1e300\nwhole = true\nmeaning = \"m\"", "the default is not a whole number"},
             {"default = nan\nmeaning = \"m\"", "nan"},
             {"default = inf\nmeaning = \"m\"", "inf"},
             {"default = 8\nresource = 1\nmeaning = \"m\"", "'resource' is not true or false"},
             {"files = []\nmeaning = \"m\"", "'files' is not a list of machine files"},
             {"files = \"a.toml\"\nmeaning = \"m\"", "'files' is not a list of machine files"}}) {
        auto const found = refusal(with_parameter("drawn", keys));
        EXPECT_THAT(found, HasSubstr(said)) << keys;
        EXPECT_THAT(found, HasSubstr(".toml:")) << keys;
    }
}

/// Names that a request, another parameter, a constant or a number of a component has.
TEST(ParameterReader, refuses_names_that_are_taken) {
    for (auto const* taken : {"batch", "input", "llm", "weights", "kv_cache", "draft", "devices", "link"})
        EXPECT_THAT(refusal(with_parameter(taken, "default = 1\nmeaning = \"m\"")),
                    HasSubstr(fmt::format("the parameter '{}' is the name of", taken)))
            << taken;
    EXPECT_THAT(refusal(with_parameter("attained", "default = 1\nmeaning = \"m\"")), HasSubstr("'attained'"));
    EXPECT_THAT(refusal(with_parameter("slow_start", "default = 1\nmeaning = \"m\"")), HasSubstr("'slow_start'"));
    EXPECT_THAT(refusal(with_parameter("\"two words\"", "default = 1\nmeaning = \"m\"")),
                HasSubstr("'two words' is not a name (a letter, then letters, digits and '_'"));
    EXPECT_THAT(refusal(with_parameter("hardware_view", "default = 1\nmeaning = \"m\"")), HasSubstr("'hardware_view'"));
}

}  // namespace
}  // namespace pimdse::models::text::test::parameter_reader_test
