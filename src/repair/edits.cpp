// The parts of the list, one after the other.
#include "repair/edits.h"

#include "repair/catalogue.h"

namespace litmus {

EditList edits_of(const Test& test, const Catalogue& catalogue) {
    EditList list{test, catalogue};
    add_fences(list);
    add_respellings(list);
    add_waits(list);
    add_uses(list);
    add_counts(list);
    add_moves(list);
    add_barriers(list);
    return list;
}

}  // namespace litmus
