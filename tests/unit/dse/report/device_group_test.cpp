#include "dse/report/explanation.hpp"

#include "dse/space/space_reader.hpp"
#include "sim/base/json.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::report::device_group_test {
namespace {

/// The group of the only point of a space of boards with these lines of parameters.
std::optional<NamedGroup> group_with(std::string const& lines) {
    auto const space = space::parse_space(
        "schema = 2\narchitecture = \"gpu\"\nobjectives = [\"latency\"]\n[parameters]\ndevice = \"h100\"\n" + lines,
        "group.toml", {});
    std::vector<models::Value> point;
    space.decode(space::PointId{0}, point);
    auto const& machine = space.machines().front();
    return group_of(*machine.architecture, machine.inputs, point);
}

bool has(std::string const& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(DeviceGroup, is_none_for_one_device_and_for_a_group_that_cannot_be_built) {
    EXPECT_FALSE(group_with("").has_value());
    EXPECT_FALSE(group_with("devices = 1\nlink = \"eth400\"\n").has_value());
    EXPECT_FALSE(group_with("devices = 6\npipeline_parallel = 4\n").has_value());
    EXPECT_FALSE(group_with("devices = 16\n").has_value()) << "NVLink joins eight boards";
}

TEST(DeviceGroup, has_the_divisions_of_the_point) {
    for (int const stages : {1, 2, 4})
        for (int const copies : {1, 2}) {
            auto const named = group_with("devices = 8\npipeline_parallel = " + std::to_string(stages) +
                                          "\ndata_parallel = " + std::to_string(copies) + "\n");
            ASSERT_TRUE(named.has_value());
            auto const json = group_json(*named);
            EXPECT_EQ(json["devices"], 8);
            EXPECT_EQ(json["pipeline"], stages);
            EXPECT_EQ(json["data"], copies);
            EXPECT_EQ(json["tensor"], 8 / stages / copies);
            EXPECT_EQ(json["expert"], 1);
            auto const text = group_text(*named);
            EXPECT_EQ(has(text, std::to_string(stages) + " stages"), stages > 1) << text;
            EXPECT_EQ(has(text, std::to_string(copies) + " copies"), copies > 1) << text;
            EXPECT_EQ(has(text, "; between stages "), stages > 1) << text;
        }
}

TEST(DeviceGroup, names_its_links_and_what_they_carry) {
    auto const own = group_with("devices = 8\npipeline_parallel = 2\nmicro_batches = 2\nbatch = 2\n");
    ASSERT_TRUE(own.has_value());
    EXPECT_EQ(own->stage_link, own->link);
    EXPECT_TRUE(has(group_text(*own), ", 2 micro-batches; link own: switch, 450 GB/s"));
    auto const two = group_with(
        "devices = 16\npipeline_parallel = 2\nlink = \"pcie5\"\nlink_bandwidth = \"100 GB/s\"\n"
        "link_topology = \"ring\"\nstage_link = \"eth400\"\n");
    ASSERT_TRUE(two.has_value());
    auto const json = group_json(*two);
    EXPECT_EQ(json["link"]["name"], "pcie5");
    EXPECT_EQ(json["link"]["topology"], "ring");
    EXPECT_DOUBLE_EQ(json["link"]["bandwidth"].get<double>(), 100e9);
    EXPECT_EQ(json["stage_link"]["name"], "eth400");
    EXPECT_DOUBLE_EQ(json["stage_link"]["bandwidth"].get<double>(), 50e9);
}

TEST(DeviceGroup, has_no_link_within_stages_of_one_device) {
    auto const named = group_with("devices = 4\npipeline_parallel = 4\nstage_link = \"eth100\"\n");
    ASSERT_TRUE(named.has_value());
    EXPECT_FALSE(has(group_text(*named), "; link "));
    EXPECT_TRUE(has(group_text(*named), "4 devices: 4 stages; between stages eth100: switch"));
}

}  // namespace
}  // namespace pimdse::dse::report::device_group_test
