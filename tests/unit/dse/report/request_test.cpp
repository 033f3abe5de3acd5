#include "dse/report/request_lines.hpp"

#include "dse/report/point_json.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::report::request_test {
namespace {

space::Space two_machines() {
    return space::parse_space(R"(schema = 2
objectives = ["latency", "energy"]
[[machine]]
architecture = "upmem"
[machine.parameters]
tasklets = [4, 8]
[[machine]]
architecture = "dplena"
[machine.parameters]
vlen = [512, 1024, 2048]
)",
                              "two.toml");
}

std::string refusal(space::Space const& space, std::string const& line) {
    try {
        (void)read_request(space, line);
    } catch (Refusal const& refused) {
        return refused.sentence;
    }
    return "";
}

TEST(Request, names_each_point_by_its_parameters_as_by_its_id) {
    auto const space = two_machines();
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const point = point_json(space, space::PointId{id});
        EXPECT_EQ(index_of(read_point(space, sim::Json::parse(point.dump()))), id) << point.dump();
        EXPECT_EQ(index_of(read_id(space, std::to_string(id))), id);
    }
}

TEST(Request, has_its_tag_also_where_it_is_refused) {
    auto const space = two_machines();
    try {
        (void)read_request(space, R"({"verb": "none", "tag": {"a": [1]}})");
        FAIL() << "no such verb";
    } catch (Refusal const& refused) {
        EXPECT_EQ(refused.tag.dump(), R"({"a":[1]})");
    }
    EXPECT_EQ(read_request(space, R"({"verb": "front", "tag": "x"})").tag, "x");
}

TEST(Request, of_a_point_says_what_is_missing_or_wrong) {
    auto const space = two_machines();
    auto const said = [&](std::string const& points) {
        return refusal(space, R"({"verb": "evaluate", "points": [)" + points + "]}");
    };
    EXPECT_NE(said(R"({"tasklets": 4})").find("machine = upmem, "), std::string::npos);
    EXPECT_NE(said(R"({"machine": "upmen", "tasklets": 4})").find("'upmem'"), std::string::npos);
    EXPECT_THAT(said(R"({"machine": "upmem"})"), says("no-value-tasklets-which"));
    EXPECT_NE(said(R"({"machine": "dplena", "vlen": 4096})").find("vlen = 4096 is not in the space"),
              std::string::npos);
    EXPECT_THAT(said(R"({"machine": "dplena", "vlen": [1]})"), says("one-value-needed"));
    EXPECT_NE(said("7").find("is not a point"), std::string::npos);
    EXPECT_EQ(said(R"({"machine": "dplena", "vlen": "512"})"), "");
}

TEST(FreeRequest, has_points_anywhere_within_the_limits_of_their_parameters) {
    auto const space = two_machines();
    auto parameters = space.machines()[0].parameters();
    std::vector<models::Value> base;
    space.decode(space::PointId{0}, base);
    auto const tasklets = static_cast<std::size_t>(models::find_parameter(parameters, "tasklets"));
    auto const read =
        read_free_request(parameters, base, R"({"tag": 3, "fidelity": "cycle", "points": [{}, {"tasklets": 7}]})");
    EXPECT_EQ(read.tag, 3);
    EXPECT_EQ(read.fidelity, models::Fidelity::cycle);
    EXPECT_EQ(read.points.at(0), base);
    EXPECT_EQ(read.points.at(1)[tasklets], models::Value::integer(7));
    for (std::string const wrong : {R"({"points": []})", R"({"points": [{"batch": 0}]})", R"({"ids": ["0"]})",
                                    R"({"points": [{"task": 1}]})", R"({"fidelity": "fine", "points": [{}]})", "[1]"}) {
        EXPECT_THROW((void)read_free_request(parameters, base, wrong), Refusal) << wrong;
    }
}

}  // namespace
}  // namespace pimdse::dse::report::request_test
