#include "dse/store/result/plan.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace pimdse::dse::store::result {
namespace {

bool same_search(Plan const& a, Plan const& b) { return a.search == b.search && a.whole == b.whole; }

}  // namespace

std::string text_of(Plan const& plan) {
    return nlohmann::ordered_json{
        {"search", plan.search}, {"first", plan.first}, {"last", plan.last}, {"whole", plan.whole}}
        .dump();
}

std::vector<Plan> plans_in(std::vector<std::string> const& texts) {
    std::vector<Plan> plans;
    for (auto const& text : texts) {
        try {
            auto const json = nlohmann::json::parse(text);
            Plan const plan{json.at("search"), json.at("first"), json.at("last"), json.at("whole")};
            if (plan.first <= plan.last && plan.last <= plan.whole) plans.push_back(plan);
        } catch (nlohmann::json::exception const&) {
            continue;  // of another version
        }
    }
    return plans;
}

std::vector<Plan> united(std::vector<Plan> plans) {
    std::sort(plans.begin(), plans.end(), [](Plan const& a, Plan const& b) {
        return std::tie(a.search, a.whole, a.first, a.last) < std::tie(b.search, b.whole, b.first, b.last);
    });
    std::vector<Plan> all;
    for (auto& plan : plans) {
        if (!all.empty() && same_search(all.back(), plan) && plan.first <= all.back().last)
            all.back().last = std::max(all.back().last, plan.last);
        else
            all.push_back(std::move(plan));
    }
    return all;
}

std::uint64_t planned_in(std::vector<Plan> const& united) {
    std::uint64_t points = 0;
    for (std::size_t i = 0; i < united.size(); ++i) {
        if (i == 0 || !same_search(united[i - 1], united[i])) points += united[i].whole;
    }
    return points;
}

std::uint64_t missing_in(std::vector<Plan> const& united) {
    std::uint64_t missing = planned_in(united);
    for (auto const& plan : united) missing -= plan.last - plan.first;
    return missing;
}

}  // namespace pimdse::dse::store::result
