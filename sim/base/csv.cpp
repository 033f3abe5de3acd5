#include "sim/base/csv.hpp"

namespace pimdse::sim {

std::string csv_cell(std::string const& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char const c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted += '"';
}

std::vector<std::string> csv_cells(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        char const c = line[at];
        bool const doubled = quoted && line.substr(at, 2) == "\"\"";
        if (doubled)
            cells.back() += line[++at];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

}  // namespace pimdse::sim
