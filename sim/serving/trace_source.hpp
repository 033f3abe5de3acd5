#pragma once

#include "sim/serving/trace_kinds.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pimdse::sim::serving {

/// Cells of a request by what they say (TraceColumn); "" for one that is not there.
using TraceCells = std::array<std::string_view, trace_columns>;

/// The requests of a file, whatever its format: cells that are read one request after another.
class TraceSource {
  public:
    TraceSource() = default;
    TraceSource(TraceSource const&) = delete;
    TraceSource& operator=(TraceSource const&) = delete;
    virtual ~TraceSource() = default;

    [[nodiscard]] TraceForm const& form() const { return form_; }
    /// The cells of the next request; false at the end. Valid until the next call.
    [[nodiscard]] virtual bool next(TraceCells& cells) = 0;
    /// A member of the object that has the lists of TraceKind::lists; "" of others, and if there is none.
    [[nodiscard]] virtual std::string_view about(std::string_view) const { return {}; }
    /// The InputError "FILE:LINE: problem" at the last request.
    [[noreturn]] virtual void refuse(std::string const& problem) const = 0;

  protected:
    TraceForm form_;
};

/// Recognises the format and the kind of a file. `tokens`: with the times of tokens. Throws InputError.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace(std::filesystem::path const& file, TraceColumns const& given,
                                                      bool tokens = false);

}  // namespace pimdse::sim::serving
