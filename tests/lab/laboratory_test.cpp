// What the engine of the laboratory answers.
#include "lab/laboratory.h"

#include <doctest/doctest.h>
