#include "models/upmem/shared_bank.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace pimdse::models::upmem {
namespace {

/// What sharing costs during the whole kernel: seconds that the kernel takes longer, that inputs lose, and rows.
struct Sharing {
    double longer = 0.0, lost = 0.0, rows = 0.0;
};

/// See shared_rates(). No cost decreases with K or b.
Sharing sharing_of(SharedStream const& s, HostAccess const& t) {
    double const n = s.requests, busy = std::min(s.busy, s.kernel).si;
    if (n <= 0.0 || s.kernel.si <= 0.0 || !(t.interval.si < std::numeric_limits<double>::infinity()))
        return {0.0, n <= 0.0 ? busy : 0.0, 0.0};
    double const interval = std::max(t.interval, t.access).si, access = t.access.si, reopen = t.reopen.si;
    double const met = std::min(1.0, s.kernel.si / (n * interval));
    double const kept = busy / n + met * reopen;
    double const lost = kept >= interval ? kept - 0.5 * interval : 0.5 * kept * kept / interval;
    return {n * met * (reopen + 0.5 * access * access / interval),
            n * (lost + met * std::max(0.0, reopen + access - interval)), 2.0 * n * met};
}

/// What the host does for a stream, in this order.
enum class HostStage : std::uint8_t { input, offload, load };

class SharedBankRun {
  public:
    SharedBankRun(std::span<SharedStream const> streams, std::span<SharedRates const> rates)
        : streams_(streams), rates_(rates) {
        start_host();
    }

    SharedBank run() && {
        while (kernel_ < streams_.size()) step();
        return std::move(result_);
    }

  private:
    [[nodiscard]] bool host_works() const { return stream_ < streams_.size(); }
    [[nodiscard]] bool kernel_runs() const { return kernel_ < result_.kernels.size(); }
    [[nodiscard]] bool shares() const { return host_works() && stage_ == HostStage::input && kernel_runs(); }

    /// Advances to the next end of a stage.
    void step() {
        SharedRates rates{1.0, 1.0, 0.0};
        if (shares()) rates = rates_[kernel_];
        if (host_works() && stage_ == HostStage::load && kernel_runs()) rates.input = 0.0;
        constexpr double forever = std::numeric_limits<double>::infinity();
        double const to_host = host_works() && rates.input > 0.0 ? host_left_ / rates.input : forever;
        double const to_kernel = kernel_runs() ? kernel_left_ / rates.kernel : forever;
        double const passed = std::min(to_host, to_kernel);
        if (kernel_runs() && kernel_left_ > 0.0)
            result_.rows += rates.rows * passed * rates.kernel / streams_[kernel_].kernel.si;
        if (shares()) result_.queued += sim::Time{passed * (1.0 - rates.input)};
        now_ += passed;
        host_left_ = to_host <= to_kernel ? 0.0 : host_left_ - passed * rates.input;
        kernel_left_ = to_kernel <= to_host ? 0.0 : kernel_left_ - passed * rates.kernel;
        if (to_kernel <= to_host) end_kernel();
        if (to_host <= to_kernel) end_host();
    }

    void end_kernel() {
        result_.kernels.back().end = sim::Time{now_};
        ++kernel_;
        start_kernel();
    }
    void start_kernel() {
        if (kernel_runs() || kernel_ >= ready_) return;
        result_.kernels.push_back({sim::Time{now_}, sim::Time{now_}});
        kernel_left_ = streams_[kernel_].kernel.si;
    }
    void start_host() {
        if (!host_works()) return;
        auto const& s = streams_[stream_];
        host_left_ = std::array{s.input.si, s.offload.si, s.load.si}[static_cast<std::size_t>(stage_)];
        host_start_ = now_;
    }
    void end_host() {
        Interval const done{sim::Time{host_start_}, sim::Time{now_}};
        if (stage_ == HostStage::input) {
            result_.inputs.push_back(done);
            stage_ = HostStage::offload;
        } else if (stage_ == HostStage::offload) {
            result_.offloads.push_back(done);
            stage_ = HostStage::load;
        }
        if (loaded_) result_.loads.push_back({done.end - streams_[stream_].load, done.end});
        bool const loads = streams_[stream_].load.si > 0.0;
        if (stage_ == HostStage::load && (loaded_ || !loads)) {
            stage_ = HostStage::input;
            loaded_ = false;
            ready_ = ++stream_;
            start_host();
            start_kernel();
            return;
        }
        loaded_ = stage_ == HostStage::load;
        start_host();
    }

    std::span<SharedStream const> streams_;
    std::span<SharedRates const> rates_;
    double now_ = 0.0, host_left_ = 0.0, kernel_left_ = 0.0, host_start_ = 0.0;
    std::size_t stream_ = 0, kernel_ = 0;  ///< whose input is sent; whose kernel runs or is next
    std::size_t ready_ = 0;                ///< kernels before this one may start
    HostStage stage_ = HostStage::input;
    bool loaded_ = false;  ///< whether the stage `load` is being served
    SharedBank result_;
};

/// At these rates for each kernel.
SharedBank share_bank(std::span<SharedStream const> streams, std::span<SharedRates const> rates) {
    sim::expects(rates.size() == streams.size(), "every kernel has its rates");
    return SharedBankRun(streams, rates).run();
}

/// What is certain about a kernel that shares the bank.
struct RatesRange {
    double input_min = 0.0, input_max = 1.0;  ///< 0 if the input waits
    double taken_max = 0.0;                   ///< seconds of the kernel if it shares all the time
    double queued_max = 0.0;                  ///< seconds that inputs lose during the whole kernel
    double rows_max = 0.0;                    ///< during the whole kernel
    double row_rate_min = 0.0, row_rate_max = 0.0;
};

RatesRange range_of(SharedStream const& lower, SharedStream const& upper, HostAccess const& timing) {
    // Shorter kernels with the longer busy time lose the most, and the other way round.
    auto const least = sharing_of(lower, timing), most = sharing_of(upper, timing);
    RatesRange r;
    r.taken_max = upper.kernel.si + most.longer;
    double const shortest = lower.kernel.si + least.longer;
    if (shortest <= 0.0) {
        r.input_min = 0.0;
        r.queued_max = upper.kernel.si;
        r.rows_max = most.rows;
        return r;
    }
    double const kernel_min = lower.kernel.si / shortest, kernel_max = upper.kernel.si / r.taken_max;
    double const input_min = 1.0 - most.lost / shortest, input_max = 1.0 - least.lost / r.taken_max;
    bool const may_wait = input_min + kernel_min <= 1.0, must_wait = input_max + kernel_max <= 1.0;
    r.input_min = may_wait ? 0.0 : input_min;
    r.input_max = must_wait ? 0.0 : std::min(1.0, input_max);
    r.queued_max = may_wait ? upper.kernel.si : std::min(most.lost, upper.kernel.si);
    if (must_wait) return r;
    r.rows_max = most.rows;
    r.row_rate_max = most.rows / shortest;
    r.row_rate_min = may_wait ? 0.0 : least.rows / r.taken_max;
    return r;
}

/// Ranges of all kernels except the last, which no input meets.
struct AllRates {
    double input_min = 1.0, input_max = 0.0;
    double queued_max = 0.0, rows_max = 0.0, row_rate_min = 0.0, row_rate_max = 0.0;

    void add(RatesRange const& r, bool first) {
        input_min = std::min(input_min, r.input_min);
        input_max = std::max(input_max, r.input_max);
        queued_max += r.queued_max;
        rows_max += r.rows_max;
        row_rate_max = std::max(row_rate_max, r.row_rate_max);
        row_rate_min = first ? r.row_rate_min : std::min(row_rate_min, r.row_rate_min);
    }
};

}  // namespace

SharedRates shared_rates(SharedStream const& s, HostAccess const& t) {
    auto const [longer, lost, rows] = sharing_of(s, t);
    double const taken = s.kernel.si + longer;
    if (taken <= 0.0) return {};
    SharedRates const rates{1.0 - lost / taken, s.kernel.si / taken, rows};
    return rates.input + rates.kernel > 1.0 ? rates : SharedRates{};
}

SharedBank share_bank(std::span<SharedStream const> streams, HostAccess const& timing) {
    std::vector<SharedRates> rates;
    rates.reserve(streams.size());
    for (auto const& stream : streams) rates.push_back(shared_rates(stream, timing));
    return share_bank(streams, rates);
}

SharingRange sharing_range(std::span<SharedStream const> lower, std::span<SharedStream const> upper,
                           HostAccess const& timing) {
    sim::expects(lower.size() == upper.size(), "both ends have the same streams");
    SharingRange range;
    if (upper.size() < 2) return range;
    AllRates all;
    std::vector<SharedStream> slowest(upper.begin(), upper.end());
    double host = 0.0, stages = 0.0;
    for (std::size_t i = 0; i < upper.size(); ++i) {
        auto const& s = upper[i];
        host += (s.input + s.offload + s.load).si;
        stages += (s.input + s.offload + s.load + s.kernel).si;
        if (i + 1 == upper.size()) break;
        auto const of_kernel = range_of(lower[i], s, timing);
        all.add(of_kernel, i == 0);
        slowest[i].kernel = sim::Time{of_kernel.taken_max};
        range.longer_max += slowest[i].kernel - s.kernel;
    }
    double end = stages;
    if (all.input_min > 0.0) {
        // As slow as any input and any kernel can be at every moment: the real streams are never behind.
        std::vector<SharedRates> const rates(slowest.size(), {all.input_min, 1.0, 0.0});
        end = std::min(end, share_bank(slowest, rates).kernels.back().end.si);
    }
    range.saved = sim::Time{stages - end};
    double sending = 0.0, together = 0.0;
    for (std::size_t i = 1; i < upper.size(); ++i) {
        // An input begins no later than the kernel of the stream before it, and shares until one of both ends.
        double const in = upper[i].input.si, before = lower[i - 1].kernel.si;
        sending += in;
        together += all.input_max > 0.0 ? std::min(in / all.input_max, before) : (in > 0.0 ? before : 0.0);
    }
    range.queued_min = sim::Time{(1.0 - all.input_max) * together};
    range.rows_min = all.row_rate_min * together;
    double queued = std::min(all.queued_max, std::max(0.0, end - host - lower.back().kernel.si));
    range.rows_max = all.rows_max;
    if (all.input_min > 0.0) {
        queued = std::min(queued, sending * (1.0 / all.input_min - 1.0));
        range.rows_max = std::min(range.rows_max, sending / all.input_min * all.row_rate_max);
    }
    range.queued_max = sim::Time{std::max(queued, range.queued_min.si)};
    return range;
}

}  // namespace pimdse::models::upmem
