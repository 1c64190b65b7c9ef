// Conversions between state spaces are sums with the beginnings of their windows.
#include "kernel/addresses.h"

#include "ptx/demands.h"

namespace litmus::kernel {

namespace {

using Gives = AddressConversion::Gives;

Gives given_by(const std::vector<std::string>& words) {
    const std::string& name = words[0];
    if (name == "cvta") return words.size() > 1 && words[1] == "to" ? Gives::in_space : Gives::generic;
    if (name == "mapa") return Gives::of_rank;
    if (name == "getctarank") return Gives::rank;
    return name == "isspacep" ? Gives::whether_in_space : Gives::nothing;
}

bool is_shared(std::string_view space) {
    return space.starts_with("shared");
}

// 9.7.9.19: `.shared` is `.shared::cta`, `.param` is `.param::entry`, and the parameters of a kernel are in `.global`, too.
bool is_in(std::string_view space, uint64_t generic, uint64_t own_rank) {
    const bool is_parameter = generic >= window::parameters && generic < window::local;
    if (space == "global") return generic >= window::global || is_parameter;
    if (space == "shared::cluster") return window::is_in_shared(generic);
    if (is_shared(space)) return window::is_in_shared(generic) && (generic - window::shared) / window::cta_stride == own_rank;
    if (space == "local") return generic >= window::local && generic < window::shared;
    if (space == "const") return generic >= window::constant && generic < window::parameters;
    return space.starts_with("param") && is_parameter;
}

}  // namespace

AddressConversion address_conversion(const std::vector<std::string>& words) {
    AddressConversion conversion;
    conversion.gives = given_by(words);
    if (conversion.gives == Gives::nothing) return conversion;
    conversion.space = named_spaces(words)[0];
    return conversion;
}

uint64_t AddressConversion::of(uint64_t address, uint64_t rank) const {
    const uint64_t to_shared = is_shared(space) ? window::shared : 0;
    const uint64_t begin = is_shared(space) ? 0 : window::shared;  // of the window that a mapped address is in
    switch (gives) {
        case Gives::generic:
            return address + to_shared;
        case Gives::in_space:
            return address - to_shared;
        case Gives::of_rank:
            return begin + window::of_cta(rank) + (address - begin) % window::cta_stride;
        case Gives::rank:
            return (address - begin) / window::cta_stride;
        case Gives::whether_in_space:
            return is_in(space, address, rank) ? 1 : 0;
        case Gives::nothing:
            break;
    }
    return address;
}

}  // namespace litmus::kernel
