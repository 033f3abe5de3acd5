#include "sim/serving/traffic_reader.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"
#include "sim/serving/max_rate.hpp"
#include "sim/serving/trace_source.hpp"
#include "sim/serving/trace_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace pimdse::sim::serving {
namespace {

constexpr std::uint32_t first_numbered = std::uint32_t{1} << 31;
constexpr double max_seconds = 1e11;  // more than 3,000 years

/// The same number however it is written: a column in which numbers are missing has decimals.
std::string_view whole_name(std::string_view name) {
    auto const whole = name.substr(0, name.size() - (name.ends_with(".0") ? 2 : 0));
    return number_in<std::int64_t>(whole) ? whole : name;
}
bool is_no_name(std::string_view name) {
    constexpr std::array<std::string_view, 6> words{"", "-1", "null", "None", "nan", "NaN"};
    return std::ranges::find(words, name) != words.end();
}

/// Names as numbers (TracePast).
class Names {
  public:
    std::uint32_t number(std::string_view name) {
        bool const plain = name.size() == 1 || !name.starts_with('0');
        if (auto const own = number_in<std::uint32_t>(name); own && *own < first_numbered && plain) return *own;
        auto const next = first_numbered + static_cast<std::uint32_t>(numbers_.size());
        return numbers_.try_emplace(std::string(name), next).first->second;
    }

  private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// The elements of a list of numbers or texts, in brackets or not, separated by commas or blanks.
template <class Take>
void each_name(std::string_view list, Take const& take) {
    constexpr std::string_view between = "[], \t\"'";
    for (std::size_t at = 0; (at = list.find_first_not_of(between, at)) != std::string_view::npos;) {
        auto const end = std::min(list.find_first_of(between, at), list.size());
        take(list.substr(at, end - at));
        at = end;
    }
}

/// Whether a cell says that something is the case.
bool says_so(std::string_view cell) {
    return !cell.empty() && cell != "false" && cell != "False" && cell != "0" && cell != "{}" && cell != "[]";
}

/// "1 failed, 2 cancelled"
std::string text_of(std::vector<std::pair<std::string, std::int64_t>> const& counts) {
    std::vector<std::string> parts;
    for (auto const& [why, count] : counts) parts.push_back(fmt::format("{} {}", count, why));
    return fmt::format("{}", fmt::join(parts, ", "));
}

class TraceReader {
  public:
    TraceReader(std::filesystem::path const& file, TraceOptions const& options)
        : file_(file),
          options_(options),
          source_(open_trace(file, options.columns, options.tokens)),
          form_(source_->form()) {
        auto named = options.columns;
        named.added.reset();
        ours_ = form_.kind != nullptr && form_.kind->ours && named == TraceColumns{};
        trace_.timed = !column(TraceColumn::time).empty();
        trace_.past.block_tokens = form_.block_tokens;
        trace_.past.added = options.columns.added.value_or(false);
        trace_.may_add = form_.kind != nullptr && form_.kind->may_add && !options.columns.added;
        trace_.unread = form_.unread;
        if (options.tokens && !(has(TraceColumn::first_token) && has(TraceColumn::last_token)))
            throw InputError(
                "{}: it does not say when first and last tokens came (such as first_token_s and "
                "last_token_s beside arrival_s). Is it a recorded run?",
                file.string());
    }

    Trace read() {
        // Of a file in any order, the first requests are known at its end.
        bool const in_order = form_.kind != nullptr && form_.kind->ordered;
        TraceCells cells;
        while ((!in_order || trace_.requests.size() < options_.max_requests) && source_->next(cells)) add(cells);
        if (trace_.requests.empty()) throw InputError("{}: {}", file_.string(), why_empty());
        if (!std::ranges::is_sorted(trace_.requests, {}, &ServiceRequest::arrival)) sort();
        cut();
        note_names();
        double const begin = trace_.requests.front().arrival;
        for (auto& request : trace_.requests) request.arrival -= begin;
        name();
        return std::move(trace_);
    }

  private:
    [[nodiscard]] std::string const& column(TraceColumn c) const { return form_.columns[static_cast<std::size_t>(c)]; }
    static std::string_view cell(TraceCells const& cells, TraceColumn c) { return cells[static_cast<std::size_t>(c)]; }
    [[nodiscard]] bool has(TraceColumn c) const { return !column(c).empty(); }

    [[nodiscard]] std::string why_empty() const {
        if (trace_.left_out.empty()) return "the trace has no requests";
        return fmt::format("no request of the trace is left ({})", text_of(trace_.left_out));
    }

    static void note(std::vector<std::pair<std::string, std::int64_t>>& counts, std::string_view why) {
        auto const found =
            std::ranges::find(counts, why, [](auto const& one) -> std::string_view { return one.first; });
        if (found == counts.end())
            counts.emplace_back(why, 1);
        else
            ++found->second;
    }
    void leave_out(std::string_view why) { note(trace_.left_out, why); }
    /// Why a request is left out, before its lengths are read; "" if it is not.
    [[nodiscard]] static std::string unserved(TraceCells const& cells) {
        auto const phase = cell(cells, TraceColumn::phase);
        if (!phase.empty() && phase != "profiling") return fmt::format("of phase {}", clipped(phase));
        if (says_so(cell(cells, TraceColumn::cancelled))) return "cancelled";
        return says_so(cell(cells, TraceColumn::error)) ? "failed" : "";
    }

    void add(TraceCells const& cells) {
        if (auto const why = unserved(cells); !why.empty()) return leave_out(why);
        auto const input = tokens(cells, TraceColumn::input), output = tokens(cells, TraceColumn::output);
        if (output == 0) return leave_out(form_.kind == nullptr ? TraceKind{}.failed : form_.kind->failed);
        if (input == 0) return leave_out("without input tokens");
        if (auto const waits = cell(cells, TraceColumn::waits); says_so(waits))
            source_->refuse(
                fmt::format("{} = {}: requests that wait for others by name are not modelled. Name the one "
                            "that each continues with columns.parent?",
                            column(TraceColumn::waits), clipped(waits)));
        add_past(cells, input);
        ServiceRequest request{0.0, input, output};
        auto const after = cell(cells, TraceColumn::after);
        auto const before = after.empty() ? std::nullopt : arrival_before();
        if (before) request.after = seconds(TraceColumn::after, after, form_.unit);
        if (ours_ && !after.empty() && !before)
            source_->refuse(fmt::format("{} = {} follows no request. Name its parent or session, or {} instead?",
                                        column(TraceColumn::after), clipped(after),
                                        trace_.timed ? "give " + column(TraceColumn::time) : "leave the cell empty"));
        auto const time = cell(cells, TraceColumn::time);
        if (trace_.timed && !(before && time.empty())) request.arrival = arrival(time);
        if (before) request.arrival = std::max(request.arrival, *before);
        trace_.requests.push_back(request);
        if (options_.tokens) trace_.tokens.push_back(token_times(cells, request.arrival));
        auto const& past = trace_.past;
        for (auto const* list : {&past.session, &past.request})
            if (!list->empty() && list->back() != TracePast::none)
                arrivals_[list == &past.session][list->back()] = request.arrival;
    }

    /// When the request that the last one continues arrives at the earliest; nullopt if it continues none.
    [[nodiscard]] std::optional<double> arrival_before() const {
        auto const& past = trace_.past;
        for (auto const* list : {&past.parent, &past.session}) {
            if (list->empty()) continue;
            auto const& known = arrivals_[list == &past.session];
            if (auto const found = known.find(list->back()); found != known.end()) return found->second;
        }
        return std::nullopt;
    }
    double seconds(TraceColumn c, std::string_view given, TimeUnit unit) {
        auto const number = number_in<double>(given);
        if (!number || !(*number >= 0.0) || !std::isfinite(*number))
            source_->refuse(fmt::format("{} = {} is not a time from 0 on", column(c),
                                        number ? std::string(clipped(given)) : fmt::format("'{}'", clipped(given))));
        double const found = seconds_between({}, {0, *number}, unit);
        if (found > max_seconds)
            source_->refuse(fmt::format("{} = {} is more than 3,000 years in {}", column(c), clipped(given),
                                        time_units[static_cast<std::size_t>(unit)]));
        return found;
    }

    /// The unit that a cell names, or that of the kind.
    [[nodiscard]] TimeUnit token_unit(std::string_view named, TraceColumn c) const {
        if (named.empty()) return form_.kind->token_unit;
        auto const known = std::ranges::find(time_units, named);
        if (known == time_units.end())
            source_->refuse(
                fmt::format("{} = '{}' is not one of {}", column(c), clipped(named), fmt::join(time_units, ", ")));
        return static_cast<TimeUnit>(known - time_units.begin());
    }

    void check_model(std::string_view model) {
        if (model_.empty()) model_ = model;
        if (model != model_)
            source_->refuse(fmt::format("{} = '{}' after '{}'. Keep the requests of one model?",
                                        column(TraceColumn::model), clipped(model), clipped(model_)));
    }

    /// `arrival`: of the request on the clock of the trace.
    TokenTimes token_times(TraceCells const& cells, double arrival) {
        check_model(cell(cells, TraceColumn::model));
        auto const time = [&](TraceColumn c, std::string_view given) {
            auto const unit = c == TraceColumn::last_token ? TraceColumn::last_unit : TraceColumn::first_unit;
            return seconds(c, given, token_unit(cell(cells, unit), unit));
        };
        auto const of = [&](TraceColumn c) { return time(c, cell(cells, c)); };
        if (has(TraceColumn::queued) && !first_queued_) first_queued_ = of(TraceColumn::queued) - arrival;
        double const before = form_.kind->since_arrival ? 0.0 : first_queued_.value_or(0.0) + arrival;
        TokenTimes times;
        times.first = of(TraceColumn::first_token) - before;
        auto const last = cell(cells, TraceColumn::last_token);
        if (last.starts_with('[')) {
            times.last = times.first;
            each_name(last, [&](std::string_view gap) { times.last += time(TraceColumn::last_token, gap); });
        } else {
            times.last = of(TraceColumn::last_token) - before;
        }
        if (!(times.first > 0.0))
            source_->refuse(fmt::format("{}: its first token came before it", column(TraceColumn::first_token)));
        if (times.last < times.first)
            source_->refuse(fmt::format("{}: its last token came before the first", column(TraceColumn::last_token)));
        return times;
    }

    std::int64_t tokens(TraceCells const& cells, TraceColumn c) {
        auto const given = cell(cells, c);
        if (given.empty()) source_->refuse(fmt::format("{} is missing", column(c)));
        auto const found = tokens_in(given);
        std::int64_t const least = ours_ && trace_.timed ? 1 : 0;
        if (!found || *found < least)
            source_->refuse(fmt::format(
                "{} = {} is not a whole number from {} to {}", column(c),
                number_in<double>(given) ? std::string(clipped(given)) : fmt::format("'{}'", clipped(given)), least,
                max_tokens));
        return *found;
    }

    /// Seconds from the first time of the file, and notes a time that goes back.
    double arrival(std::string_view given) {
        auto const& name = column(TraceColumn::time);
        if (given.empty()) source_->refuse(fmt::format("{} is missing", name));
        auto time = trace_time(given);
        if (!time) source_->refuse(not_a_time(given));
        check_unit(*time, given);
        if (!first_time_) {
            check_first(*time, given);
            first_time_ = last_time_ = *time;
            // Our traces count from 0.
            if (ours_ && time->form == TraceTime::Form::number) first_time_ = TraceTime{};
        }
        if (time->form != first_time_->form)
            source_->refuse(
                fmt::format("{} = '{}' is written otherwise than the first time of the trace", name, clipped(given)));
        if (time->form == TraceTime::Form::time_of_day) *time = nearest_day(last_time_, *time);
        double const since = seconds_between(last_time_, *time, form_.unit);
        double const arrival = seconds_between(*first_time_, *time, form_.unit);
        if (ours_ && arrival < 0.0)
            source_->refuse(fmt::format("{} = {} is negative (a trace begins at 0)", name, given));
        if (since < 0.0 && ours_)
            source_->refuse(
                fmt::format("{} = {} comes after {} of the request before (requests must be in the order "
                            "of arrival). Sort the trace?",
                            name, given, last_text_));
        if (since < 0.0) ++trace_.unordered;
        last_time_ = *time;
        last_text_ = given;
        return arrival;
    }
    /// Refuses seconds that no clock shows: those of 1970 and of a trace are far fewer.
    void check_unit(TraceTime const& time, std::string_view given) const {
        if (time.form != TraceTime::Form::number || !(std::abs(seconds_between({}, time, form_.unit)) > max_seconds))
            return;
        auto unit = static_cast<std::size_t>(form_.unit);
        while (unit + 1 < time_units.size() && seconds_between({}, time, static_cast<TimeUnit>(unit)) > max_seconds)
            ++unit;
        source_->refuse(fmt::format("{} = {} is more than 3,000 years in {}. Write columns.unit = \"{}\"?",
                                    column(TraceColumn::time), given, time_units[static_cast<std::size_t>(form_.unit)],
                                    time_units[unit]));
    }
    /// Refuses a first time of weeks that is a time of this century in the next larger unit, unless the user names it.
    void check_first(TraceTime const& time, std::string_view given) const {
        auto const unit = static_cast<std::size_t>(form_.unit);
        if (time.form != TraceTime::Form::number || unit == 0 || options_.columns.unit) return;
        constexpr double year_2001 = 978'307'200, year_2051 = 2'556'144'000;  // s since 1970
        double const since_1970 = seconds_between({}, time, static_cast<TimeUnit>(unit - 1));
        if (since_1970 >= year_2001 && since_1970 < year_2051)
            source_->refuse(
                fmt::format("{} = {} is a date in {}, and weeks after 0 in {}. Write columns.unit = \"{}\", "
                            "or \"{}\"",
                            column(TraceColumn::time), given, time_units[unit - 1], time_units[unit],
                            time_units[unit - 1], time_units[unit]));
    }
    [[nodiscard]] std::string not_a_time(std::string_view given) const {
        auto const& name = column(TraceColumn::time);
        if (auto const number = number_in<double>(given))
            return fmt::format("{} = {} is not finite", name, clipped(given));
        return fmt::format("{} = '{}' is not a number, date or time of day{}", name, clipped(given),
                           hint_for_comma(given));
    }

    void add_past(TraceCells const& cells, std::int64_t input) {
        auto& past = trace_.past;
        auto const add = [&](TraceColumn c, Names& names, std::vector<std::uint32_t>& to) {
            if (!has(c)) return;
            auto const name = whole_name(cell(cells, c));
            to.push_back(is_no_name(name) ? TracePast::none : names.number(name));
        };
        add(TraceColumn::session, sessions_, past.session);
        add(TraceColumn::request, names_, past.request);
        add(TraceColumn::parent, names_, past.parent);
        if (ours_) check_names(cells);
        if (!has(TraceColumn::blocks)) return;
        auto const list = cell(cells, TraceColumn::blocks);
        if (list.find_first_of("{}") != std::string_view::npos || std::ranges::count(list, '[') > 1)
            source_->refuse(fmt::format("{} = {} is not a list of names", column(TraceColumn::blocks), clipped(list)));
        past.first_block.push_back(static_cast<std::uint32_t>(past.blocks.size()));
        each_name(list, [&](std::string_view written) {
            auto const name = whole_name(written);
            if (is_no_name(name))
                source_->refuse(fmt::format("{} has an element {}, which names no block", column(TraceColumn::blocks),
                                            clipped(written)));
            past.blocks.push_back(blocks_.number(name));
        });
        check_blocks(static_cast<std::int64_t>(past.blocks.size() - past.first_block.back()), input);
    }
    /// Refuses parents that are not above, and names that are.
    void check_names(TraceCells const& cells) {
        auto const is_above = [&](std::vector<std::uint32_t> const& list) {
            return arrivals_[0].contains(list.back());
        };
        auto const refuse = [&](TraceColumn c, std::string_view why) {
            source_->refuse(fmt::format("{} = {} {}", column(c), clipped(cell(cells, c)), why));
        };
        auto const& [session, request, parent, block_tokens, added, blocks, first_block] = trace_.past;
        if (!parent.empty() && parent.back() != TracePast::none && !is_above(parent))
            refuse(TraceColumn::parent, "names no request above. Move its line up, or leave the cell empty?");
        if (!request.empty() && request.back() != TracePast::none && is_above(request))
            refuse(TraceColumn::request, "names a request above, too. Give each request a name of its own?");
    }
    /// The same of other traces, which may be a part of all requests, or out of order.
    void note_names() {
        auto const& past = trace_.past;
        std::unordered_set<std::uint32_t> above;
        for (std::size_t i = 0; i < trace_.requests.size(); ++i) {
            bool const continues = !past.parent.empty() && past.parent[i] != TracePast::none;
            if (continues && !above.contains(past.parent[i])) note(trace_.noted, "of a parent that is not above");
            bool const named = !past.request.empty() && past.request[i] != TracePast::none;
            if (named && !above.insert(past.request[i]).second) note(trace_.noted, "with the name of an earlier one");
            bool const has_blocks = past.blocks.empty() || past.first_block[i] < past.first_block[i + 1];
            if (!has_blocks && trace_.requests[i].input >= past.block_tokens) note(trace_.noted, "without blocks");
        }
    }
    /// Refuses more blocks than a prompt has, and notes fewer.
    void check_blocks(std::int64_t blocks, std::int64_t input) {
        auto const tokens = form_.block_tokens;
        if (blocks > 0 && (blocks + 1) * tokens <= input)
            note(trace_.noted, "whose blocks cover only a part of the prompt");
        if ((blocks - 1) * tokens < input) return;
        auto most = std::bit_floor(static_cast<std::uint64_t>((input - 1) / (blocks - 1)));
        if (std::cmp_less_equal(most * static_cast<std::uint64_t>(blocks + 1), input)) most = 0;  // not all of it
        source_->refuse(fmt::format("{} has {} blocks of {} tokens, more than a prompt of {} tokens.{}",
                                    column(TraceColumn::blocks), blocks, tokens, input,
                                    most > 0 ? fmt::format(" Write columns.block_tokens = {}?", most) : std::string()));
    }

    void sort() {
        std::vector<std::size_t> order(trace_.requests.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        auto const& requests = trace_.requests;
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return requests[i].arrival; });
        auto const sorted = [&](auto& list) {
            if (list.empty()) return;
            auto const before = std::move(list);
            list.clear();
            for (auto const i : order) list.push_back(before[i]);
        };
        auto& past = trace_.past;
        for (auto* list : {&past.session, &past.request, &past.parent}) sorted(*list);
        if (!past.first_block.empty()) {
            TracePast moved;
            for (auto const i : order) {
                moved.first_block.push_back(static_cast<std::uint32_t>(moved.blocks.size()));
                auto const end = i + 1 < past.first_block.size() ? past.first_block[i + 1] : past.blocks.size();
                for (std::size_t b = past.first_block[i]; b < end; ++b) moved.blocks.push_back(past.blocks[b]);
            }
            past.first_block = std::move(moved.first_block);
            past.blocks = std::move(moved.blocks);
        }
        sorted(trace_.requests);
        sorted(trace_.tokens);
    }
    /// Keeps the first requests.
    void cut() {
        auto const size = std::min(trace_.requests.size(), options_.max_requests);
        trace_.requests.resize(size);
        if (!trace_.tokens.empty()) trace_.tokens.resize(size);
        auto& past = trace_.past;
        for (auto* list : {&past.session, &past.request, &past.parent})
            if (!list->empty()) list->resize(size);
        if (past.first_block.empty()) return;
        if (past.first_block.size() > size) past.blocks.resize(past.first_block[size]);
        past.first_block.resize(size);
        past.first_block.push_back(static_cast<std::uint32_t>(past.blocks.size()));
    }

    void name() {
        std::string times = "without times";
        if (trace_.timed && first_time_->form == TraceTime::Form::number)
            times =
                fmt::format("{} in {}", column(TraceColumn::time), time_units[static_cast<std::size_t>(form_.unit)]);
        else if (trace_.timed)
            times = first_time_->form == TraceTime::Form::date ? "dates" : "times of day";
        auto const kind = form_.kind == nullptr ? std::string_view("columns of the scenario") : form_.kind->name;
        trace_.kind = fmt::format("{} ({})", kind, times);
        if (!trace_.timed) note_recorded();
    }
    /// The arrivals that a benchmark without times of its requests says.
    void note_recorded() {
        auto const rate = source_->about("request_rate"), burstiness = source_->about("burstiness");
        if (rate.empty()) return;
        RecordedArrivals recorded;
        auto const per_second = number_in<double>(rate);
        if (per_second && std::isfinite(*per_second) && *per_second > 0.0) recorded.rate = per_second;
        recorded.burstiness = number_in<double>(burstiness).value_or(1.0);
        recorded.concurrency = number_in<std::int64_t>(source_->about("max_concurrency")).value_or(0);
        trace_.arrivals = recorded;
    }

    std::filesystem::path const& file_;
    TraceOptions const& options_;
    std::unique_ptr<TraceSource> source_;
    TraceForm const& form_;
    bool ours_ = false;
    Trace trace_;
    std::optional<TraceTime> first_time_;
    TraceTime last_time_;
    std::string model_;                   ///< of the first request of a recorded run
    std::optional<double> first_queued_;  ///< s on the engine's clock at the beginning of the trace
    std::string last_text_;
    Names sessions_, names_, blocks_;
    /// Earliest arrivals of requests by their names, and of the last ones of sessions.
    std::array<std::unordered_map<std::uint32_t, double>, 2> arrivals_;
};

/// Standard deviation of the gaps over their mean; nullopt without gaps.
std::optional<double> variation_of(std::vector<ServiceRequest> const& requests) {
    auto const gaps = as_double(static_cast<std::int64_t>(requests.size()) - 1);
    double const mean = (requests.back().arrival - requests.front().arrival) / std::max(gaps, 1.0);
    if (requests.size() < 3 || !(mean > 0.0)) return std::nullopt;
    double squares = 0.0;
    for (std::size_t i = 1; i < requests.size(); ++i) {
        double const off = requests[i].arrival - requests[i - 1].arrival - mean;
        squares += off * off;
    }
    return std::sqrt(squares / gaps) / mean;
}

}  // namespace

std::optional<std::int64_t> tokens_in(std::string_view cell) {
    auto found = number_in<std::int64_t>(cell);
    if (!found) {
        auto const number = number_in<double>(cell);
        if (number) found = exact_whole(*number);
    }
    if (!found || *found < 0 || *found > max_tokens) return std::nullopt;
    return found;
}

Trace read_trace(std::filesystem::path const& file, TraceOptions const& options) {
    return TraceReader(file, options).read();
}

std::string description_of(Trace const& trace) {
    auto text =
        fmt::format("{}: {} request{}", trace.kind, trace.requests.size(), trace.requests.size() == 1 ? "" : "s");
    if (trace.timed) text += " in " + print_quantity(trace.requests.back().arrival, "s");
    if (auto const rate = rate_of({trace.requests, 0})) text += ", " + print_quantity(*rate, "1/s");
    if (auto const cv = variation_of(trace.requests)) text += fmt::format(", cv {:.3g}", *cv);
    if (trace.unordered > 0) text += fmt::format("; {} out of order, sorted", trace.unordered);
    if (!trace.noted.empty()) text += fmt::format("; {}", text_of(trace.noted));
    if (!trace.unread.empty())
        text += fmt::format("; not read: {} (name it in columns?)", fmt::join(trace.unread, ", "));
    if (!trace.left_out.empty()) text += "; left out: " + text_of(trace.left_out);
    return text;
}

}  // namespace pimdse::sim::serving
