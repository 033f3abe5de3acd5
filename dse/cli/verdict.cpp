#include "dse/cli/verdict.hpp"

#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace pimdse::dse::cli {

namespace {

constexpr std::string_view no_memory =
    "not enough memory (the host, or a limit such as ulimit -v, allows no more; no acknowledged result is lost). Raise "
    "the limit, or use fewer threads?";

/// Called by operator new. Ends the process at once: streams and libraries would swallow an exception, and the threads
/// that wait for this one may need memory, too. Needs none itself.
[[noreturn]] void end_without_memory() {
    static std::atomic_flag said;
    while (said.test_and_set()) ::pause();  // another thread ends the process
    for (std::string_view const part : {std::string_view("pimdse: "), no_memory, std::string_view("\n")})
        static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
    std::_Exit(storage_failed);
}

[[noreturn]] void end_by_exception() {
    auto const exception = std::current_exception();
    if (exception == nullptr) std::abort();
    auto const verdict = verdict_of(exception);
    verdict.print();
    if (verdict.code == some_points_failed) std::abort();  // a bug
    std::_Exit(verdict.code);
}

std::string one_line(std::string text) {
    constexpr std::size_t longest = 1000;
    if (text.size() > longest) text = std::string(sim::beginning(text, longest)) + "...";
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

}  // namespace

void Verdict::print(std::string_view who) const {
    for (auto const& sentence : sentences) std::cerr << fmt::format("{}: {}\n", who, one_line(sentence));
}

Verdict verdict_of(std::exception_ptr const& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (UsageError const& error) {
        return {{error.what()}, usage};
    } catch (sim::MissingInput const& error) {
        return {{error.what()}, missing_input};
    } catch (sim::InputError const& error) {
        return {error.sentences(), error.only_unreadable() ? missing_input : bad_input};
    } catch (sim::StorageError const& error) {
        return {{error.what()}, storage_failed};
    } catch (std::filesystem::filesystem_error const& error) {
        return {{fmt::format("{} cannot be used ({})", shown_name(error.path1().string()), error.code().message())},
                storage_failed};
    } catch (sim::MismatchError const& error) {
        return {{error.what()}, mismatch};
    } catch (std::bad_alloc const&) {
        return {{std::string(no_memory)}, storage_failed};
    } catch (std::exception const& error) {
        if (sim::refused_by_host(error))
            return {{fmt::format("the host allows no more threads, processes or open files ({}; no acknowledged result "
                                 "is lost). Raise its limits (ulimit -u, -v, -n), or use fewer threads?",
                                 error.what())},
                    storage_failed};
        return {{fmt::format("{} (this is a bug of pimdse)", error.what())}, some_points_failed};
    }
}

void end_by_verdict() {
    std::set_new_handler(&end_without_memory);
    std::set_terminate(&end_by_exception);
}

void end_within(double seconds, Verdict verdict) {
    static std::once_flag once;
    auto const end_after = [verdict = std::move(verdict)](double waited) {
        std::this_thread::sleep_for(std::chrono::duration<double>(waited));
        verdict.print();
        std::_Exit(verdict.code);
    };
    std::call_once(once, [&] {
        try {
            std::thread(end_after, seconds).detach();
        } catch (std::system_error const&) {
            end_after(0.0);  // there is no thread to wait in
        }
    });
}

}  // namespace pimdse::dse::cli
