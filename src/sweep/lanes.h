// Lanes of a warp, and sets of them.
#pragma once

#include <bit>
#include <cstdint>

namespace litmus::sweep {

inline constexpr uint32_t warp_size = 32;
using Lanes = uint32_t;  // a set: bit i is lane i

// The members of a set, ascending.
class Members {
public:
    explicit Members(Lanes lanes) : lanes_(lanes) {}
    class Member {
    public:
        explicit Member(Lanes left) : left_(left) {}
        uint32_t operator*() const { return static_cast<uint32_t>(std::countr_zero(left_)); }
        Member& operator++() {
            left_ &= left_ - 1;
            return *this;
        }
        friend bool operator==(Member, Member) = default;

    private:
        Lanes left_;
    };
    Member begin() const { return Member(lanes_); }
    static Member end() { return Member(0); }

private:
    Lanes lanes_;
};
inline constexpr Lanes all_lanes = ~Lanes{0};

inline Members each(Lanes lanes) {
    return Members(lanes);
}

}  // namespace litmus::sweep
