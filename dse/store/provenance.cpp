#include "dse/store/provenance.hpp"

#include "sim/base/json.hpp"
#include "sim/base/words.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace pimdse::dse::store {
namespace {

constexpr std::array<std::string_view, 5> own_names{"run_id", "version", "git_revision", "start", "stop"};

auto find_more(auto& more, std::string_view name) {
    return std::find_if(more.begin(), more.end(), [&](auto const& entry) { return entry.first == name; });
}

/// Reads a list: an attribute in files of version 1, a text column since; empty if there is neither.
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
    for (auto& text : texts) text = sim::as_utf8(text);
    return texts;
}

/// A run as an entry of `earlier`, without its own `earlier`.
std::string earlier_text(Provenance const& provenance) {
    sim::Json text{
        {"run_id", provenance.run_id},   {"version", provenance.version},  {"git_revision", provenance.git_revision},
        {"start", provenance.start},     {"stop", provenance.stop},        {"ranks", provenance.ranks},
        {"threads", provenance.threads}, {"argv", valid(provenance.argv)}, {"hosts", valid(provenance.hosts)}};
    for (auto const& [name, value] : provenance.more) text[name] = sim::as_utf8(value);
    return text.dump();
}

bool same_search(Plan const& a, Plan const& b) { return a.search == b.search && a.whole == b.whole; }

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

std::string text_of(Plan const& plan) {
    return sim::Json{{"search", plan.search}, {"first", plan.first}, {"last", plan.last}, {"whole", plan.whole}}.dump();
}

std::vector<Plan> plans_in(std::vector<std::string> const& texts) {
    std::vector<Plan> plans;
    for (auto const& text : texts) {
        try {
            auto const json = sim::Json::parse(text);
            Plan const plan{json.at("search").get<std::string>(), json.at("first").get<std::uint64_t>(),
                            json.at("last").get<std::uint64_t>(), json.at("whole").get<std::uint64_t>()};
            if (plan.first <= plan.last && plan.last <= plan.whole) plans.push_back(plan);
        } catch (sim::Json::Error const&) {
            continue;  // written by another version
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

void Timeline::add(Moment moment) {
    std::scoped_lock const lock(mutex_);
    last_ = moment;
    if (!kept_.empty() && moment.seconds < kept_.back().seconds + apart_) return;
    kept_.push_back(moment);
    if (kept_.size() < max) return;  // moments() always has room for the last moment
    for (std::size_t i = 0; i < max / 2; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(max / 2);
    apart_ = 2.0 * kept_.back().seconds / static_cast<double>(max);
}

std::vector<Moment> Timeline::moments() const {
    std::scoped_lock const lock(mutex_);
    auto moments = kept_;
    if (!moments.empty() && moments.back().results == last_.results && moments.back().seconds == last_.seconds)
        return moments;
    if (!moments.empty()) moments.push_back(last_);
    return moments;
}

void write_progress(hdf5::Group& timing, std::vector<Moment> const& moments) {
    std::vector<double> seconds;
    std::vector<std::uint64_t> results;
    for (auto const& moment : moments) {
        seconds.push_back(moment.seconds);
        results.push_back(moment.results);
    }
    auto group = timing.create_group("progress");
    group.put("seconds", seconds).attribute("unit", "s");
    group.put("answers", results);
}

}  // namespace pimdse::dse::store
