#include "dse/run/serve.hpp"

#include "dse/run/chunk_runner.hpp"
#include "dse/run/dispatcher.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/messages.hpp"

#include <unistd.h>
#include <utility>

namespace pimdse::dse::run {

Parting serve(Superior const& superior, space::Space const& space, WorkSettings settings, int rank) {
    ChunkRunner runner(space, settings, rank);
    BackOff back_off;
    RunningTime time;
    double heard = 0.0;
    double said = 0.0;
    bool asked = false;  // for another chunk, which has not come
    while (true) {
        bool busy = false;
        while (auto message = superior.receive()) {
            heard = time.seconds();
            busy = true;
            if (message->tag == Tag::recall || message->tag == Tag::stop) runner.recall();
            if (message->tag == Tag::stop) {
                superior.send(Tag::stop, {});
                return Parting::dismissed;
            }
            if (message->tag != Tag::task) continue;
            runner.submit(run::read_chunk(message->bytes));
            asked = false;
        }
        while (auto finished = runner.poll()) {
            superior.send(Tag::result, write_finished(*finished));
            said = time.seconds();
            busy = true;
        }
        if (!asked && runner.starving(chunks_in_flight)) {
            superior.send(Tag::starving, {});
            asked = true;
        }
        if (time.seconds() - said > seconds_between_signs_of_life) {
            superior.send(Tag::alive, {});
            said = time.seconds();
        }
        runner.was_away(time.turn());
        runner.watch_over_points();
        bool const silent = time.seconds() - heard > settings.silence_seconds;
        if (silent && superior.silent) superior.silent();
        if (silent || superior.gone()) {
            runner.recall();
            return Parting::alone;
        }
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

void serve(Communicator& ranks, space::Space const& space, WorkSettings settings) {
    auto const launcher = ::getppid();
    Superior superior;
    superior.send = [&](Tag tag, space::Bytes bytes) { ranks.send(0, tag, std::move(bytes)); };
    superior.receive = [&] { return ranks.receive(); };
    superior.gone = [&] {
        if (::getppid() != launcher) settings.give_up("the launcher has gone");
        return false;
    };
    superior.silent = [&] { settings.give_up("the coordinator is silent"); };
    (void)serve(superior, space, settings, ranks.rank());
}

}  // namespace pimdse::dse::run
