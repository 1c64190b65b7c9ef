// What to say about a name that no form accepts. Private to the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/table.h"

namespace litmus {

// It is PTX, of this form, `length` characters long.
Refusal refuse_unmodelled(const std::string& name, const Form& form, size_t length);

// Its mnemonic is one of the candidates', and none of them accepts its words.
Refusal refuse(std::string_view dotted, const std::vector<std::string>& words, const std::vector<const Form*>& candidates);

// Its mnemonic is none of the table's.
Refusal refuse_unknown(std::string_view dotted, const std::vector<std::string>& words);

}  // namespace litmus
