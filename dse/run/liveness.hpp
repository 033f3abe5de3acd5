#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace pimdse::dse::run {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

/// Sleeps between polls, 50 us at first and up to 500 us while nothing happens, so that waiting uses little CPU time
/// and adds little delay.
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

/// Interval at which the coordinator and the workers send that they are alive.
inline constexpr double seconds_between_signs_of_life = 1.0;

/// Clock that counts only the time in which this process ran. A loop calls turn() many times a second. If the interval
/// between two calls exceeds `longest_turn`, the process was suspended (by a gang scheduler, a debugger, a closed lid),
/// and the excess does not count towards any timeout.
class RunningTime {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest_turn = 1.0;

    /// Called once per iteration of the loop; returns the seconds in which the process was suspended.
    double turn(Clock::time_point now = Clock::now()) {
        double const passed = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        double const counted = std::min(passed, longest_turn);
        seconds_ += counted;
        return passed - counted;
    }
    /// Running time from construction to the last turn().
    [[nodiscard]] double seconds() const { return seconds_; }

  private:
    Clock::time_point last_ = Clock::now();
    double seconds_ = 0.0;
};

}  // namespace pimdse::dse::run
