#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace pimdse::dse::run {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

/// Sleeps longer the longer nothing happens: 50 us up to 500 us, so that waiting costs no core and little delay.
class BackOff {
  public:
    void something_happened() { sleep_ = shortest; }
    void nothing_happened() {
        std::this_thread::sleep_for(sleep_);
        sleep_ = std::min(sleep_ * 2, longest);
    }

  private:
    static constexpr std::chrono::microseconds shortest{50};
    static constexpr std::chrono::microseconds longest{500};
    std::chrono::microseconds sleep_{shortest};
};

/// Coordinator and workers say this often that they are alive.
inline constexpr double seconds_between_signs_of_life = 1.0;

/// Seconds in which this process could run. A loop that turns many times a second tells it so; where a turn is missing
/// for longer than `longest_turn`, the process was stopped (by a gang scheduler, a debugger, a closed lid), and nobody
/// is to blame for what did not happen meanwhile.
class RunningTime {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest_turn = 1.0;

    /// Says that the loop turns; returns the seconds in which it could not.
    double turn(Clock::time_point now = Clock::now()) {
        double const passed = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        double const counted = std::min(passed, longest_turn);
        seconds_ += counted;
        return passed - counted;
    }
    /// At the last turn, since this was made.
    [[nodiscard]] double seconds() const { return seconds_; }

  private:
    Clock::time_point last_ = Clock::now();
    double seconds_ = 0.0;
};

}  // namespace pimdse::dse::run
