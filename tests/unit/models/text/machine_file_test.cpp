#include "models/text/machine_file.hpp"

#include "folder.hpp"
#include "models/text/request.hpp"
#include "sim/base/check.hpp"
#include "small_machine.hpp"

#include <gmock/gmock.h>
#include <filesystem>

/// What a machine file is read as, and what is said of its mistakes: file, line, suggestion, all at once.
namespace pimdse::models::text::test::machine_file_test {
namespace {

using models::testing::TemporaryFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MachineFile read(std::string const& text) {
    TemporaryFile const file(text);
    return read_file(file.path());
}

WrittenNumber const& number_of(MachineFile const& file, std::string_view name) {
    auto const found = std::ranges::find(file.numbers, name, &WrittenNumber::name);
    EXPECT_NE(found, file.numbers.end()) << name;
    return *found;
}

/// The machine asks these of a model unless a point says otherwise.
TEST(MachineFile, says_what_a_request_asks_by_default) {
    auto const parameters = parameters_of(
        read("batch = 4\ngeneration = \"diffusion\"\nmodel_cache = \"none\"\n" + std::string(small_machine)));
    auto const value = [&](char const* name) {
        return parameters.at(static_cast<std::size_t>(find_parameter(parameters, name))).default_value;
    };
    EXPECT_EQ(value("batch"), Value::integer(4));
    EXPECT_EQ(value("generation"), Value::choice(1));
    EXPECT_EQ(value("model_cache"), Value::choice(0));
    EXPECT_EQ(value("input"), Value::integer(512)) << "as of every machine";
    try {
        (void)read("generation = \"diffused\"\nsteps = 0\n" + std::string(small_machine));
        ADD_FAILURE() << "it was read";
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.sentences(), ElementsAre(HasSubstr("generation"), HasSubstr("'steps'")));
    }
}

TEST(MachineFile, is_read_as_it_is_written) {
    auto const file = read(std::string(small_machine));
    EXPECT_EQ(file.name, "small");
    EXPECT_EQ(file.results_version, 3);
    EXPECT_THAT(file.formats, ElementsAre("fp16", "int8"));
    EXPECT_THAT(file.cache_formats, ElementsAre("fp16", "8bit"));
    ASSERT_EQ(file.parameters.size(), 3U);
    EXPECT_EQ(file.parameters[0].name, "channels") << "in the order of the file";
    EXPECT_EQ(file.parameters[2].name, "mode");
    EXPECT_EQ(file.constants.size(), 3U);
    EXPECT_EQ(file.constants.at("channel_rate").si, 64e9);
    EXPECT_TRUE(file.constants.at("attained").assumed);
    ASSERT_EQ(file.memories.size(), 1U);
    ASSERT_EQ(file.units.size(), 2U);
    EXPECT_EQ(file.units[0].name, "cube");
    EXPECT_EQ(file.units[1].kind, "vector");
    EXPECT_EQ(file.links.size(), 1U);
    EXPECT_EQ(number_of(file, "dram.bandwidth").text, "channels * channel_rate");
    EXPECT_EQ(number_of(file, "cube.rate.int8").text, "200 TFLOP/s");
    EXPECT_EQ(number_of(file, "cube.share.fp16").text, "0.7") << "one number for all formats";
    EXPECT_EQ(number_of(file, "cube.share.int8").text, "0.7");
    EXPECT_EQ(number_of(file, "dram.usable").text, "1") << "a default";
    EXPECT_EQ(number_of(file, "dram.energy.dram_array").source, "a paper");
    EXPECT_TRUE(number_of(file, "dram.energy.dram_array").assumed);
    ASSERT_EQ(file.rules.size(), 7U);
    EXPECT_EQ(file.rules[1].pattern, "*.weights");
    EXPECT_EQ(file.rules[1].on, "cube");
    EXPECT_TRUE(file.rules[2].together);
    EXPECT_TRUE(file.rules[5].per_token);
    EXPECT_EQ(number_of(file, file.rules[6].number + ".wait").text, "slow_start");
    EXPECT_EQ(file.hold.at("kv"), "dram");
    EXPECT_THAT(file.overlap, ElementsAre(ElementsAre("cube", "dram")));
    EXPECT_EQ(file.limits.size(), 1U);
    EXPECT_EQ(file.rules_of_constants.size(), 2U) << "a list of conditions is a rule each";
    ASSERT_EQ(file.metrics.size(), 1U);
    EXPECT_EQ(file.metrics[0].metric.better, Sense::maximize);
    EXPECT_EQ(file.area.size(), 2U);
    EXPECT_EQ(file.energy.size(), 1U);
    EXPECT_EQ(refusal(std::string(small_machine)), "");
}

TEST(MachineFile, says_where_a_number_is_written) {
    TemporaryFile const file{std::string(small_machine)};
    auto const machine = read_file(file.path());
    auto const at = [&](std::string_view part) {
        return fmt::format("{}:{}", file.path().string(), line_of(small_machine, part));
    };
    EXPECT_EQ(number_of(machine, "dram.bandwidth").place, at("bandwidth = \"channels"));
    EXPECT_EQ(number_of(machine, "power.idle").place, at("idle = "));
    EXPECT_EQ(machine.rules[3].place, at("\"prefill.attention\""));
    EXPECT_EQ(machine.limits[0].place, at("[limit.fast]"));
}

TEST(MachineFile, takes_formats_and_their_numbers_as_they_are) {
    auto const plain = read(with("[format]\nproducts = [\"fp16\", \"int8\"]\ncache = [\"fp16\", \"8bit\"]\n", "",
                                 with("{ fp16 = \"100 TFLOP/s\", int8 = \"200 TFLOP/s\" }", "\"1 TFLOP/s\"",
                                      with("{ fp16 = \"0.5 pJ/FLOP\", int8 = \"0.2 pJ/FLOP\" }", "\"1 pJ/FLOP\""))));
    EXPECT_THAT(plain.formats, ElementsAre("fp16")) << "without [format]";
    EXPECT_EQ(number_of(plain, "cube.rate.fp16").text, "1 TFLOP/s");
    EXPECT_EQ(number_of(plain, "format.logit").text, "4 B");
}

struct Mistake {
    std::string from, to;
    std::string said;   ///< behind file and line
    std::string where;  ///< the line; "": that of `to`
};

std::vector<Mistake> const& mistakes() {
    static std::vector<Mistake> const all{
        {"schema = 1", "schema = 2", "schema is not 1 (this program reads machines of schema 1)", ""},
        {"schema = 1", "schema = \"one\"", "'schema' is not a whole number", ""},
        {"name = \"small\"", "name = \"my small\"", "'my small' is not a valid name of a machine", ""},
        {"name = \"small\"", "name = 4", "'name' is not a text in quotes", ""},
        {"summary = ", "sumary = ", "unknown key 'sumary'. Did you mean 'summary'?", ""},
        {"results_version = 3", "results_version = 0", "out of range", ""},
        {"\"int8\"]", "\"int7\"]", "'int7' is not a format. Known: fp16", ""},
        {"cache = [\"fp16\", \"8bit\"]", "cache = \"fp16\"", "'cache' is not a list of formats", ""},
        {"[memory.dram]\nkind = \"rate\"", "[memory.dram]\nkind = \"rat\"", "which is not accepted", "kind = \"rat\""},
        {"kind = \"vector\"", "kind = \"vectr\"", "Did you mean 'vector'?", ""},
        {"kind = \"vector\"", "# none", "'kind' is missing", "[compute.lanes]"},
        {"lanes = \"if(mode == fast, 128, 64)\"", "# none", "'lanes' is missing (it must be a plain number)",
         "[compute.lanes]"},
        {"bandwidth = \"channels * channel_rate\"", "bandwith = 3", "unknown key 'bandwith'. Did you mean 'bandwidth'?",
         ""},
        {"idle = \"20 W\"", "idel = \"20 W\"", "unknown key 'idel'. Did you mean 'idle'?", ""},
        {"idle = \"20 W\"", "idle = true", "'idle' is neither a number nor an expression in quotes", ""},
        {"idle = \"20 W\"", "idle = { source = \"x\" }", "'idle' has no 'value'", ""},
        {"[memory.dram]", "[constant.chanel_rate]\nvalue = 1\nunit = \"GB/s\"\nsource = \"mine\"\n[memory.dram]",
         "nothing reads constant 'chanel_rate'. Did you mean 'channel_rate'?", "[constant.chanel_rate]"},
        {"unit = \"1\"", "unit = \"1\"\nacts_as = \"W\"", "follows from its expressions", "acts_as"},
        {"slower = 3", "slower = 3\nfaster = 2", "unknown key 'faster'", "faster = 2"},
        {"static_power = \"3 W\"", "static_power = { value = \"3 W\", soruce = \"x\" }",
         "unknown key 'soruce'. Did you mean 'source'?", ""},
        {"dram_array = {", "dram_aray = {", "unknown key 'dram_aray'. Did you mean 'dram_array'?", ""},
        {"{ fp16 = \"100 TFLOP/s\", int8 = \"200 TFLOP/s\" }", "{ fp16 = \"100 TFLOP/s\" }", "'int8' is missing", ""},
        {"{ fp16 = \"100 TFLOP/s\", int8", "{ fp16 = \"100 TFLOP/s\", fp8 = \"1 TFLOP/s\", int8", "unknown key 'fp8'",
         ""},
    };
    return all;
}

std::vector<Mistake> const& mistakes_of_rules_and_tables() {
    static std::vector<Mistake> const all{
        {"overlap = [[\"cube\", \"dram\"]]", "overlap = [\"cube\", \"dram\"]",
         "'overlap' is not a list of lists of components", ""},
        {"overlap = [[\"cube\", \"dram\"]]", "overlap = [[\"cub\", \"dram\"]]",
         "there is no component 'cub'. Did you mean 'cube'?", "-"},
        {"hold = { weights = \"dram\", kv = \"dram\" }", "hold = \"dram\"", "'hold' is not a table", ""},
        {"hold = { weights", "hold = { weighs", "unknown key 'weighs'. Did you mean 'weights'?", ""},
        {", kv = \"dram\" }", " }", "'hold' names no memory of kv", "hold = {"},
        {"kv = \"dram\" }", "kv = \"cube\" }", "there is no memory 'cube'. Known: dram.", "-"},
        {"\"*.weights\" = \"cube\"", "\"*.weights\" = \"cub\"",
         "there is no compute component 'cub'. Did you mean 'cube'?", ""},
        {"\"*.weights\" = \"cube\"", "\"*.weights\" = 3", "\"*.weights\" is neither a component nor a table", ""},
        {"\"*.weights\" = \"cube\"", "\"*.weights\" = { on = \"cube\", togehter = true }",
         "unknown key 'togehter'. Did you mean 'together'?", ""},
        {"repeat = \"tokens\"", "repeat = \"token\"", "Did you mean 'tokens'?", ""},
        {"wait = \"slow_start\"", "wait = [1]", "'wait' is neither a number nor an expression in quotes", ""},
        {"holds = \"mode == plain or channels >= 2\"", "# none", "'holds' is missing", "[limit.fast]"},
        {"reason = ", "raeson = ", "unknown key 'raeson'. Did you mean 'reason'?", ""},
        {"better = \"higher\"", "better = \"up\"", "which is not accepted. Known: lower, higher, neither.", ""},
        {"[metric.byte_rate]\nvalue = \"dram.bandwidth\"\nunit = \"B/s\"",
         "[metric.byte_rate]\nvalue = \"dram.bandwidth\"\nunit = \"Bs\"", "Bs", "unit = \"Bs\""},
        {"undivided = { value", "undevided = { value", "unknown key 'undevided'. Did you mean 'undivided'?", ""},
        {"vector_unit = \"part", "vector_unit = 4 # \"part",
         "'vector_unit' is neither a sentence that says where it is counted nor", ""},
        {"dram_refresh = \"part", "dram_refrsh = \"part", "unknown key 'dram_refrsh'. Did you mean 'dram_refresh'?",
         ""},
        {"[compute.lanes]", "[compute.dram]", "two components are named 'dram', or it is the name of a section", "-"},
        {"[link.cable]", "[link.power]", "two components are named 'power', or it is the name of a section", "-"},
        {"[link.cable]\nkind = \"link\"", "[link.cable]\nkind = \"link\"\nlanes = 4", "unknown key 'lanes'",
         "lanes = 4"},
        {"[power]", "[pwer]", "unknown key 'pwer'. Did you mean 'power'?", ""},
        {"[number.slow_start]\nvalue = \"2 us\"\nunit = \"s\"", "[number.slow_start]\nvalue = \"2 us\"\nunit = \"sec\"",
         "sec", "unit = \"sec\""},
        {"[number.slow_start]\nvalue = \"2 us\"\n", "[number.slow_start]\n", "'value' is missing",
         "[number.slow_start]"},
        {"source = \"a data sheet\"", "source = \"\"", "'source' is empty (every number needs a source)", ""},
        {"value = 64", "value = \"64\"", "'value' is not a number", ""},
        {"unit = \"GB/s\"", "unit = \"GBs\"", "GBs", ""},
        {"[bounds]", "[bounds", "this is not TOML", ""},
        {"kv = \"dram\" }",
         "kv = \"dram\" }\n[memory.far]\nkind = \"tier\"\nbandwidth = \"1 GB/s\"\ncapacity = \"1 GB\"",
         "'cost' is missing", "[memory.far]"},
        {"[memory.dram]\nkind = \"rate\"", "[memory.dram]\nkind = \"tier\"\ncost = 0",
         "'dram' is a tier, which has only what a cache evicts", "-"},
        {"static_power = \"3 W\"", "static_power = 3 W", "Quote it: \"3 W\"?", ""}};
    return all;
}

TEST(MachineFile, says_each_mistake_with_its_line_and_what_may_be_meant) {
    auto all = mistakes();
    auto const& more = mistakes_of_rules_and_tables();
    all.insert(all.end(), more.begin(), more.end());
    for (auto const& mistake : all) {
        auto const text = with(mistake.from, mistake.to);
        auto const said = refusal(text);
        EXPECT_THAT(said, HasSubstr(mistake.said)) << mistake.to;
        if (mistake.where == "-") continue;
        auto const line = line_of(text, mistake.where.empty() ? mistake.to : mistake.where);
        EXPECT_THAT(said, HasSubstr(fmt::format(".toml:{}: ", line))) << mistake.to << "\nsays\n" << said;
    }
}

/// Several mistakes in one file are all said.
TEST(MachineFile, says_all_mistakes_at_once) {
    auto text = with("summary = ", "sumary = ");
    text = with("kind = \"vector\"", "kind = \"vectr\"", text);
    text = with("idle = \"20 W\"", "idel = \"20 W\"", text);
    text = with("\"*.weights\" = \"cube\"", "\"*.weights\" = \"cub\"", text);
    text = with("better = \"higher\"", "better = \"up\"", text);
    text = with("dram_refresh = \"part", "dram_refrsh = \"part", text);
    text = with("unit = \"GHz\"", "unit = \"GHzz\"", text);
    auto const said = refusal(text);
    for (auto const* part : {"sumary", "vectr", "idel", "'cub'", "'up'", "dram_refrsh", "GHzz"})
        EXPECT_THAT(said, HasSubstr(part)) << said;
}

TEST(MachineFile, must_say_what_runs_where) {
    std::string none{small_machine};
    none.erase(none.find("[run]"), none.find("[bounds]") - none.find("[run]"));
    EXPECT_THAT(refusal(none), HasSubstr("[run] is missing (it says which component does what)"));
    EXPECT_THAT(refusal("run = 3\n" + none), HasSubstr("'run' is not a table"));
}

// Bases and variants.

std::string faster(std::string const& name, double rate) {
    return fmt::format(
        "schema = 1\nbase = \"small.toml\"\nname = \"{}\"\nsummary = \"another\"\n[constant.channel_rate]\nvalue = "
        "{}\nunit = \"GB/s\"\nsource = \"mine\"\n",
        name, rate);
}

TEST(MachineBases, give_what_a_file_does_not_say) {
    Folder const folder;
    (void)folder.with("small.toml", std::string(small_machine));
    auto const file = read_file(folder.with("fast.toml", faster("fast", 128)));
    EXPECT_EQ(file.name, "fast");
    EXPECT_EQ(file.summary, "another");
    EXPECT_EQ(file.constants.at("channel_rate").si, 128e9);
    EXPECT_EQ(file.constants.at("channel_rate").source, "mine");
    EXPECT_EQ(file.constants.at("attained").si, 0.8);
    EXPECT_EQ(file.rules.size(), 7U);
    EXPECT_EQ(refusal_of(folder / "fast.toml"), "");
}

/// A rule, a component or a parameter of the base may be another one here, key by key.
TEST(MachineBases, are_replaced_key_by_key) {
    Folder const folder;
    (void)folder.with("small.toml", std::string(small_machine));
    auto const file = read_file(folder.with(
        "other.toml",
        "schema = 1\nbase = \"small.toml\"\nname = \"other\"\nsummary = \"x\"\n[compute.lanes]\nper_cycle = 4\n"
        "[run]\n\"*.softmax\" = { free = \"none here\" }\n[parameter.clock]\ndefault = \"1 GHz\"\n"));
    EXPECT_EQ(number_of(file, "lanes.per_cycle").text, "4");
    EXPECT_EQ(number_of(file, "lanes.frequency").text, "clock");
    auto const rule = std::ranges::find(file.rules, "*.softmax", &WrittenRule::pattern);
    ASSERT_NE(rule, file.rules.end());
    EXPECT_EQ(rule->on, "");
    EXPECT_NE(rule->free, "");
    auto const clock = std::ranges::find(file.parameters, "clock", &Parameter::name);
    ASSERT_NE(clock, file.parameters.end());
    EXPECT_EQ(clock->default_value, Value::quantity(1e9));
    EXPECT_EQ(clock->upper, 2e9) << "its limits are those of the base";
}

/// A number with its source, a rule and a constant are replaced as a whole: nothing of the base is said of another.
TEST(MachineBases, give_no_source_to_numbers_that_are_not_theirs) {
    Folder const folder;
    (void)folder.with("small.toml", std::string(small_machine));
    auto const file = read_file(
        folder.with("other.toml",
                    "schema = 1\nbase = \"small.toml\"\nname = \"other\"\n[memory.dram.energy]\ndram_array = { value = "
                    "\"3 pJ/bit\" }\n[constant.attained]\nvalue = 0.9\nunit = \"1\"\nsource = \"counted\"\n"
                    "[compute.cube]\nshare = { fp16 = 0.5, int8 = 0.6 }\n"));
    EXPECT_EQ(number_of(file, "dram.energy.dram_array").text, "3 pJ/bit");
    EXPECT_EQ(number_of(file, "dram.energy.dram_array").source, "");
    EXPECT_FALSE(number_of(file, "dram.energy.dram_array").assumed);
    EXPECT_FALSE(file.constants.at("attained").assumed);
    EXPECT_EQ(number_of(file, "cube.share.int8").text, "0.6");
}

TEST(MachineBases, have_their_mistakes_said_with_their_own_file) {
    Folder const folder;
    auto const broken = with("idle = \"20 W\"", "idel = \"20 W\"");
    (void)folder.with("small.toml", broken);
    auto const said = refusal_of(folder.with("fast.toml", faster("fast", 128)));
    EXPECT_THAT(said, HasSubstr(fmt::format("small.toml:{}: unknown key 'idel'", line_of(broken, "idel"))));
}

TEST(MachineBases, that_are_missing_or_go_round_are_refused) {
    Folder const folder;
    EXPECT_THAT(refusal_of(folder.with("fast.toml", faster("fast", 128))),
                AllOf(HasSubstr("fast.toml:2: "), HasSubstr("small.toml: cannot be read")));
    EXPECT_THAT(refusal_of(folder.with("small.toml", faster("small", 128))), HasSubstr("is one of them its own base?"));
    (void)folder.with("small.toml", with("schema = 1", "schema = 1\nbase = \"fast.toml\""));
    EXPECT_THAT(refusal_of(folder.with("fast.toml", faster("fast", 128))), HasSubstr("is one of them its own base?"));
    EXPECT_THAT(refusal_of(folder.with("number.toml", "schema = 1\nbase = 4\n")), HasSubstr("'base' is not a text"));
    EXPECT_THAT(refusal_of(folder.with("folder.toml", "schema = 1\nbase = \".\"\n")), HasSubstr("cannot be read"));
}

/// A family: the small machine with its channel rate in files.
class Family {
  public:
    Family() {
        auto text = with("[constant.channel_rate]\nvalue = 64\nunit = \"GB/s\"\nsource = \"a data sheet\"\n", "");
        family_ = folder_.with(
            "small.toml", text + "[parameter.board]\nfiles = [\"one.toml\", \"two.toml\"]\nmeaning = \"a board\"\n");
        one_ = folder_.with("one.toml", faster("one", 64));
        two_ = folder_.with("two.toml", faster("two", 128));
    }
    Folder folder_;
    std::filesystem::path family_, one_, two_;
};

TEST(MachineVariants, are_choices_with_constants_of_their_own) {
    Family const family;
    auto const file = read_file(family.family_);
    EXPECT_EQ(file.variant_parameter, "board");
    EXPECT_THAT(file.variants, ElementsAre("one", "two"));
    EXPECT_THAT(file.varying, ElementsAre("channel_rate"));
    EXPECT_TRUE(file.varies("channel_rate"));
    EXPECT_FALSE(file.varies("attained"));
    EXPECT_EQ(file.row_of("channel_rate", 1), "two_channel_rate");
    EXPECT_EQ(file.row_of("attained", 1), "attained");
    EXPECT_EQ(file.constants.at("two_channel_rate").si, 128e9);
    EXPECT_THAT(constant_names(file), ElementsAre("channel_rate", "attained", "dram_energy_dram_array"));
    EXPECT_EQ(refusal_of(family.family_), "");
}

TEST(MachineVariants, are_machines_with_their_choice_made) {
    Family const family;
    auto const file = read_file(family.two_);
    EXPECT_EQ(file.chosen_parameter, "board");
    EXPECT_EQ(file.variant_parameter, "");
    EXPECT_TRUE(std::ranges::none_of(file.parameters, [](auto const& p) { return p.name == "board"; }));
    EXPECT_EQ(file.constants.at("channel_rate").si, 128e9);
    EXPECT_EQ(refusal_of(family.two_), "");
}

TEST(MachineVariants, have_the_same_constants) {
    Family const family;
    (void)family.folder_.with("two.toml",
                              "schema = 1\nbase = \"small.toml\"\nname = \"two\"\nsummary = \"x\"\n"
                              "[constant.chanel_rate]\nvalue = 1\nunit = \"GB/s\"\nsource = \"m\"\n");
    auto const said = refusal_of(family.family_);
    EXPECT_THAT(said, HasSubstr("two.toml: constant 'channel_rate' is missing, which the other machines have"));
    EXPECT_THAT(said, HasSubstr("constant 'chanel_rate' is one that the other machines do not have. Did you mean "
                                "'channel_rate'?"));
    std::filesystem::remove(family.two_);
    EXPECT_THAT(refusal_of(family.family_), AllOf(HasSubstr("two.toml: cannot be read"), HasSubstr("small.toml:")));
}

}  // namespace
}  // namespace pimdse::models::text::test::machine_file_test
