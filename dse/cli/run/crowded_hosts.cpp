#include "dse/cli/run/crowded_hosts.hpp"

#include "dse/evaluate/cgroup_quota.hpp"
#include "dse/evaluate/thread_count.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace pimdse::dse::cli::run {
namespace {

struct Host {
    std::size_t ranks = 0;
    std::set<int> cores;
    std::size_t quota = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::string usable_cores_text() {
    nlohmann::json text{{"cores", evaluate::usable_cores()}};
    if (auto const quota = evaluate::cgroup_quota()) text["quota"] = *quota;
    return text.dump();
}

std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts, std::vector<std::string> const& cores) {
    sim::expects(hosts.size() == cores.size(), "every rank says its host and its cores");
    std::map<std::string, Host> found;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        auto const text = nlohmann::json::parse(cores[rank]);
        auto& host = found[hosts[rank]];
        ++host.ranks;
        for (auto const& core : text.at("cores")) host.cores.insert(core.get<int>());
        host.quota = std::min(host.quota, text.value("quota", host.quota));
    }
    std::vector<std::string> sentences;
    for (auto const& [name, host] : found) {
        auto const allowed = std::min(host.cores.size(), host.quota);
        if (host.ranks > allowed)
            sentences.push_back(fmt::format(
                "{} ranks share {} {} of {}, which is slower than a rank per core. Start at most {} ranks there?",
                host.ranks, allowed, allowed == 1 ? "core" : "cores", name, allowed));
    }
    return sentences;
}

}  // namespace pimdse::dse::cli::run
