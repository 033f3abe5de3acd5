#include "dse/cli/trace_file.hpp"

#include "dse/store/storage_error.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {

using nlohmann::ordered_json;

/// Viewers want numbers for process and thread; metadata events name them.
void write_trace(std::string const& path, models::Trace const& trace, std::string_view process) {
    constexpr int pid = 1;
    std::map<std::string, int> threads;
    auto events = ordered_json::array();
    auto const name = [&](char const* what, int thread, std::string_view text) {
        events.push_back({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", thread}, {"args", {{"name", text}}}});
    };
    name("process_name", 0, process);
    for (auto const& event : trace) {
        auto const [unit, is_new] = threads.emplace(event.unit, static_cast<int>(threads.size()) + 1);
        if (is_new) name("thread_name", unit->second, event.unit);
        events.push_back({{"name", event.what},
                          {"ph", "X"},
                          {"ts", event.start * 1e6},
                          {"dur", event.duration * 1e6},
                          {"pid", pid},
                          {"tid", unit->second}});
    }
    std::ofstream file(path);
    file << ordered_json{{"traceEvents", std::move(events)}}.dump() << "\n";
    if (!file.flush()) throw store::StorageError(path, "cannot be written");
}

}  // namespace pimdse::dse::cli
