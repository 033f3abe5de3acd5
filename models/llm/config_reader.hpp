#pragma once

#include "sim/base/json.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Reader of the fields of a config.json, one by one. It collects every mistake instead of stopping at the first. A
/// field that is null counts as absent, as it does for the library that writes these files. Include this header only in
/// .cpp files, because the JSON library is heavy.
class ConfigReader {
  public:
    /// Throws InputError if the file cannot be read, has more than 16 MiB, or is not a JSON object.
    ConfigReader(std::filesystem::path file, std::vector<std::string>& mistakes);

    /// A whole number of 1 to `most`; on a mistake, adds a sentence and returns 1.
    [[nodiscard]] std::int64_t count(std::string_view field, std::int64_t most);
    /// The same where the field may be absent, or 0.
    [[nodiscard]] std::int64_t count_or(std::string_view field, std::int64_t most, std::int64_t otherwise);
    /// A whole number of `least` to `most`.
    [[nodiscard]] std::int64_t number_or(std::string_view field, std::int64_t least, std::int64_t most,
                                         std::int64_t otherwise);
    [[nodiscard]] bool flag_or(std::string_view field, bool otherwise);
    [[nodiscard]] std::string text_or(std::string_view field, std::string_view otherwise);
    /// Lists; empty where the field is absent, and on a mistake.
    [[nodiscard]] std::vector<std::string> texts(std::string_view field);
    [[nodiscard]] std::vector<std::int64_t> counts(std::string_view field, std::int64_t most);
    [[nodiscard]] bool has(std::string_view field) { return present(field) != nullptr; }
    /// Reader of the fields of an object; of none if it is absent, and on a mistake.
    [[nodiscard]] ConfigReader inside(std::string_view field);
    [[nodiscard]] std::vector<std::string> names() const;
    /// Whether the field is present and neither null, false, 0 nor empty.
    [[nodiscard]] bool is_on(std::string_view field);
    /// Fields that are known and change no shape.
    void ignore(std::vector<std::string_view> const& fields);
    /// Adds a mistake if the field is present and neither null, false, 0, empty nor `harmless`.
    void refuse(std::string_view field, std::string_view why, sim::Json const& harmless = nullptr);
    /// Adds a sentence for every field that was not read and whose name speaks of shapes ("num_", "_dim", "window").
    void refuse_unknown_shapes();
    void mistake(std::string_view field, std::string const& sentence);

  private:
    ConfigReader(ConfigReader const& whole, sim::Json fields);
    [[nodiscard]] sim::Json const* present(std::string_view field);
    /// The number of a node, if it is whole and of 0 to `most`; adds a mistake otherwise.
    [[nodiscard]] std::optional<std::int64_t> whole(std::string_view field, sim::Json const& node, std::int64_t least,
                                                    std::int64_t most);

    std::filesystem::path file_;
    std::string text_;
    sim::Json fields_;
    std::vector<std::string>& mistakes_;
    std::set<std::string, std::less<>> read_;
};

}  // namespace pimdse::models
