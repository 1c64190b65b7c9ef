// What the page's worker calls: the laboratory behind two functions of C. Built by emscripten only; for others, such as linters, it is
// empty.
#ifdef __EMSCRIPTEN__

#include <emscripten.h>

#include <cstdlib>
#include <cstring>

#include "view/lab/laboratory.h"

extern "C" {

EMSCRIPTEN_KEEPALIVE litmus::Laboratory* laboratory() {
    return new litmus::Laboratory;
}

// The answer is the caller's to free.
EMSCRIPTEN_KEEPALIVE char* laboratory_answer(litmus::Laboratory* laboratory, const char* request) {
    return strdup(laboratory->answer(request).c_str());
}
}

#endif
