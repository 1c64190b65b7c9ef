// Generated tests.
#include <doctest/doctest.h>
