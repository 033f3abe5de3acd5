#include "models/text/ledger.hpp"

#include "models/contract/common_metrics.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace pimdse::models::text {
namespace {

/// What a machine file says about the rows of its components.
struct Said {
    Account account = Account::none;
    std::string why;
    void add(std::string const& component, WrittenNumber const& number, bool is_assumed) {
        if (account != Account::assumed) account = is_assumed ? Account::assumed : Account::counted;
        if (!why.empty()) why += "; ";
        why += fmt::format("{}: {}", component, number.source.empty() ? number.text : number.source);
    }
    /// What a part says; that it has nothing of a kind counts if nothing else has.
    void add(std::string const& component, LedgerEntry const& entry) {
        if (entry.account == Account::none && account != Account::none) return;
        if (account == Account::none) why.clear();
        if (account != Account::assumed) account = entry.account;
        if (!why.empty()) why += "; ";
        why += fmt::format("{}: {}", component, entry.why);
    }
};

/// Whether an expression rests on a constant that is assumed.
bool rests_on_assumed(CompiledMachine const& machine, std::size_t number) {
    auto const& numbers = machine.numbers();
    auto const& file = machine.file();
    if (number < given_names.size()) return false;
    if (number < numbers.constants()) {
        auto const name = without_prefix(numbers.names()[number].name);
        for (std::size_t v = 0; v < std::max<std::size_t>(1, file.variants.size()); ++v)
            if (file.constants.at(file.row_of(name, v)).assumed) return true;
        return false;
    }
    if (numbers.written(number).assumed) return true;
    return std::ranges::any_of(numbers.expression(number).steps(), [&](Expression::Step const& step) {
        return step.code == Expression::Code::named && rests_on_assumed(machine, step.index);
    });
}

using Rows = std::map<std::string, Said, std::less<>>;

void add_number(CompiledMachine const& machine, std::string const& component, std::size_t number, Said& to) {
    to.add(component, machine.numbers().written(number), rests_on_assumed(machine, number));
}

/// What the timing set of a memory says: its accesses where the machine file states no energies, and its units.
void add_timing_set(std::string const& name, MemorySlots const& memory, Rows& rows) {
    auto const add = [&](char const* row) {
        auto& said = rows[row];
        if (said.account == Account::none) said.account = Account::counted;
        if (!said.why.empty()) said.why += "; ";
        said.why += fmt::format("{}: energies of its timing set, {}", name, memory.timing);
    };
    bool const states_energies = !memory.energies.empty();
    if (!states_energies || memory.units) add("dram_array");
    if (!states_energies || memory.units) add("dram_interface");
    if (!memory.units) return;
    add("in_memory_logic");
    if (memory.units->energy.refresh.si > 0.0) add("dram_refresh");
    if (memory.units->energy.standby.si > 0.0 || memory.units->energy.active_standby.si > 0.0) add("dram_background");
}

Rows energy_rows_of(CompiledMachine const& machine) {
    Rows rows;
    auto const& file = machine.file();
    auto& idle = rows["idle_units"];
    auto const add_stated = [&](std::string const& component, std::size_t number, Said& to) {
        if (machine.numbers().is_stated(number)) add_number(machine, component, number, to);
    };
    auto const add_energies = [&](std::string const& component, EnergySlots const& energies) {
        for (auto const& [row, number] : energies)
            add_number(machine, component, number, rows[std::string(energy_rows[row].name)]);
    };
    add_stated("machine", machine.power().idle, idle);
    for (std::size_t m = 0; m < file.memories.size(); ++m) {
        auto const& memory = machine.memories()[m];
        add_energies(file.memories[m].name, memory.energies);
        for (auto const number : {memory.static_power, memory.working_power})
            add_stated(file.memories[m].name, number, memory.simulated ? rows["dram_background"] : idle);
        if (memory.simulated) add_timing_set(file.memories[m].name, memory, rows);
    }
    for (std::size_t u = 0; u < file.units.size(); ++u) {
        auto const& unit = machine.units()[u];
        add_energies(file.units[u].name, unit.energies.front());
        for (auto const number : {unit.static_power, unit.waiting_power}) add_stated(file.units[u].name, number, idle);
        if (unit.part == nullptr) continue;
        for (auto const& entry : unit.part->energy) rows[std::string(entry.row)].add(file.units[u].name, entry);
    }
    if (file.makes_one())
        rows["links"] = {Account::assumed,
                         machine.link().is_used
                             ? "energy of a bit over the link (links.toml, or the machine file): of devices that are "
                               "one machine, for the bytes that its rules send"
                             : "links.toml; not stated: what devices send that are one machine (no rule of the machine "
                               "file has 'sends')"};
    rows["host_compute"] = {Account::assumed,
                            "with host = included: host_power of technology.toml for the latency; otherwise 0"};
    return rows;
}

/// Row of the ledger of area for the logic of a component.
std::string area_row_of(Component const& component) {
    if (component.kind == "vector") return "vector_unit";
    if (component.kind == "bank_pim") return "in_bank_logic";
    return "matrix_unit";
}

Rows area_rows_of(CompiledMachine const& machine) {
    Rows rows;
    auto const& file = machine.file();
    for (std::size_t m = 0; m < file.memories.size(); ++m) {
        auto const number = machine.memories()[m].area;
        if (machine.numbers().is_stated(number)) add_number(machine, file.memories[m].name, number, rows["sram"]);
    }
    for (std::size_t u = 0; u < file.units.size(); ++u) {
        auto const number = machine.units()[u].area;
        if (machine.numbers().is_stated(number))
            add_number(machine, file.units[u].name, number, rows[area_row_of(file.units[u])]);
        if (auto const* part = machine.units()[u].part; part != nullptr)
            for (auto const& entry : part->area) rows[std::string(entry.row)].add(file.units[u].name, entry);
    }
    for (auto const& entry : file.area) {
        if (!entry.number.empty()) add_number(machine, "machine", machine.numbers().at(entry.number), rows[entry.row]);
    }
    return rows;
}

/// An entry for every row; `texts` keeps what they say.
template <class LedgerRows>
std::vector<LedgerEntry> entries(LedgerRows const& rows, Rows const& counted, std::vector<WrittenEntry> const& written,
                                 std::vector<std::string>& texts) {
    std::vector<LedgerEntry> all;
    for (auto const& row : rows) {
        auto const found = counted.find(row.name);
        if (row.name == "links" && found == counted.end()) continue;  // groups of devices add it
        auto const said = std::ranges::find(written, row.name, &WrittenEntry::row);
        auto account = found == counted.end() ? Account::none : found->second.account;
        if (found != counted.end() && !found->second.why.empty()) {
            texts.push_back(found->second.why);
        } else if (said != written.end()) {
            texts.push_back(said->why);
        } else {
            account = Account::not_stated;
            texts.emplace_back("the machine file does not say");
        }
        all.push_back({row.name, account, texts.back()});
    }
    return all;
}

/// What is left of joules without these shares of them; rounding of the sums is none.
EnergyByRow without(EnergyByRow joules, std::vector<Share> const& shares) {
    constexpr double rounding = 0x1p-40;
    EnergyByRow largest{};
    for (auto const& share : shares) {
        auto const row = energy_row(share.what.substr(0, share.what.find('/')));
        largest[row] = std::max({largest[row], std::abs(joules[row]), std::abs(share.amount)});
        joules[row] -= share.amount;
    }
    for (std::size_t row = 0; row < joules.size(); ++row)
        if (std::abs(joules[row]) <= rounding * largest[row]) joules[row] = 0.0;
    return joules;
}

/// Its name, else "weights" of "*.weights" and of "prefill.weights".
std::string text_of(Rule const& rule) {
    if (!rule.name.empty()) return rule.name;
    auto const& pattern = rule.pattern;
    auto const dot = pattern.find('.');
    bool const has_phase =
        dot != std::string::npos &&
        (pattern.starts_with("*.") || std::ranges::find(phase_names, pattern.substr(0, dot)) != phase_names.end());
    return has_phase ? pattern.substr(dot + 1) : pattern;
}

/// Calls to(rule, phase, passes of the phase, seconds of the rule in them) for what takes time.
template <class To>
void each_rule(Result const& result, To const& to) {
    auto const& rules = result.design.prepared->machine().rules();
    bool const tokens = !result.design.request.diffuses();
    auto const of_phase = [&](std::string const& phase, PassCost const& cost) {
        for (std::size_t i = 0; i < rules.size(); ++i)
            if (cost.seconds[i] != 0.0) to(rules[i], phase, cost, cost.seconds[i]);
    };
    if (auto const& alone = result.design.alone)
        return of_phase(std::string(operator_names[static_cast<std::size_t>(alone->op)]), result.all());
    of_phase(tokens ? "prefill" : "first step", result.first);
    of_phase(tokens ? "decode" : "later steps", result.rest);
}

/// Adds what is done in the seconds of a rule in a phase: what its part says, or all under one name. Parts know nothing
/// of a limit of power, which makes all that they do take longer.
void explain(Result const& result, Rule const& rule, std::string const& phase, PassCost const& cost, double seconds,
             Breakdown& to) {
    constexpr double of_sums = 0x1p-30;  // rounding
    auto const* part = rule.part == nullptr ? nullptr : result.design.hardware.units[rule.unit].part.get();
    auto const begin = static_cast<std::ptrdiff_t>(to.time.size());
    if (part == nullptr || !part->explain(phase, result.amounts_on(*part, cost), to))
        return (void)to.time.push_back({fmt::format("{}/{}", phase, text_of(rule)), seconds});
    double said = 0.0;
    for (auto at = to.time.begin() + begin; at != to.time.end(); ++at) said += at->amount;
    if (!(said > 0.0) || seconds <= said * (1.0 + of_sums)) return;
    for (auto at = to.time.begin() + begin; at != to.time.end(); ++at) at->amount *= seconds / said;
}

}  // namespace

LedgerTexts::LedgerTexts(CompiledMachine const& machine) {
    texts_.reserve(energy_rows.size() + area_rows.size());
    ledger_.energy = entries(energy_rows, energy_rows_of(machine), machine.file().energy, texts_);
    auto const in_dram = [](UnitSlots const& unit) {
        return unit.part != nullptr && unit.part->process == AreaProcess::dram;
    };
    if (std::ranges::all_of(machine.units(), in_dram)) ledger_.process = AreaProcess::dram;
    ledger_.area = entries(area_rows, area_rows_of(machine), machine.file().area, texts_);
}

Trace trace_of(Result const& result) {
    auto const& units = result.design.prepared->machine().file().units;
    Trace bars;
    double now = 0.0;
    each_rule(result, [&](Rule const& rule, std::string const& phase, PassCost const& cost, double seconds) {
        Breakdown explained;
        explain(result, rule, phase, cost, seconds, explained);
        auto const begin = static_cast<std::ptrdiff_t>(bars.size());
        for (auto const& [what, of_it] : explained.time) {
            if (of_it == 0.0) continue;
            bars.push_back({what, rule.unit == no_component ? "waiting" : units[rule.unit].name, now, of_it});
            now += of_it;
        }
        if (rule.part != nullptr)
            result.design.hardware.units[rule.unit].part->name_units({bars.begin() + begin, bars.end()});
    });
    return bars;
}

Breakdown breakdown_of(Result const& result) {
    auto const& design = result.design;
    auto const& machine = design.prepared->machine();
    Breakdown explained;
    each_rule(result, [&](Rule const& rule, std::string const& phase, PassCost const& cost, double seconds) {
        explain(result, rule, phase, cost, seconds, explained);
    });
    CostLaw const law(machine, design.hardware, design.fidelity);
    auto by_parts = std::exchange(explained.energy, {});
    auto beyond_rest = without(law.energy_of(result.all()), by_parts);
    double not_drawn = std::exchange(beyond_rest[energy_row("idle_units")], 0.0);  // by units as they work
    append(explained.energy, beyond_rest);
    design.hardware.rest.each(result.all().total(), {}, [&](std::string_view row, Estimate const& rest) {
        bool const idles = row.starts_with("idle_units");
        double joules = rest.value + (idles ? std::exchange(not_drawn, 0.0) : 0.0);
        std::erase_if(by_parts, [&](Share const& share) {
            if (share.what == row) joules += share.amount;
            return share.what == row;
        });
        explained.energy.push_back({std::string(row), joules});
    });
    explained.energy.insert(explained.energy.begin(), by_parts.begin(), by_parts.end());
    if (not_drawn != 0.0) explained.energy.push_back({"idle_units", not_drawn});
    if (design.prepared->host() > 0.0) explained.energy.push_back({"host_compute/host", result.host_energy()});
    auto at = explained.limits.begin();
    for (auto const& limit : result.limits())  // in the order of the phases, as far as parts have not said them
        at = 1 + (at != explained.limits.end() && at->phase == limit.phase ? at : explained.limits.insert(at, limit));
    auto const area = [&](std::string const& row, std::string const& what, std::size_t number) {
        if (machine.numbers().is_stated(number))
            explained.area.push_back({row + "/" + what, design.hardware.numbers[number]});
    };
    auto const& file = machine.file();
    for (std::size_t m = 0; m < file.memories.size(); ++m)
        area("sram", file.memories[m].name, machine.memories()[m].area);
    for (std::size_t u = 0; u < file.units.size(); ++u)
        area(area_row_of(file.units[u]), file.units[u].name, machine.units()[u].area);
    for (auto const& unit : design.hardware.units)
        if (unit.part != nullptr) std::ranges::move(unit.part->areas(), std::back_inserter(explained.area));
    for (auto const& entry : file.area)
        if (!entry.number.empty()) area(entry.row, "machine", machine.numbers().at(entry.number));
    return explained;
}

}  // namespace pimdse::models::text
