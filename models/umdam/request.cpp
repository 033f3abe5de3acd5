#include "models/umdam/request.hpp"

#include "models/umdam/decode.hpp"
#include "models/umdam/denoise.hpp"
#include "models/umdam/prefill.hpp"

namespace pimdse::models::umdam {

void Request::begin() {
    if (serving_.system.design.diffuses())
        Denoise(serving_).first();
    else
        Prefill(serving_).layers();
}

void Request::attend() {
    if (!serving_.system.design.diffuses()) Prefill(serving_).attention();
}

void Request::end_prefill() {
    if (!serving_.system.design.diffuses()) Prefill(serving_).head();
}

void Request::finish() {
    if (serving_.system.design.diffuses())
        Denoise(serving_).steps_behind();
    else
        Decode(serving_).all_steps();
}

}  // namespace pimdse::models::umdam
