#include "dse/store/result_file.hpp"

#include "dse/store/result_writer.hpp"
#include "sample.hpp"

/// write_sample FILE.h5: the results of the made-up space, for the tests of analysis/.
int main(int, char** argv) {
    using namespace pimdse::dse;
    auto results = store::sample::results(0, 2000);
    for (std::uint64_t id = 0; id < 300; id += 7)
        results.push_back(store::sample::result(id, pimdse::models::Fidelity::hybrid));
    store::seal(argv[1], store::sample::columns(), store::sample::store(results), {});
}
