// What every process that uses the solver pays: it creates a Z3 context and ends. The benchmark sets
// the start-up of `litmus check` beside it.
#include <z3.h>

int main() {
    Z3_config config = Z3_mk_config();
    Z3_context context = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_del_context(context);
}
