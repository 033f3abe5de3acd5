#include "sim/serving/trace_time.hpp"

#include "sim/base/counting.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace pimdse::sim::serving {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000, s_per_minute = 60, s_per_hour = 3600, s_per_day = 86'400;
constexpr std::array<std::int64_t, 4> units_per_second{1, 1000, 1'000'000, 1'000'000'000};

/// Reads parts of a text from its begin; a part that is not there makes it wrong.
class Parts {
  public:
    explicit Parts(std::string_view text) : rest_(text) {}

    /// A whole number of `digits` digits at most `largest`.
    std::int64_t number(std::size_t digits, std::int64_t largest) {
        std::int64_t value = 0;
        auto const part = rest_.substr(0, digits);
        auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (part.size() < digits || error != std::errc{} || end != part.data() + digits || value < 0 || value > largest)
            good_ = false;
        rest_.remove_prefix(part.size());
        return value;
    }
    bool skip(std::string_view any) {
        if (rest_.empty() || any.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void need(std::string_view any) { good_ = skip(any) && good_; }
    /// Digits after a point, in ns; further ones than nine are dropped.
    std::int64_t fraction() {
        std::int64_t value = 0, digits = 0;
        for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1)) {
            constexpr std::int64_t max_digits = 9;
            if (digits++ < max_digits) value = value * 10 + (rest_.front() - '0');
        }
        if (digits == 0) good_ = false;
        for (; digits < 9; ++digits) value *= 10;
        return value;
    }
    /// Seconds that the zone is ahead of UTC.
    std::int64_t zone() {
        skip(" ");
        if (rest_ == "UTC" || rest_ == "GMT" || rest_ == "Z" || rest_ == "z") rest_ = {};
        if (rest_.empty()) return 0;
        bool const behind = rest_.front() == '-';
        need("+-");
        auto const hours = number(2, 23);
        skip(":");
        auto const minutes = rest_.empty() ? 0 : number(2, 59);
        return (behind ? -1 : 1) * (hours * s_per_hour + minutes * s_per_minute);
    }
    [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }
    [[nodiscard]] bool good() const { return good_; }

  private:
    std::string_view rest_;
    bool good_ = true;
};

/// "18:15:46.6805900+00:00" in ns.
std::int64_t clock(Parts& parts) {
    auto const hours = parts.number(2, 23);
    parts.need(":");
    auto const minutes = parts.number(2, 59);
    std::int64_t seconds = 0, fraction = 0;
    if (parts.skip(":")) {
        seconds = parts.number(2, 60);
        if (parts.skip(".,")) fraction = parts.fraction();
    }
    auto const zone = parts.zone();
    return (hours * s_per_hour + minutes * s_per_minute + seconds - zone) * ns_per_s + fraction;
}

std::optional<TraceTime> date_in(std::string_view text) {
    using namespace std::chrono;
    Parts parts(text);
    auto const years = static_cast<int>(parts.number(4, 9999));
    parts.need("-/");
    auto const months = static_cast<unsigned>(parts.number(2, 12));
    parts.need("-/");
    auto const days_of_month = static_cast<unsigned>(parts.number(2, 31));
    year_month_day const date{year{years}, month{months}, day{days_of_month}};
    constexpr int first_year = 1700, last_year = 2250;  // what 64 bits of ns hold
    if (!parts.good() || !date.ok() || years < first_year || years > last_year) return std::nullopt;
    auto const midnight = sys_days{date}.time_since_epoch().count() * s_per_day * ns_per_s;
    if (parts.complete()) return TraceTime{midnight, 0.0, TraceTime::Form::date};
    parts.need(" T");
    auto const of_day = clock(parts);
    if (!parts.complete()) return std::nullopt;
    return TraceTime{midnight + of_day, 0.0, TraceTime::Form::date};
}

}  // namespace

std::optional<TraceTime> trace_time(std::string_view text) {
    TraceTime time;
    auto const* end = text.data() + text.size();
    auto const [after_whole, whole_error] = std::from_chars(text.data(), end, time.whole);
    if (whole_error == std::errc{} && after_whole == end) return time;
    time.whole = 0;
    auto const [after, error] = std::from_chars(text.data(), end, time.rest);
    if (error == std::errc{} && after == end) return std::isfinite(time.rest) ? std::optional(time) : std::nullopt;
    if (text.size() > 2 && text[2] == ':') {
        Parts parts(text);
        time = {clock(parts), 0.0, TraceTime::Form::time_of_day};
        return parts.complete() ? std::optional(time) : std::nullopt;
    }
    return date_in(text);
}

double seconds_between(TraceTime const& begin, TraceTime const& end, TimeUnit unit) {
    auto const of_numbers = units_per_second[static_cast<std::size_t>(unit)];
    double const units = as_double(end.form == TraceTime::Form::number ? of_numbers : ns_per_s);
    bool const apart = (begin.whole < 0) != (end.whole < 0);  // their difference may exceed 64 bits
    double const whole = apart ? static_cast<double>(end.whole) - static_cast<double>(begin.whole)
                               : static_cast<double>(end.whole - begin.whole);
    return (whole + (end.rest - begin.rest)) / units;
}

TraceTime nearest_day(TraceTime const& last, TraceTime time) {
    constexpr std::int64_t day = s_per_day * ns_per_s;
    while (time.whole - last.whole > day / 2) time.whole -= day;
    while (last.whole - time.whole > day / 2) time.whole += day;
    return time;
}

}  // namespace pimdse::sim::serving
