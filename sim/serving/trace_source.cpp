#include "sim/serving/trace_source.hpp"

#include "sim/base/check.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/json.hpp"
#include "sim/base/json_scan.hpp"
#include "sim/base/line_reader.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {
namespace {

/// A table of comma-separated cells.
class CsvTrace : public TraceSource {
  public:
    CsvTrace(LineReader lines, TraceColumns const& given, bool tokens) : rows_(std::move(lines)) {
        try {
            form_ = form_of(rows_.names(), true, given, tokens);
        } catch (InputError const& error) {
            rows_.refuse(error.what());
        }
        std::vector<std::string> columns;
        // Requests that continue others may have no time of their own.
        bool const has_after = !form_.columns[static_cast<std::size_t>(TraceColumn::after)].empty();
        for (auto const required : {true, false}) {
            for (std::size_t c = 0; c < trace_columns; ++c) {
                bool const waits = c == static_cast<std::size_t>(TraceColumn::time) && has_after;
                bool const always = c <= static_cast<std::size_t>(TraceColumn::output) && !waits;
                if (always != required || form_.columns[c].empty()) continue;
                at_[c] = columns.size();
                columns.push_back(form_.columns[c]);
            }
            if (required) required_ = columns.size();
        }
        rows_.choose(std::move(columns), required_);
    }
    bool next(TraceCells& cells) override {
        auto const row = rows_.cells();
        if (!row) return false;
        for (std::size_t c = 0; c < trace_columns; ++c)
            cells[c] = form_.columns[c].empty() ? std::string_view() : (*row)[at_[c]];
        return true;
    }
    void refuse(std::string const& problem) const override { rows_.refuse(problem); }

  private:
    CsvRows rows_;
    std::array<std::size_t, trace_columns> at_{};
    std::size_t required_ = 0;
};

/// The JSON objects of a file one after another: one in a line, or in any layout, also as a list.
class JsonObjects {
  public:
    /// `first` is the first line with content.
    JsonObjects(LineReader lines, std::string first) : lines_(std::move(lines)), line_(lines_.line()) {
        if (trimmed(first).starts_with('{') && is_complete(first)) {
            text_ = std::move(first);
            by_line_ = true;
            return;
        }
        text_ = std::move(first) + "\n" + lines_.rest();
        values_.emplace(text_);
    }
    JsonObjects(JsonObjects const&) = delete;
    JsonObjects& operator=(JsonObjects const&) = delete;

    std::optional<std::string_view> next() {
        if (!by_line_) return next_value();
        if (std::exchange(begun_, true)) {
            std::optional<std::string_view> line;
            do line = lines_.next();
            while (line && trimmed(*line).empty());
            line_ = lines_.line();
            return line;
        }
        return text_;
    }
    /// The error at a byte of the last object, from 0 on.
    [[noreturn]] void refuse(std::string const& problem, std::size_t byte = 0) const {
        lines_.refuse_at(by_line_ ? line_ : line_of(object_at_ + byte), problem);
    }

  private:
    static bool is_complete(std::string_view line) {
        try {
            return trimmed(line.substr(json_end(line))).empty();
        } catch (Json::Error const& error) {
            // Text that is invalid before its end cannot become valid JSON with more text: the line is refused.
            return error.byte <= trimmed(line).size();
        }
    }
    std::optional<std::string_view> next_value() {
        try {
            auto const value = values_->next();
            object_at_ = values_->begin();
            return value;
        } catch (Json::Error const& error) {
            object_at_ = 0;
            refuse(error.what(), error.byte > 0 ? error.byte - 1 : 0);
        }
    }
    [[nodiscard]] std::int64_t line_of(std::size_t byte) const {
        auto const end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text_.size()));
        return line_ + std::count(text_.begin(), end, '\n');
    }

    LineReader lines_;
    std::int64_t line_ = 0;  ///< of the last object, or of the begin of the text
    std::string text_;       ///< the first object, or the whole text
    bool by_line_ = false, begun_ = false;
    std::optional<JsonValues> values_;
    std::size_t object_at_ = 0;
};

/// JSON objects, each of which is a request, or a single one with lists.
class JsonTrace : public TraceSource {
  public:
    JsonTrace(LineReader lines, std::string first, TraceColumns const& given, bool tokens)
        : objects_(std::move(lines), std::move(first)) {
        object_ = objects_.next().value_or("");
        read([&] {
            form_ = form_of(json_paths(object_), false, given, tokens);
            members_.emplace(std::vector<std::string>(form_.columns.begin(), form_.columns.end()));
        });
        if (form_.kind != nullptr && form_.kind->lists) open_lists();
    }

    bool next(TraceCells& cells) override {
        if (!lists_.empty()) return next_of_lists(cells);
        if (std::exchange(begun_, true)) {
            auto const object = objects_.next();
            if (!object) return false;
            object_ = *object;
        }
        read([&] {
            auto const found = members_->in(object_);
            for (std::size_t c = 0; c < trace_columns; ++c) cells[c] = json_word(found[c]);
        });
        return true;
    }

    std::string_view about(std::string_view member) const override {
        return lists_.empty() ? std::string_view() : json_word(JsonMembersAt({std::string(member)}).in(object_)[0]);
    }

    void refuse(std::string const& problem) const override {
        objects_.refuse(lists_.empty() ? problem : fmt::format("request {} of the lists: {}", element_, problem));
    }

  private:
    template <class Read>
    void read(Read const& read) {
        try {
            read();
        } catch (Json::Error const& error) {
            objects_.refuse(error.what(), error.byte > 0 ? error.byte - 1 : 0);
        } catch (InputError const& error) {
            objects_.refuse(error.what());
        }
    }
    void open_lists() {
        read([&] {
            auto const found = members_->in(object_);
            for (std::size_t c = 0; c < trace_columns; ++c) {
                if (found[c].empty()) continue;
                if (!found[c].starts_with('[')) throw InputError("{} is not a list", form_.columns[c]);
                lists_.emplace_back(c, JsonValues(found[c]));
            }
        });
        // Benchmarks append a run to a file that has others. The text of the first object stays where it is.
        if (objects_.next()) objects_.refuse("there is another run (a trace is one of them). Keep one in the file?");
    }
    bool next_of_lists(TraceCells& cells) {
        bool more = true;
        ++element_;
        read([&] {
            cells.fill({});
            std::size_t ended = 0;
            for (auto& [c, values] : lists_) {
                auto const value = values.next();
                if (value)
                    cells[c] = json_word(*value);
                else
                    ++ended;
            }
            more = ended == 0;
            if (ended > 0 && ended < lists_.size())
                throw InputError("the lists of requests have different lengths. Is the file complete?");
        });
        return more;
    }

    JsonObjects objects_;
    std::string_view object_;
    std::optional<JsonMembersAt> members_;
    std::vector<std::pair<std::size_t, JsonValues>> lists_;
    std::int64_t element_ = 0;
    bool begun_ = false;
};

}  // namespace

std::unique_ptr<TraceSource> open_trace(std::filesystem::path const& file, TraceColumns const& given, bool tokens) {
    LineReader lines(file);
    std::optional<std::string_view> first;
    do first = lines.next();
    while (first && trimmed(*first).empty());
    bool const json = first && (trimmed(*first).starts_with('{') || trimmed(*first).starts_with('['));
    std::string text(first.value_or(""));
    if (!json) {
        if (first) lines.put_back();
        return std::make_unique<CsvTrace>(std::move(lines), given, tokens);
    }
    return std::make_unique<JsonTrace>(std::move(lines), std::move(text), given, tokens);
}

}  // namespace pimdse::sim::serving
