#include "sim/base/json.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace pimdse::sim::json_test {
namespace {

TEST(Json, MembersInBracesAreAnObject) {
    std::string const key = "of a text";
    Json const json{{"whole", 1}, {"inner", {{key, {1, 2.5}}}}, {"whole", 2}, {"list", std::vector<int>{3}}};
    EXPECT_EQ(json.dump(), R"({"whole":1,"inner":{"of a text":[1,2.5]},"list":[3]})")
        << "of equal keys the first counts";
    EXPECT_EQ(Json::parse(json.dump()), json);
}

TEST(Json, ElementsInBracesAreAnArray) {
    EXPECT_EQ((Json{"latency", "minimize"}).dump(), R"(["latency","minimize"])");
    EXPECT_EQ((Json{1, nullptr, Json{{"a", true}}}).dump(), R"([1,null,{"a":true}])");
    EXPECT_EQ(Json::array({Json("one")}).dump(), R"(["one"])");
}

TEST(Json, PushesWhatStandsInBracesAsOneElement) {
    auto list = Json::array();
    list.push_back({{"a", 1}});
    list.push_back({"a", 1});
    list.push_back(7);
    EXPECT_EQ(list.dump(), R"([{"a":1},["a",1],7])");
}

}  // namespace
}  // namespace pimdse::sim::json_test
