#include "dse/store/result/provenance.hpp"

#include "dse/store/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace pimdse::dse::store::result {
namespace {

constexpr std::array<std::string_view, 5> own_names{"run_id", "version", "git_revision", "start", "stop"};

auto find_more(auto& more, std::string_view name) {
    return std::find_if(more.begin(), more.end(), [&](auto const& entry) { return entry.first == name; });
}

/// Attributes in files of version 1, text columns since; nothing where there is neither.
std::vector<std::string> read_list(hdf5::Group const& group, std::string const& name) {
    if (group.has_attribute(name)) return group.texts(name);
    return group.has(name) ? group.open_column(name).read_texts() : std::vector<std::string>{};
}

int read_count(hdf5::Group const& group, std::string const& name) {
    std::uint64_t const count = group.number(name);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) group.damaged(name + " is too large");
    return static_cast<int>(count);
}

std::vector<std::string> valid(std::vector<std::string> texts) {
    for (auto& text : texts) text = as_utf8(text);
    return texts;
}

}  // namespace

std::string_view Provenance::more_of(std::string_view name) const {
    auto const found = find_more(more, name);
    return found == more.end() ? std::string_view{} : found->second;
}

void Provenance::set_more(std::string_view name, std::string_view text) {
    auto const found = find_more(more, name);
    if (found == more.end())
        more.emplace_back(name, text);
    else
        found->second = text;
}

bool Provenance::unfinished() const {
    auto const state = more_of("state");
    return state == state_stopped || state == state_going_on || state == state_part || state == state_shards_missing;
}

namespace {

/// A run as an entry of `earlier`, without the ones before it.
std::string earlier_text(Provenance const& provenance) {
    nlohmann::ordered_json text{{"run_id", provenance.run_id},
                                {"version", provenance.version},
                                {"git_revision", provenance.git_revision},
                                {"start", provenance.start},
                                {"stop", provenance.stop},
                                {"ranks", provenance.ranks},
                                {"threads", provenance.threads},
                                {"argv", valid(provenance.argv)},
                                {"hosts", valid(provenance.hosts)},
                                {"joined", valid(provenance.joined)}};
    for (auto const& [name, value] : provenance.more) text[name] = as_utf8(value);
    return text.dump();
}

}  // namespace

std::vector<std::string> with_itself(Provenance const& provenance) {
    auto runs = provenance.earlier;
    runs.push_back(earlier_text(provenance));
    return runs;
}

void write_provenance(hdf5::Group& root, Provenance const& provenance) {
    auto group = root.create_group("provenance");
    group.attribute("run_id", provenance.run_id);
    group.attribute("version", provenance.version);
    group.attribute("git_revision", provenance.git_revision);
    group.attribute("ranks", std::int32_t{provenance.ranks});
    group.attribute("threads", std::int32_t{provenance.threads});
    group.attribute("start", provenance.start);
    group.attribute("stop", provenance.stop);
    for (auto const& [name, text] : provenance.more) group.attribute(name, text);
    group.put_texts("argv", provenance.argv);
    group.put_texts("hosts", provenance.hosts);
    if (!provenance.plans.empty()) {
        std::vector<std::string> plans;
        for (auto const& plan : provenance.plans) plans.push_back(text_of(plan));
        group.put_texts("plans", plans);
    }
    if (!provenance.joined.empty()) group.put_texts("joined", provenance.joined);
    if (!provenance.earlier.empty()) group.put_texts("earlier", provenance.earlier);
}

Provenance read_provenance(hdf5::Group const& root) {
    auto const group = root.open_group("provenance");
    Provenance provenance;
    provenance.run_id = group.text("run_id");
    provenance.version = group.text("version");
    provenance.git_revision = group.text("git_revision");
    provenance.argv = read_list(group, "argv");
    provenance.hosts = read_list(group, "hosts");
    provenance.plans = plans_in(read_list(group, "plans"));
    provenance.joined = read_list(group, "joined");
    provenance.earlier = read_list(group, "earlier");
    provenance.ranks = read_count(group, "ranks");
    provenance.threads = read_count(group, "threads");
    provenance.start = group.text("start");
    provenance.stop = group.text("stop");
    for (auto const& name : group.text_attributes()) {
        bool const own = std::find(own_names.begin(), own_names.end(), name) != own_names.end();
        if (!own && name != "argv" && name != "hosts") provenance.more.emplace_back(name, group.text(name));
    }
    return provenance;
}

}  // namespace pimdse::dse::store::result
