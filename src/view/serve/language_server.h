// `litmus lsp`: a language server (LSP 3.17) for tests and models.
//
// One process listens and keeps the texts; all that reads a text is an errand (errands.h). A change of a text calls back what was
// sent out about the one before, and `$/cancelRequest` what it names.
#pragma once

#include <string>

#include "view/serve/service.h"

namespace litmus {

// Answers on `output` what comes on `input`, both file descriptors, until `exit` or the end of the input. The client's
// `initializationOptions` may give `reading` and `seconds`. Returns the exit status that LSP asks for: 0 after `shutdown`, otherwise 1.
int serve_language(int input, int output, const ServiceOptions& options, const std::string& version);

}  // namespace litmus
