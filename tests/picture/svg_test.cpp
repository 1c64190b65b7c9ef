// Pictures of executions as SVG.
#include "picture/svg.h"

#include <doctest/doctest.h>
