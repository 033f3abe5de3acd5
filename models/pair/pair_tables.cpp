#include "models/pair/pair_tables.hpp"

#include "models/chips/links.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace pimdse::models::pair {
namespace {

constexpr double max_machines = 1024;
constexpr double max_bandwidth = 1'000'000'000'000'000'000;  // B/s
constexpr std::string_view usual_link = "eth400";

ParameterTable<PairSettings> const& table() {
    static auto const made = [] {
        ParameterTable<PairSettings> rows;
        rows.row<&PairSettings::prefill_machines>(resource(
            count("prefill_machines", "1", 1, {1, max_machines}, "machines that compute prompts, each with a queue")));
        rows.row<&PairSettings::decode_machines>(
            resource(count("decode_machines", "1", 1, {1, max_machines}, "machines that decode, each with a queue")));
        rows.row<&PairSettings::link>(
            choice("link", {chips::link_names.begin(), chips::link_names.end()}, usual_link,
                   "moves keys and values from a machine that computes prompts to one that decodes (docs/models.md)"));
        rows.row<&PairSettings::bandwidth>(quantity("link_bandwidth", "GB/s", 0.0, {0.0, max_bandwidth},
                                                    "bandwidth of the link; 0: that of its kind"));
        rows.row<&PairSettings::latency>(
            quantity("link_latency", "us", 0.0, {0.0, 1.0}, "latency of the link; 0: that of its kind"));
        rows.row<&PairSettings::prefixes>(choice("prefixes", {"prefill", "both"},
                                                 "which machines keep what scheduler.prefix_cache keeps; both: those "
                                                 "that decode have the links, and read what they miss of a prompt"));
        return rows;
    }();
    return made;
}

std::size_t shared_place(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(shared_names, name) - shared_names.begin());
}

Account stronger(Account a, Account b) {
    if (a == Account::assumed || b == Account::assumed) return Account::assumed;
    return a == Account::counted || b == Account::counted ? Account::counted : Account::none;
}

void join(std::vector<LedgerEntry>& to, std::vector<LedgerEntry> const& other, std::vector<std::string>& texts) {
    for (auto& entry : to) {
        auto const same = std::ranges::find(other, entry.row, &LedgerEntry::row);
        if (same == other.end() || same->why == entry.why) continue;
        texts.push_back(fmt::format("prefill: {}; decode: {}", entry.why, same->why));
        entry = {entry.row, stronger(entry.account, same->account), texts.back()};
    }
}

}  // namespace

Half::Half(Architecture const& architecture, std::string prefix, std::size_t first)
    : architecture_(&architecture), prefix_(std::move(prefix)), table_(architecture.parameters()) {
    for (auto const& parameter : table_)
        places_.push_back(shared_place(parameter.name) < shared_names.size() ? shared_place(parameter.name) : first++);
    for (auto const name : shared_names)
        sim::expects(find_parameter(table_, name) >= 0, "a machine of a pair serves models");
}

Parameters Half::rows() const {
    Parameters rows;
    for (auto row : table_) {
        if (shared_place(row.name) < shared_names.size()) continue;
        row.name = prefix_ + row.name;
        for (auto& alias : row.aliases) alias = prefix_ + alias;
        rows.push_back(std::move(row));
    }
    return rows;
}

Parameters Half::own_table(Parameters const& pair) const {
    auto own = table_;
    for (std::size_t i = 0; i < own.size(); ++i) {
        auto const& row = pair[place(i)];
        if (place(i) >= shared_names.size()) {
            own[i].choices = row.choices;
            own[i].default_value = row.default_value;
            continue;
        }
        if (!own[i].accepts) continue;
        for (auto const& choice : row.choices)
            if (names_own_file(choice)) (void)read_value(own[i], choice);
    }
    return own;
}

std::variant<std::vector<Value>, Infeasible> Half::own_point(Inputs const& own, Parameters const& pair,
                                                             Point point) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < table_.size(); ++i) {
        auto value = point[place(i)];
        if (place(i) < shared_names.size() && value.kind() == Kind::choice) {
            auto const& name = pair[place(i)].choices[value.as_choice()];
            auto const& known = own.parameters[i].choices;
            auto const found = std::ranges::find(known, name);
            if (found == known.end()) return infeasible("pair", "{} does not serve {}", architecture_->name, name);
            value = Value::choice(static_cast<std::size_t>(found - known.begin()));
        }
        values.push_back(value);
    }
    return values;
}

Fidelity Half::up_to(Fidelity fidelity) const {
    auto best = architecture_->fidelities.front();
    for (auto const has : architecture_->fidelities)
        if (has <= fidelity) best = has;
    return best;
}

Parameters pair_parameters() { return table().parameters(); }

PairSettings pair_settings(Point last_values) { return table().read(last_values); }

Ledger joined(Ledger const& prefill, Ledger const& decode, std::vector<std::string>& texts) {
    texts.reserve(energy_rows.size() + area_rows.size());  // entries refer to them
    auto all = prefill;
    join(all.energy, decode.energy, texts);
    join(all.area, decode.area, texts);
    return all;
}

}  // namespace pimdse::models::pair
