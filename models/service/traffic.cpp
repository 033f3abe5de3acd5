#include "models/service/traffic.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"
#include "sim/serving/arrivals.hpp"
#include "sim/serving/past.hpp"
#include "sim/serving/sessions.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

namespace pimdse::models::service {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;
using sim::serving::ArrivalProcess;
using sim::serving::ServiceRequest;

constexpr std::string_view of_session = "traffic.session.";
constexpr std::string_view closed = "closed", times_of_trace = "trace", log_normal = "lognormal";
constexpr double usual_share = static_cast<double>(99) / 100;
constexpr std::int64_t usual_requests = 1000;
constexpr double fastest = 1'000'000'000;  // requests per second

constexpr Limits counted(std::int64_t lower, std::int64_t upper) {
    return {static_cast<double>(lower), static_cast<double>(upper)};
}
/// Above 0, as far as a limit can say it.
constexpr Limits positive(double upper) { return {1 / fastest, upper}; }

/// Reads the keys of one scenario; continues after a mistake.
class KeyReader {
  public:
    explicit KeyReader(Keys const& keys) : keys_(keys) {}

    Traffic read() {
        Traffic traffic;
        bool const any = std::ranges::any_of(keys_, [](auto const& key) { return key.first.starts_with("traffic."); });
        if (!any) throw sim::InputError("slo: limits need requests that arrive. Add a table [scenario.traffic]?");
        read_limits(traffic);
        auto const seed = static_cast<std::uint64_t>(
            number(count("traffic.seed", "", 1, counted(0, std::int64_t{1} << 53), "")).as_integer());
        auto const file = text("traffic.trace");
        if (file)
            read_trace(traffic, *file, seed);
        else
            draw(traffic, seed);
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        set_means(traffic);
        if (drawn_) traffic.again = [keys = keys_](std::uint64_t other) { return with_seed(keys, other); };
        return traffic;
    }

  private:
    static sim::serving::ServiceLoad with_seed(Keys keys, std::uint64_t seed) {
        std::erase_if(keys, [](auto const& key) { return key.first == "traffic.seed"; });
        keys.emplace_back("traffic.seed", fmt::to_string(seed));
        return KeyReader(keys).read().load;
    }

    [[nodiscard]] std::optional<std::string> text(std::string_view key) const {
        auto const found = std::ranges::find(keys_, key, &Keys::value_type::first);
        return found == keys_.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] bool has(std::string_view key) const { return text(key).has_value(); }
    void mistake(std::string_view key, std::string const& sentence) {
        mistakes_.push_back(sentence.find(key) != std::string::npos ? sentence : fmt::format("{}: {}", key, sentence));
    }
    void refuse(std::string_view key, std::string const& why) {
        if (has(key)) mistake(key, why);
    }
    /// The value of a key as a parameter of that name reads it, or its default.
    Value number(Parameter parameter) {
        auto const given = text(parameter.name);
        if (!given) return parameter.default_value;
        try {
            return read_value(parameter, *given);
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) mistake(parameter.name, sentence);
            return parameter.default_value;
        }
    }

    void read_limits(Traffic& traffic) {
        auto const limit = [&](char const* key, double& to) {
            double const second = 1.0;
            double const read = number(quantity(key, "s", second, positive(fastest), "")).as_quantity();
            if (has(key)) to = read;
        };
        limit("slo.ttft", traffic.objectives.ttft);
        limit("slo.tpot", traffic.objectives.tpot);
        traffic.share = number(quantity("slo.share", "", usual_share, positive(1.0), "")).as_quantity();
        traffic.required = number(flag("slo.required", false, "")).as_flag();
    }

    /// Number of requests; `otherwise` if it is not given.
    std::int64_t requests(std::int64_t otherwise) {
        return number(count("traffic.requests", "", otherwise, counted(1, max_requests), "")).as_integer();
    }

    void read_trace(Traffic& traffic, std::string const& name, std::uint64_t seed) {
        for (auto const* key : {"traffic.input", "traffic.output"})
            refuse(key, "a trace has lengths of its own. Leave out either of the two?");
        for (auto const& [key, _] : keys_)
            if (key.starts_with(of_session)) mistake(key, "a trace has sessions of its own. Leave out either?");
        bool const all = !has("traffic.requests");
        auto const wanted = requests(max_requests);
        auto const columns = columns_given();
        try {
            traffic.files.push_back(traffic_file(name));
            auto trace = sim::serving::read_trace(traffic.files.back(),
                                                  {columns, static_cast<std::size_t>(wanted) + (all ? 1 : 0)});
            if (sim::as_double(static_cast<std::int64_t>(trace.requests.size())) > sim::as_double(wanted))
                mistake("traffic.trace",
                        fmt::format("{} has more than {} requests. Take the first of them with requests = N?", name,
                                    max_requests));
            traffic.trace_text =
                fmt::format("{} is {}", traffic.files.back().filename().string(), sim::serving::description_of(trace));
            traffic.load.requests = std::exchange(trace.requests, {});
            auto const past = std::exchange(trace.past, {});
            if (!past.blocks.empty() && past.block_tokens == 0)
                return mistake("traffic.columns.block_tokens", "the trace names blocks. Say how many tokens one has?");
            if (past.added && past.session.empty() && past.parent.empty())
                mistake("traffic.columns.prompts",
                        "no request of the trace continues another one. Name its column with columns.session?");
            if (auto const turns = set_past(traffic.load, past); !past.added && turns.no_longer > 0)
                note_turns(traffic, turns, trace.may_add);
            if (std::ranges::any_of(traffic.load.requests,
                                    [](auto const& r) { return r.input > sim::serving::max_tokens; }))
                return mistake(
                    "traffic.columns.prompts",
                    fmt::format("with the turns before it, a prompt of the trace has more than {} tokens. Are "
                                "they whole prompts? Write \"whole\"",
                                sim::serving::max_tokens));
            if (trace.timed)
                scale(traffic.load);
            else
                arrive(traffic, trace, name, seed);
            tell_sessions(traffic);
            traffic.trace = std::make_shared<sim::serving::Trace const>(std::move(trace));
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) mistakes_.push_back(sentence);
        }
    }

    /// Where most later turns have no longer prompts, the file has what they add.
    void note_turns(Traffic& traffic, sim::serving::Turns const& turns, bool may_add) {
        if (may_add && 2 * turns.no_longer > turns.all)
            mistake("traffic.columns.prompts",
                    fmt::format("of {} requests of the trace that continue another one, {} have no more input tokens "
                                "than that one. Are they only what a turn adds? Write \"added\", or \"whole\"",
                                turns.all, turns.no_longer));
        traffic.trace_text += fmt::format("; {} no longer than the prompt that they continue", turns.no_longer);
    }

    /// [scenario.traffic.columns]
    sim::serving::TraceColumns columns_given() {
        sim::serving::TraceColumns columns;
        constexpr std::array<std::string_view, sim::serving::named_columns> names{
            "time",   "input", "output", "session",   "request", "parent",
            "blocks", "after", "error",  "cancelled", "phase"};
        for (std::size_t c = 0; c < names.size(); ++c)
            columns.names[c] = text(fmt::format("traffic.columns.{}", names[c])).value_or("");
        std::vector<std::string> const units(sim::serving::time_units.begin(), sim::serving::time_units.end());
        if (has("traffic.columns.unit"))
            columns.unit =
                static_cast<sim::serving::TimeUnit>(number(choice("traffic.columns.unit", units, "")).as_choice());
        constexpr std::size_t added = 1;
        if (has("traffic.columns.prompts"))
            columns.added = number(choice("traffic.columns.prompts", {"whole", "added"}, "")).as_choice() == added;
        if (has("traffic.columns.block_tokens"))
            columns.block_tokens = number(count("traffic.columns.block_tokens", "tokens", 1,
                                                counted(1, sim::serving::max_block_tokens), ""))
                                       .as_integer();
        return columns;
    }

    /// Times of a trace that has none: those that the scenario draws, else those that the file says.
    void arrive(Traffic& traffic, sim::serving::Trace const& trace, std::string const& name, std::uint64_t seed) {
        auto& list = traffic.load.requests;
        auto const sessions = static_cast<std::size_t>(sessions_in(traffic.load));
        bool const said = has("traffic.rate") || has("traffic.arrivals");
        if (!said && !trace.arrivals)
            return mistake(
                "traffic.rate",
                fmt::format("{} has no times of requests. Give a rate, or name the column with columns.time = \"...\"?",
                            name));
        std::vector<double> times;
        if (said) {
            times = times_of(traffic, seed, sessions);
        } else if (trace.arrivals->rate) {
            double const cv = 1.0 / std::sqrt(trace.arrivals->burstiness);
            drawn_ = true;
            times = sim::serving::arrival_times({ArrivalProcess::gamma, *trace.arrivals->rate, cv, seed}, sessions);
            traffic.trace_text += fmt::format("; times drawn with its request_rate = {} and burstiness = {}",
                                              *trace.arrivals->rate, trace.arrivals->burstiness);
        } else {
            traffic.load.concurrency = trace.arrivals->concurrency;
            traffic.trace_text += traffic.load.concurrency > 0
                                      ? fmt::format("; max_concurrency = {} users", traffic.load.concurrency)
                                      : "; all at once, as its request_rate says";
        }
        if (times.empty()) return;
        auto next = times.begin();
        for (auto& request : list)
            request.arrival = request.parent == ServiceRequest::none ? *next++ : list[request.parent].arrival;
    }

    /// Scales the times of a trace as traffic.rate says: "trace", "2 trace" for twice the rate,
    /// or a mean rate.
    void scale(sim::serving::ServiceLoad& load) {
        double factor = 1.0;
        for (auto const* key :
             {"traffic.arrivals", "traffic.cv", "traffic.burstiness", "traffic.concurrency", "traffic.seed"})
            refuse(key, "a trace has times of its own. Leave out either of the two?");
        auto const rate = text("traffic.rate").value_or(std::string(times_of_trace));
        if (rate.ends_with(times_of_trace)) {
            auto const before = sim::trimmed(std::string_view(rate).substr(0, rate.size() - times_of_trace.size()));
            if (!before.empty()) factor = 1.0 / factor_in(std::string(before));
        } else {
            double const per_second = rate_in();
            auto const own = rate_of(load);
            if (!own) return mistake("traffic.rate", "the requests of the trace arrive at the same time");
            factor = *own / per_second;
        }
        for (auto& request : load.requests) request.arrival *= factor;
    }
    double factor_in(std::string const& given) {
        auto factor = quantity("traffic.rate", "", 1.0, positive(fastest), "");
        try {
            return read_value(factor, given).as_quantity();
        } catch (sim::InputError const&) {
            mistake("traffic.rate",
                    fmt::format("'{} trace' is not a number of times the trace's rate, such as '2 trace'",
                                sim::clipped(given)));
            return 1.0;
        }
    }
    double rate_in() { return number(quantity("traffic.rate", "1/s", 1.0, positive(fastest), "")).as_quantity(); }

    /// Times of requests that arrive by themselves; empty if there is a mistake, and for users of a closed loop.
    std::vector<double> times_of(Traffic& traffic, std::uint64_t seed, std::size_t size) {
        auto const process =
            number(choice("traffic.arrivals", {"poisson", "gamma", "uniform", std::string(closed)}, "")).as_choice();
        constexpr std::size_t closed_loop = 3;
        auto const gamma = process == static_cast<std::size_t>(ArrivalProcess::gamma);
        for (auto const* key : {"traffic.cv", "traffic.burstiness"})
            if (!gamma) refuse(key, "only arrivals = \"gamma\" has a coefficient of variation");
        if (process == closed_loop) {
            if (!has("traffic.concurrency"))
                mistake("traffic.concurrency", "a closed loop needs the number of its users");
            refuse("traffic.rate", "in a closed loop, requests arrive when others are complete");
            traffic.load.concurrency =
                number(count("traffic.concurrency", "", 1, counted(1, max_requests), "")).as_integer();
            return {};
        }
        refuse("traffic.concurrency", "only arrivals = \"closed\" has users who wait");
        if (!has("traffic.rate")) mistake("traffic.rate", "is missing (requests per second, such as \"10 1/s\")");
        double const rate = rate_in(), cv = gamma ? variation() : 1.0;
        if (!mistakes_.empty()) return {};
        drawn_ = drawn_ || static_cast<ArrivalProcess>(process) != ArrivalProcess::uniform;
        return sim::serving::arrival_times({static_cast<ArrivalProcess>(process), rate, cv, seed}, size);
    }
    /// The coefficient of variation of gamma-distributed gaps: cv, or 1 / sqrt(burstiness), the shape of the gamma.
    double variation() {
        constexpr double widest = 1000;
        double const cv = number(quantity("traffic.cv", "", 1.0, positive(widest), "")).as_quantity();
        double const shape =
            number(quantity("traffic.burstiness", "", 1.0, {1 / (widest * widest), fastest}, "")).as_quantity();
        if (has("traffic.cv") == has("traffic.burstiness"))
            mistake("traffic.cv", has("traffic.cv") ? "cv and burstiness = 1 / cv^2 say the same. Leave out either?"
                                                    : "gamma-distributed gaps need it, or burstiness = 1 / cv^2");
        return has("traffic.cv") ? cv : 1.0 / std::sqrt(shape);
    }

    void draw(Traffic& traffic, std::uint64_t seed) {
        for (auto const& [key, _] : keys_)
            if (key.starts_with("traffic.columns.")) mistake(key, "only a trace has columns. Add trace = \"FILE\"?");
        auto const size = static_cast<std::size_t>(requests(usual_requests));
        auto const before = mistakes_.size();
        auto const session = session_given(seed);
        if (mistakes_.size() > before) return;
        auto const turns = session ? turns_of_sessions(*session, size) : std::vector<std::int64_t>(size, 1);
        auto times = times_of(traffic, seed, turns.size());
        auto const input = lengths(traffic, "traffic.input", "input_tokens", seed, 0, size);
        auto const output = lengths(traffic, "traffic.output", "output_tokens", seed, 1, size);
        if (!mistakes_.empty()) return;
        times.resize(turns.size(), 0.0);
        if (session) {
            auto load = load_of_sessions(*session, turns, times, input, output);
            load.concurrency = traffic.load.concurrency;
            traffic.load = std::move(load);
            return tell_sessions(traffic);
        }
        for (std::size_t i = 0; i < size; ++i) traffic.load.requests.push_back({times[i], input[i], output[i]});
    }

    /// [scenario.traffic.session]; nullopt without it.
    std::optional<sim::serving::SessionSettings> session_given(std::uint64_t seed) {
        if (std::ranges::none_of(keys_, [](auto const& key) { return key.first.starts_with(of_session); })) return {};
        sim::serving::SessionSettings session;
        session.seed = seed;
        if (!has("traffic.session.turns"))
            mistake("traffic.session.turns", "is missing (turns of a session: a number, or { geometric = 4 })");
        auto const turns = quantity("traffic.session.turns", "", 1.0, counted(1, max_requests), "");
        std::tie(session.turns, session.geometric) = perhaps_drawn(turns, "geometric");
        auto const think = quantity("traffic.session.think", "s", 0.0, {0.0, fastest}, "");
        std::tie(session.think, session.exponential) = perhaps_drawn(think, "exponential");
        if (!session.geometric && session.turns != std::floor(session.turns))
            mistake("traffic.session.turns", fmt::format("{} turns are not whole ones. A mean is {{ geometric = {} }}",
                                                         session.turns, session.turns));
        auto const tokens = [&](char const* key, std::int64_t least) {
            return number(count(key, "tokens", least, counted(least, sim::serving::max_tokens), "")).as_integer();
        };
        if (has("traffic.session.grows.input")) session.input = tokens("traffic.session.grows.input", 1);
        if (has("traffic.session.grows.output")) session.output = tokens("traffic.session.grows.output", 1);
        session.shared_prefix = tokens("traffic.session.shared_prefix", 0);
        session.share = number(quantity("traffic.session.share", "", 1.0, {0.0, 1.0}, "")).as_quantity();
        if (session.shared_prefix == 0)
            refuse("traffic.session.share", "only a prefix is shared. Add shared_prefix = TOKENS?");
        bool const mixed = session.shared_prefix > 0 && session.share > 0.0 && session.share < 1.0;
        drawn_ = drawn_ || session.geometric || session.exponential || mixed;
        return session;
    }
    /// A number, or the mean behind the name of a distribution; and whether it is drawn.
    std::pair<double, bool> perhaps_drawn(Parameter parameter, std::string_view distribution) {
        auto given = text(parameter.name).value_or("");
        bool const drawn = given.starts_with(distribution);
        if (!drawn) return {number(parameter).as_quantity(), false};
        try {
            return {read_value(parameter, std::string(sim::trimmed(given.substr(distribution.size())))).as_quantity(),
                    true};
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) mistake(parameter.name, sentence);
            return {1.0, false};
        }
    }

    /// Says which rate is that of sessions, and what there is to reuse.
    static void tell_sessions(Traffic& traffic) {
        auto const& load = traffic.load;
        std::vector<std::string> parts;
        if (!traffic.trace_text.empty()) parts.push_back(traffic.trace_text);
        if (has_sessions(load)) {
            auto const rate = rate_of(load);
            auto const sessions = sessions_in(load);
            parts.push_back(fmt::format("{} requests in {} session{}{}", load.requests.size(), sessions,
                                        sessions == 1 ? "" : "s",
                                        rate ? ", " + sim::print_quantity(*rate, "sessions/s") : ""));
        }
        if (load.prefixes != nullptr) {
            double tokens = 0.0;
            for (auto const& request : load.requests) tokens += sim::as_double(request.input);
            auto const found = found_without_end(load, sim::serving::SchedulerSettings{}.block_tokens);
            constexpr double percent = 100;
            parts.push_back(fmt::format("a cache without end finds {:.1f} % of the tokens of prompts",
                                        percent * sim::as_double(found) / tokens));
        }
        traffic.trace_text = fmt::format("{}", fmt::join(parts, "; "));
    }

    /// A number of tokens, "lognormal MEAN P90", or the column of a file.
    std::vector<std::int64_t> lengths(Traffic& traffic, char const* key, char const* column, std::uint64_t seed,
                                      std::uint64_t stream, std::size_t size) {
        auto const given = text(key);
        if (!given) {
            mistake(key, "is missing (tokens: a number, { lognormal = [mean, p90] }, or a file with a column)");
            return {};
        }
        try {
            if (given->starts_with(log_normal)) {
                auto const [mean, p90] = two_numbers(given->substr(log_normal.size()));
                drawn_ = true;
                return sim::serving::lognormal_lengths(mean, p90, seed, stream, size);
            }
            if (given->ends_with(".csv")) {
                traffic.files.push_back(traffic_file(*given));
                return sim::serving::lengths_of_file(traffic.files.back(), column, size);
            }
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences())
                given->ends_with(".csv") ? mistakes_.push_back(sentence) : mistake(key, sentence);
            return {};
        }
        auto const tokens = number(count(key, "tokens", 1, counted(1, sim::serving::max_tokens), "")).as_integer();
        return std::vector<std::int64_t>(size, tokens);
    }
    static std::pair<double, double> two_numbers(std::string const& given) {
        auto const words = sim::words_of(given, ' ');
        if (words.size() == 2) {
            auto const mean = sim::parse_quantity(words[0]), p90 = sim::parse_quantity(words[1]);
            if (mean.dimension.is_number() && p90.dimension.is_number()) return {mean.si, p90.si};
        }
        throw sim::InputError("a log-normal distribution has two numbers, { lognormal = [mean, p90] }");
    }

    static void set_means(Traffic& traffic) {
        double input = 0.0, output = 0.0;
        for (auto const& request : traffic.load.requests) {
            input += sim::as_double(request.input);
            output += sim::as_double(request.output);
        }
        double const size = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()));
        traffic.mean_input = std::llround(std::ceil(input / size));
        traffic.mean_output = std::llround(std::ceil(output / size));
    }

    Keys const& keys_;
    bool drawn_ = false;  ///< some times or lengths are
    std::vector<std::string> mistakes_;
};

}  // namespace

bool is_traffic_key(std::string_view key) { return key.starts_with("traffic.") || key.starts_with("slo."); }

Traffic read_traffic_keys(Keys const& keys) { return KeyReader(keys).read(); }

std::filesystem::path traffic_file(std::string const& name) {
    std::error_code error;
    std::filesystem::path const given = name;
    if (given.is_absolute() || std::filesystem::exists(given, error)) return given;
    auto const shipped = data_directory() / "models" / "traffic" / given;
    return std::filesystem::exists(shipped, error) ? shipped : given;
}

}  // namespace pimdse::models::service
