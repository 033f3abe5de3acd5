#include "../store/sample.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/machine.hpp"
#include "dse/space/space_reader.hpp"
#include "sim/base/digest.hpp"
#include "tests/unit/models/text/folder.hpp"
#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <toml++/toml.h>

/// Spaces whose machines are text files.
namespace pimdse::dse::space::machine_files_test {
namespace {

using store::sample::set_content;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string card(std::string const& name) { return models::text::test::machine_text(name); }

std::string const rest = "objectives = [\"latency\"]\n[workload]\nllm = \"opt-125m\"\ninput = 8\noutput = 2\n";

class MachineFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "sub");
        set_content(folder_ / "card.toml", card("card"));
        set_content(folder_ / "sub/disk.toml", card("disk"));
    }
    [[nodiscard]] Space space(std::string const& machines, std::string const& name = "s.toml") const {
        return space::parse_space("schema = 2\n" + machines, (folder_ / name).string());
    }
    [[nodiscard]] std::vector<std::string> mistakes(std::string const& machines) const {
        return mistakes_by([&] { (void)space(machines); });
    }
    [[nodiscard]] std::string path(std::string const& name) const { return (folder_ / name).string(); }
    store::sample::TemporaryDirectory folder_;
};

std::string joint(std::string const& first, std::string const& second) {
    return rest + "[[machine]]\n" + first + "\n[[machine]]\n" + second + "\n";
}

TEST(MachinePaths, begin_in_the_folder_of_the_space) {
    auto content = toml::parse(R"(
architecture = "pair:gpu:./card.toml"
prefill = "./a.toml"
decode = "umdam"
[baseline]
architecture = "../b.toml"
[[machine]]
architecture = "sub/machine"
parameters = { prefill = 64 }
[[machine]]
prefill = "pair.toml"
decode = "/there/c.toml"
)");
    space::make_files_absolute(content, "/home/spaces");
    auto const text = [](auto const& node) { return node.template value<std::string>(); };
    EXPECT_EQ(text(content["architecture"]), "pair:gpu:/home/spaces/card.toml");
    EXPECT_EQ(text(content["prefill"]), "/home/spaces/a.toml");
    EXPECT_EQ(text(content["decode"]), "umdam");
    EXPECT_EQ(text(content["baseline"]["architecture"]), "/home/b.toml");
    EXPECT_EQ(text(content["machine"][0]["architecture"]), "/home/spaces/sub/machine");
    EXPECT_EQ(content["machine"][0]["parameters"]["prefill"].value<int>(), 64);
    EXPECT_EQ(text(content["machine"][1]["prefill"]), "/home/spaces/pair.toml");
    EXPECT_EQ(text(content["machine"][1]["decode"]), "/there/c.toml");
}

TEST_F(MachineFiles, name_machines_by_the_names_in_them) {
    auto const one = space("architecture = \"card.toml\"\n" + rest);
    EXPECT_EQ(one.machines().front().name, "card");
    EXPECT_EQ(one.columns().architecture, "card");
    EXPECT_EQ(one.columns().reference, path("card.toml"));
    auto const two = space(joint("architecture = \"card.toml\"", "architecture = \"./sub/disk.toml\"")).columns();
    EXPECT_EQ(two.architecture, "card+disk");
    EXPECT_EQ(two.machines[1].reference, path("sub/disk.toml"));
    EXPECT_THAT(mistakes(joint("architecture = \"card.toml\"", "architecture = \"card.toml\"")),
                ElementsAre(HasSubstr("two machines 'card'")));
}

TEST_F(MachineFiles, are_inputs_and_are_kept) {
    auto const columns = space(joint("architecture = \"card.toml\"", "architecture = \"gpu\"")).columns();
    EXPECT_THAT(columns.machine_files, ElementsAre(models::SourceFile{path("card.toml"), card("card")}));
    EXPECT_THAT(columns.input_hashes, Contains(std::pair(path("card.toml"), sim::sha256(card("card")))));
    auto const built_in = space(joint("architecture = \"umdam\"", "architecture = \"gpu\"")).columns();
    EXPECT_TRUE(built_in.machine_files.empty());
    EXPECT_EQ(built_in.canonical_text.find(".toml"), std::string::npos);
}

TEST_F(MachineFiles, are_identified_by_their_content) {
    auto const here = space("architecture = \"card.toml\"\n" + rest).columns();
    set_content(folder_ / "sub/moved.toml", card("card"));
    auto const there = space("architecture = \"sub/moved.toml\"\n" + rest).columns();
    EXPECT_NE(here.canonical_text, there.canonical_text);
    EXPECT_EQ(space::identity_text(here.canonical_text, here.input_hashes),
              space::identity_text(there.canonical_text, there.input_hashes));
    set_content(folder_ / "card.toml", card("card") + "# a comment\n");
    auto const changed = space("architecture = \"card.toml\"\n" + rest).columns();
    EXPECT_EQ(here.canonical_text, changed.canonical_text);
    EXPECT_NE(space::identity_text(here.canonical_text, here.input_hashes),
              space::identity_text(changed.canonical_text, changed.input_hashes));
    EXPECT_EQ(space::differing_input(here.input_hashes, changed.input_hashes), path("card.toml"));
}

/// Every way to name files: the columns of a space make the same space again, also without the files.
TEST_F(MachineFiles, are_not_needed_to_read_results) {
    std::string const traffic =
        "objectives = [\"silicon\"]\n[[scenario]]\nname = \"s\"\nllm = \"opt-125m\"\n[scenario.traffic]\nrate = \"5 "
        "1/s\"\nrequests = 3\ninput = 8\noutput = 2\n";
    std::string const scenario = "objectives = [\"latency\"]\n[[scenario]]\nname = \"s\"\nllm = \"opt-125m\"\n";
    std::vector<std::string> const texts{
        "architecture = \"card.toml\"\n" + rest,
        joint("architecture = \"card.toml\"", "architecture = \"sub/disk.toml\""),
        joint("architecture = \"card.toml\"\nname = \"other\"", "architecture = \"gpu\""),
        "architecture = \"pair:card.toml:sub/disk.toml\"\n" + traffic,
        "kind = \"pair\"\nprefill = \"gpu\"\ndecode = \"card.toml\"\n" + traffic,
        "architecture = \"gpu\"\n" + scenario + "[baseline]\narchitecture = \"card.toml\"\n",
        "architecture = \"pair:gpu:umdam\"\n" + traffic};
    std::vector<Columns> written;
    for (auto const& text : texts) written.push_back(space(text).columns());
    std::filesystem::remove(folder_ / "card.toml");
    set_content(folder_ / "sub/disk.toml", "no machine at all");
    for (auto const& columns : written) {
        auto const again = space::space_of_columns(columns, "a.h5");
        EXPECT_EQ(again.canonical_text(), columns.canonical_text);
        EXPECT_EQ(again.columns().machine_files, columns.machine_files);
        EXPECT_EQ(space::differing_input(again.columns().input_hashes, columns.input_hashes), std::nullopt);
        EXPECT_EQ(again.columns().points, columns.points);
    }
    EXPECT_NE(written[3].canonical_text.find("\"pair\":[\"/"), std::string::npos);
    EXPECT_NE(written[6].canonical_text.find("\"architecture\":\"pair:gpu:umdam\""), std::string::npos)
        << "as result files have it that were written before machines had files";
}

TEST_F(MachineFiles, may_move_with_the_results) {
    auto columns = space("architecture = \"pair:card.toml:gpu\"\nobjectives = [\"silicon\"]\n").columns();
    space::rename_own_files(columns, {{path("card.toml"), "/new/card.toml"}});
    EXPECT_EQ(columns.machine_files.front().path, "/new/card.toml");
    EXPECT_EQ(space::space_of_columns(columns, "a.h5").columns().machine_files, columns.machine_files);
}

TEST_F(MachineFiles, have_mistakes_in_lines_of_their_own) {
    auto wrong = card("a b");
    wrong.replace(wrong.find("schema = 1"), 10, "schema = 7");
    set_content(folder_ / "card.toml", wrong);
    EXPECT_THAT(mistakes("architecture = \"card.toml\"\n" + rest),
                ElementsAre(StartsWith(path("card.toml") + ":1: "), StartsWith(path("card.toml") + ":2: ")));
    EXPECT_THAT(mistakes("architecture = \"crd.toml\"\n" + rest),
                ElementsAre(AllOf(StartsWith(path("s.toml") + ":2: " + path("crd.toml")), HasSubstr("card.toml'"))));
    EXPECT_THAT(mistakes("architecture = \"pair:gpu\"\n" + rest),
                ElementsAre(HasSubstr("s.toml:2: 'pair:gpu' is not")));
    set_content(folder_ / "card.toml", rest);
    EXPECT_THAT(mistakes("architecture = \"card.toml\"\n" + rest),
                ElementsAre(HasSubstr("is a space and not a machine")));
}

TEST_F(MachineFiles, are_not_spaces) {
    EXPECT_THAT(mistakes_by([&] { (void)space::parse_space(card("card"), path("card.toml")); }),
                ElementsAre(HasSubstr("is a machine and not a space")));
}

}  // namespace
}  // namespace pimdse::dse::space::machine_files_test
