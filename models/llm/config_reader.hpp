#pragma once

#include "sim/base/json.hpp"

#include <toml++/impl/forward_declarations.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Reader of the fields of a JSON object in a file, one by one. It collects every mistake instead of stopping at the
/// first. Unless a function says otherwise, a field that is null counts as absent. Include this header only in .cpp
/// files, because of the JSON values.
class ConfigReader {
  public:
    /// Throws InputError if the file cannot be read, has more than 16 MiB, or is not a JSON object.
    ConfigReader(std::filesystem::path file, std::vector<std::string>& mistakes);
    /// Of an object that is not a JSON text: what the header of `file` says, or a table at this line of it.
    ConfigReader(std::filesystem::path file, sim::Json fields, std::vector<std::string>& mistakes,
                 std::size_t line = 1);

    /// A whole number of 1 to `most`; on a mistake, adds a sentence and returns 1.
    [[nodiscard]] std::int64_t count(std::string_view field, std::int64_t most);
    /// A whole number of `least` to `most`, or `otherwise` if the field is absent, and on a mistake.
    [[nodiscard]] std::int64_t number_or(std::string_view field, std::int64_t least, std::int64_t most,
                                         std::int64_t otherwise);
    [[nodiscard]] bool flag_or(std::string_view field, bool otherwise);
    [[nodiscard]] std::string text_or(std::string_view field, std::string_view otherwise);
    /// Lists; empty where the field is absent, and on a mistake.
    [[nodiscard]] std::vector<std::string> texts(std::string_view field);
    [[nodiscard]] std::vector<std::int64_t> counts(std::string_view field, std::int64_t most);
    [[nodiscard]] bool has(std::string_view field) { return present(field) != nullptr; }
    /// The value of a field, null included; nullptr if it is absent. A dot in it leads into an object, or
    /// to an entry of a list: "a.0" is the first one.
    [[nodiscard]] sim::Json const* value(std::string_view field);
    /// The whole number of a value of a field, if it is one of `least` to `most`; adds a mistake otherwise.
    [[nodiscard]] std::optional<std::int64_t> whole(std::string_view field, sim::Json const& node, std::int64_t least,
                                                    std::int64_t most);
    /// Reader of the fields of an object; of none if it is absent, and on a mistake.
    [[nodiscard]] ConfigReader inside(std::string_view field);
    /// Readers of the objects of a list; adds a mistake if it is none.
    [[nodiscard]] std::vector<ConfigReader> each(std::string_view field);
    /// Reader of another file, whose mistakes are added to these.
    [[nodiscard]] ConfigReader other(std::filesystem::path file) { return {std::move(file), mistakes_}; }
    [[nodiscard]] std::vector<std::string> names() const;
    /// Whether the field is present and neither null, false, 0 nor empty.
    [[nodiscard]] bool is_on(std::string_view field);
    /// Whether the field is this text, or a list with it. Numbers, true and false are texts as JSON writes them.
    [[nodiscard]] bool says(std::string_view field, std::string_view text);
    /// A field that is known and changes no shape.
    void ignore(std::string_view field) { read_.emplace(field); }
    /// Adds a mistake if the field is on.
    void refuse(std::string_view field, std::string_view why);
    /// Adds a sentence for every field that was not read and whose name speaks of shapes ("num_", "_dim", "window").
    void refuse_unknown_shapes();
    /// Adds a sentence for every field that was not read, with the nearest known name.
    void refuse_unknown_fields();
    void mistake(std::string_view field, std::string const& sentence);
    /// Whether a list has an entry for each layer; adds a mistake otherwise.
    [[nodiscard]] bool is_by_layer(std::string_view field, std::size_t entries, std::int64_t layers);
    [[nodiscard]] bool has_mistakes() const { return !mistakes_.empty(); }
    [[nodiscard]] std::filesystem::path const& file() const { return file_; }

  private:
    ConfigReader(ConfigReader const& whole, std::string_view field, sim::Json fields);
    [[nodiscard]] sim::Json const* present(std::string_view field);

    std::filesystem::path file_;
    std::shared_ptr<std::string const> text_;
    std::size_t begin_ = 0;  ///< of the object in the text
    std::size_t line_ = 1;   ///< of the text in the file
    sim::Json fields_;
    std::vector<std::string>& mistakes_;
    std::set<std::string, std::less<>> read_;
};

/// What a TOML value is in JSON. Throws InputError for a date.
[[nodiscard]] sim::Json json_of(toml::node const& node);

}  // namespace pimdse::models
