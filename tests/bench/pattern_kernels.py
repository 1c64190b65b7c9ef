"""The kernels of tests/bench/patterns, as PTX of our own: each pattern in which the order of threads decides, right and with one bug.

A kernel does not know n: it asks for the size of its grid. In its text, registers are called after what they are: %p... is a predicate,
%r... has 32 bits, %d... 64. They are declared by their names. A pattern may say what its bug needs, as three tickets.
"""
import math
import re
from dataclasses import dataclass
from typing import Callable

WIDTHS = {"p": ".pred", "r": ".b32", "d": ".b64"}


def kernel(parameters, body, shared=""):
    """The PTX of a kernel whose parameters are addresses, in %d_NAME. %r_t, %r_b and %r_n are the thread, the block and the blocks."""
    names = parameters.split()
    text = "\n".join(f"ld.param.u64 %d_{name}, [k_param_{i}];" for i, name in enumerate(names))
    text += "\nmov.u32 %r_t, %tid.x;\nmov.u32 %r_b, %ctaid.x;\nmov.u32 %r_n, %nctaid.x;\n" + body.strip() + "\nEND:\nret;\n"
    registers = sorted(set(re.findall(r"%([prd]_?\w+)", text)))
    declared = "".join(f".reg {WIDTHS[name[0]]} %{name};\n" for name in registers)
    head = ", ".join(f".param .u64 k_param_{i}" for i in range(len(names)))
    return f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k({head})\n{{\n{declared}{shared}\n{text}}}\n"


def word(to, array, index, size=4):
    """%d_TO is the address of a word of an array."""
    return f"mul.wide.u32 %d_{to}, {index}, {size};\nadd.u64 %d_{to}, %d_{array}, %d_{to};"


def own_word(to, array):
    """The word of the thread, in an array of 32 words for each block."""
    return f"mad.lo.u32 %r_{to}, %r_b, 32, %r_t;\n" + word(to, array, f"%r_{to}")


def one_thread():
    return "setp.ne.u32 %p_other, %r_t, 0;\n@%p_other bra END;"


def last_block(bug):
    """Each block writes a part and draws a ticket; who has the last one adds up all parts. Bug: who has not reads a word that the block in
    the middle writes, where it is the last."""
    early = f"shr.u32 %r_half, %r_n, 1;\n{word('middle', 'out', '%r_half')}\nld.global.u32 %r_early, [%d_middle];" if bug else ""
    result = word("result", "out", "%r_b") if bug else "mov.u64 %d_result, %d_out;"
    return kernel("in parts ticket out", f"""
{own_word("from", "in")}
{own_word("part", "parts")}
ld.global.u32 %r_value, [%d_from];
st.global.u32 [%d_part], %r_value;
bar.sync 0;
setp.ne.u32 %p_rest, %r_t, 0;
@%p_rest bra DRAWN;
atom.acq_rel.gpu.global.add.u32 %r_drawn, [%d_ticket], 1;
st.shared.u32 [drawn], %r_drawn;
DRAWN:
bar.sync 0;
ld.shared.u32 %r_mine, [drawn];
sub.u32 %r_last, %r_n, 1;
setp.eq.u32 %p_last, %r_mine, %r_last;
@%p_last bra LAST;
{early}
bra END;
LAST:
mov.u32 %r_sum, 0;
mov.u32 %r_i, 0;
NEXT:
mad.lo.u32 %r_at, %r_i, 32, %r_t;
{word("at", "parts", "%r_at")}
ld.global.u32 %r_part, [%d_at];
add.u32 %r_sum, %r_sum, %r_part;
add.u32 %r_i, %r_i, 1;
setp.lt.u32 %p_more, %r_i, %r_n;
@%p_more bra NEXT;
setp.ne.u32 %p_silent, %r_t, 0;
@%p_silent bra END;
{result}
st.global.u32 [%d_result], %r_sum;
""", ".shared .align 4 .b8 drawn[4];")


def cas_lock(bug):
    """One thread of each block adds to a result under a lock. Bug: a count under the lock decides, and the block in the middle writes once
    more behind the lock if it was the first."""
    behind = """shr.u32 %r_half, %r_n, 1;
setp.ne.u32 %p_else, %r_b, %r_half;
@%p_else bra END;
setp.ne.u32 %p_later, %r_turn, 0;
@%p_later bra END;
st.global.u32 [%d_result], 0;""" if bug else ""
    return kernel("lock result turns", f"""
{one_thread()}
TAKE:
atom.acquire.gpu.global.cas.b32 %r_before, [%d_lock], 0, 1;
setp.ne.u32 %p_taken, %r_before, 0;
@%p_taken bra TAKE;
ld.global.u32 %r_sum, [%d_result];
add.u32 %r_sum, %r_sum, %r_b;
st.global.u32 [%d_result], %r_sum;
ld.global.u32 %r_turn, [%d_turns];
add.u32 %r_next, %r_turn, 1;
st.global.u32 [%d_turns], %r_next;
st.release.gpu.global.u32 [%d_lock], 0;
{behind}
""")


def ticket_lock(bug):
    """The same under a lock of tickets. Bug: a waiter compares one bit of its ticket, so the third comes with the first."""
    bit = "xor.b32 %r_serving, %r_serving, %r_mine;\nand.b32 %r_serving, %r_serving, 1;\nsetp.ne.u32 %p_wait, %r_serving, 0;"
    whole = "setp.ne.u32 %p_wait, %r_serving, %r_mine;"
    return kernel("tickets serving result", f"""
{one_thread()}
atom.relaxed.gpu.global.add.u32 %r_mine, [%d_tickets], 1;
WAIT:
ld.acquire.gpu.global.u32 %r_serving, [%d_serving];
{bit if bug else whole}
@%p_wait bra WAIT;
ld.global.u32 %r_sum, [%d_result];
add.u32 %r_sum, %r_sum, %r_b;
st.global.u32 [%d_result], %r_sum;
add.u32 %r_next, %r_mine, 1;
st.release.gpu.global.u32 [%d_serving], %r_next;
""")


def block_lock(bug):
    """Thread 0 of each block takes a lock between barriers, and all of its threads add to a result. Bug: it gives the lock back before the
    barrier."""
    give = "setp.ne.u32 %p_keep, %r_t, 0;\n@!%p_keep st.release.gpu.global.u32 [%d_lock], 0;"
    end = [give, "bar.sync 0;"] if bug else ["bar.sync 0;", give]
    return kernel("lock result", f"""
{word("sum", "result", "%r_t")}
setp.ne.u32 %p_rest, %r_t, 0;
@%p_rest bra TAKEN;
TAKE:
atom.acquire.gpu.global.cas.b32 %r_before, [%d_lock], 0, 1;
setp.ne.u32 %p_taken, %r_before, 0;
@%p_taken bra TAKE;
TAKEN:
bar.sync 0;
ld.global.u32 %r_sum, [%d_sum];
add.u32 %r_sum, %r_sum, 1;
st.global.u32 [%d_sum], %r_sum;
""" + "\n".join(end))


def grid_barrier(bug):
    """All blocks meet twice at a barrier that is used again at once: who comes last sets the count back and begins the next generation.
    Bug: the count is set back behind the generation."""
    def meet(k):
        back = "st.relaxed.gpu.global.u32 [%d_count], 0;"
        begin = "add.u32 %r_new, %r_mine, 1;\nst.release.gpu.global.u32 [%d_generation], %r_new;"
        return f"""
bar.sync 0;
setp.ne.u32 %p_rest, %r_t, 0;
@%p_rest bra MET{k};
ld.relaxed.gpu.global.u32 %r_mine, [%d_generation];
fence.acq_rel.gpu;
atom.acq_rel.gpu.global.add.u32 %r_come, [%d_count], 1;
setp.eq.u32 %p_last, %r_come, %r_last;
@%p_last bra LAST{k};
POLL{k}:
ld.acquire.gpu.global.u32 %r_seen, [%d_generation];
setp.eq.u32 %p_same, %r_seen, %r_mine;
@%p_same bra POLL{k};
bra MET{k};
LAST{k}:
{begin if bug else back}
{back if bug else begin}
MET{k}:
bar.sync 0;
"""

    return kernel("in first second out count generation", f"""
sub.u32 %r_last, %r_n, 1;
add.u32 %r_neighbour, %r_b, 1;
rem.u32 %r_neighbour, %r_neighbour, %r_n;
mad.lo.u32 %r_there, %r_neighbour, 32, %r_t;
{own_word("from", "in")}
{own_word("one", "first")}
{word("one_there", "first", "%r_there")}
{own_word("two", "second")}
{word("two_there", "second", "%r_there")}
{own_word("to", "out")}
ld.global.u32 %r_value, [%d_from];
st.global.u32 [%d_one], %r_value;
{meet(1)}
ld.global.u32 %r_value, [%d_one_there];
st.global.u32 [%d_two], %r_value;
{meet(2)}
ld.global.u32 %r_value, [%d_two_there];
st.global.u32 [%d_to], %r_value;
""")


def queue(bug):
    """Blocks take twice as many items as they are from a queue, until it is empty. Bug: an item has one of two slots, so two blocks may
    have one slot at once."""
    slot = f"""and.b32 %r_slot, %r_item, 1;
mad.lo.u32 %r_slot, %r_slot, 32, %r_t;
{word("slot", "slots", "%r_slot")}
st.global.u32 [%d_slot], %r_value;
ld.global.u32 %r_value, [%d_slot];""" if bug else ""
    return kernel("in out head slots", f"""
shl.b32 %r_items, %r_n, 1;
NEXT:
setp.ne.u32 %p_rest, %r_t, 0;
@%p_rest bra TAKEN;
atom.relaxed.gpu.global.add.u32 %r_taken, [%d_head], 1;
st.shared.u32 [taken], %r_taken;
TAKEN:
bar.sync 0;
ld.shared.u32 %r_item, [taken];
bar.sync 0;
setp.ge.u32 %p_empty, %r_item, %r_items;
@%p_empty bra END;
mad.lo.u32 %r_at, %r_item, 32, %r_t;
{word("from", "in", "%r_at")}
{word("to", "out", "%r_at")}
ld.global.u32 %r_value, [%d_from];
{slot}
st.global.u32 [%d_to], %r_value;
bra NEXT;
""", ".shared .align 4 .b8 taken[4];")


def look_back(bug):
    """A scan in one pass: a flag says whether a block's sum or its prefix can be read. Bug: who finds the sum reads the prefix."""
    return kernel("in sums prefixes states out", f"""
{one_thread()}
{word("from", "in", "%r_b")}
{word("sum", "sums", "%r_b")}
{word("prefix", "prefixes", "%r_b")}
{word("state", "states", "%r_b")}
ld.global.u32 %r_own, [%d_from];
st.global.u32 [%d_sum], %r_own;
mov.u32 %r_before, 0;
setp.eq.u32 %p_first, %r_b, 0;
@%p_first bra FOUND;
st.release.gpu.global.u32 [%d_state], 1;
mov.u32 %r_p, %r_b;
BACK:
sub.u32 %r_p, %r_p, 1;
{word("its_state", "states", "%r_p")}
LOOK:
ld.acquire.gpu.global.u32 %r_seen, [%d_its_state];
setp.eq.u32 %p_nothing, %r_seen, 0;
@%p_nothing bra LOOK;
setp.eq.u32 %p_whole, %r_seen, 2;
@%p_whole bra WHOLE;
{word("its_sum", "prefixes" if bug else "sums", "%r_p")}
ld.global.u32 %r_its, [%d_its_sum];
add.u32 %r_before, %r_before, %r_its;
setp.ne.u32 %p_more, %r_p, 0;
@%p_more bra BACK;
bra FOUND;
WHOLE:
{word("its_prefix", "prefixes", "%r_p")}
ld.global.u32 %r_its, [%d_its_prefix];
add.u32 %r_before, %r_before, %r_its;
FOUND:
add.u32 %r_whole, %r_before, %r_own;
st.global.u32 [%d_prefix], %r_whole;
st.release.gpu.global.u32 [%d_state], 2;
{word("to", "out", "%r_b")}
st.global.u32 [%d_to], %r_before;
""")


def packed_look_back(bug):
    """The same with status and value in one word of 64 bits, so that no order between the two is needed. Bug: who finds the sum takes it
    from an array."""
    elsewhere = f"{word('its_sum', 'sums', '%r_p')}\nld.global.u32 %r_its, [%d_its_sum];" if bug else ""
    return kernel("in sums states out", f"""
{one_thread()}
{word("from", "in", "%r_b")}
{word("sum", "sums", "%r_b")}
{word("state", "states", "%r_b", 8)}
ld.global.u32 %r_own, [%d_from];
st.global.u32 [%d_sum], %r_own;
mov.u32 %r_before, 0;
setp.eq.u32 %p_first, %r_b, 0;
@%p_first bra FOUND;
mov.b64 %d_published, {{%r_own, 1}};
st.relaxed.gpu.global.u64 [%d_state], %d_published;
mov.u32 %r_p, %r_b;
BACK:
sub.u32 %r_p, %r_p, 1;
{word("its_state", "states", "%r_p", 8)}
LOOK:
ld.relaxed.gpu.global.u64 %d_seen, [%d_its_state];
mov.b64 {{%r_its, %r_seen}}, %d_seen;
setp.eq.u32 %p_nothing, %r_seen, 0;
@%p_nothing bra LOOK;
setp.eq.u32 %p_whole, %r_seen, 2;
@%p_whole bra WHOLE;
{elsewhere}
add.u32 %r_before, %r_before, %r_its;
setp.ne.u32 %p_more, %r_p, 0;
@%p_more bra BACK;
bra FOUND;
WHOLE:
add.u32 %r_before, %r_before, %r_its;
FOUND:
add.u32 %r_whole, %r_before, %r_own;
mov.b64 %d_published, {{%r_whole, 2}};
st.relaxed.gpu.global.u64 [%d_state], %d_published;
{word("to", "out", "%r_b")}
st.global.u32 [%d_to], %r_before;
""")


def in_turn(bug):
    """Split-K: the blocks add to a sum in turn, block k where the semaphore has k. Bug: the turn is passed on before all of the block have
    added."""
    give = """setp.ne.u32 %p_keep, %r_t, 0;
add.u32 %r_next, %r_b, 1;
@!%p_keep st.release.gpu.global.u32 [%d_semaphore], %r_next;"""
    end = [give, "bar.sync 0;"] if bug else ["bar.sync 0;", give]
    return kernel("semaphore sums", f"""
{word("sum", "sums", "%r_t")}
setp.ne.u32 %p_rest, %r_t, 0;
@%p_rest bra TURN;
WAIT:
ld.acquire.gpu.global.u32 %r_seen, [%d_semaphore];
setp.ne.u32 %p_wait, %r_seen, %r_b;
@%p_wait bra WAIT;
TURN:
bar.sync 0;
ld.global.u32 %r_sum, [%d_sum];
add.u32 %r_sum, %r_sum, 1;
st.global.u32 [%d_sum], %r_sum;
""" + "\n".join(end))


# A block of a stream-K product has three steps, and a tile has four: so a block may have the end of one tile and the beginning of the next.
STEPS, TILE = 3, 4


def each_tile(body):
    """For each tile in which the block has steps: %r_tile, its first and last block in %r_from and %r_until, their number in %r_shares,
    and which of them this one is in %r_share. The body goes on at DONE."""
    return f"""
mul.lo.u32 %r_step, %r_b, {STEPS};
add.u32 %r_end, %r_step, {STEPS};
mul.lo.u32 %r_steps, %r_n, {STEPS};
TILES:
div.u32 %r_tile, %r_step, {TILE};
mul.lo.u32 %r_begins, %r_tile, {TILE};
add.u32 %r_ends, %r_begins, {TILE};
min.u32 %r_ends, %r_ends, %r_steps;
div.u32 %r_from, %r_begins, {STEPS};
sub.u32 %r_until, %r_ends, 1;
div.u32 %r_until, %r_until, {STEPS};
sub.u32 %r_shares, %r_until, %r_from;
add.u32 %r_shares, %r_shares, 1;
sub.u32 %r_share, %r_b, %r_from;
{word("to", "out", "%r_tile")}
{body}
DONE:
mov.u32 %r_step, %r_ends;
setp.lt.u32 %p_more, %r_step, %r_end;
@%p_more bra TILES;
"""


def stream_k(bug):
    """Each tile has parts of one block or two; who draws the last ticket of the tile adds them up. Bug: the last part is taken to come last,
    so only the others release it."""
    fence = "setp.lt.u32 %p_early, %r_b, %r_until;\n@%p_early fence.acq_rel.gpu;" if bug else "fence.acq_rel.gpu;"
    return kernel("parts tickets out", one_thread() + each_tile(f"""
shl.b32 %r_slot, %r_tile, 1;
{word("first", "parts", "%r_slot")}
add.u32 %r_slot, %r_slot, %r_share;
{word("part", "parts", "%r_slot")}
st.global.u32 [%d_part], %r_b;
{fence}
{word("ticket", "tickets", "%r_tile")}
atom.relaxed.gpu.global.add.u32 %r_drawn, [%d_ticket], 1;
fence.acq_rel.gpu;
add.u32 %r_drawn, %r_drawn, 1;
setp.ne.u32 %p_not_last, %r_drawn, %r_shares;
@%p_not_last bra DONE;
ld.global.u32 %r_sum, [%d_first];
setp.eq.u32 %p_alone, %r_shares, 1;
@%p_alone bra SUMMED;
ld.global.u32 %r_second, [%d_first+4];
add.u32 %r_sum, %r_sum, %r_second;
SUMMED:
st.global.u32 [%d_to], %r_sum;
"""))


def stream_k_in_turn(bug):
    """The blocks of a tile add to it in turn, by a semaphore of the tile, the last of them first. Bug: where the turn has come already, the
    block goes on without acquiring it."""
    fast = "ld.relaxed.gpu.global.u32 %r_turn, [%d_semaphore];\nsetp.eq.u32 %p_mine, %r_turn, %r_waits;\n@%p_mine bra TURN;" if bug else ""
    return kernel("semaphores out", one_thread() + each_tile(f"""
{word("semaphore", "semaphores", "%r_tile")}
sub.u32 %r_waits, %r_until, %r_b;
{fast}
WAIT:
ld.acquire.gpu.global.u32 %r_turn, [%d_semaphore];
setp.ne.u32 %p_wait, %r_turn, %r_waits;
@%p_wait bra WAIT;
TURN:
ld.global.u32 %r_sum, [%d_to];
add.u32 %r_sum, %r_sum, %r_b;
st.global.u32 [%d_to], %r_sum;
add.u32 %r_waits, %r_waits, 1;
st.release.gpu.global.u32 [%d_semaphore], %r_waits;
"""))


def stack(bug):
    """Each block pops two nodes of a list, works on both, and pushes them back one after the other. The head has a tag that no two states
    share. Bug: it has none, so a head that was popped and pushed again looks the same."""
    tag = "add.u32 %r_tag, %r_tag, 0;" if bug else "add.u32 %r_tag, %r_tag, 1;"

    def pop(k):
        return f"""
POP{k}:
ld.acquire.gpu.global.u64 %d_seen, [%d_head];
mov.b64 {{%r_node{k}, %r_tag}}, %d_seen;
setp.eq.u32 %p_empty, %r_node{k}, 0;
@%p_empty bra END;
sub.u32 %r_index{k}, %r_node{k}, 1;
{word(f"next{k}", "next", f"%r_index{k}")}
ld.relaxed.gpu.global.u32 %r_below, [%d_next{k}];
{tag}
mov.b64 %d_wanted, {{%r_below, %r_tag}};
atom.acquire.gpu.global.cas.b64 %d_found, [%d_head], %d_seen, %d_wanted;
setp.ne.u64 %p_again, %d_found, %d_seen;
@%p_again bra POP{k};
{work(k)}
"""

    def work(k):
        return f"""{word(f"data{k}", "data", f"%r_index{k}")}
ld.global.u32 %r_data, [%d_data{k}];
add.u32 %r_data, %r_data, 1;
st.global.u32 [%d_data{k}], %r_data;"""

    def push(k):
        return f"""
PUSH{k}:
ld.relaxed.gpu.global.u64 %d_seen, [%d_head];
mov.b64 {{%r_below, %r_tag}}, %d_seen;
st.relaxed.gpu.global.u32 [%d_next{k}], %r_below;
{tag}
mov.b64 %d_wanted, {{%r_node{k}, %r_tag}};
atom.release.gpu.global.cas.b64 %d_found, [%d_head], %d_seen, %d_wanted;
setp.ne.u64 %p_again, %d_found, %d_seen;
@%p_again bra PUSH{k};
"""

    return kernel("head next data", one_thread() + pop(0) + pop(1) + push(0) + work(1) + push(1))


def two_gpus(bug):
    """Each block fills the inbox of its like on the other GPU, raises the flag there, and waits for its own. Bug: where its flag is there
    already, it goes on without acquiring it."""
    fast = "ld.relaxed.sys.global.u32 %r_seen, [%d_mine];\nsetp.ne.u32 %p_there, %r_seen, 0;\n@%p_there bra TAKE;" if bug else ""
    return kernel("inboxes flags out", f"""
{one_thread()}
shr.u32 %r_half, %r_n, 1;
add.u32 %r_peer, %r_b, %r_half;
rem.u32 %r_peer, %r_peer, %r_n;
{word("to", "inboxes", "%r_peer")}
{word("from", "inboxes", "%r_b")}
{word("theirs", "flags", "%r_peer")}
{word("mine", "flags", "%r_b")}
st.global.u32 [%d_to], %r_b;
st.release.sys.global.u32 [%d_theirs], 1;
{fast}
WAIT:
ld.acquire.sys.global.u32 %r_seen, [%d_mine];
setp.eq.u32 %p_wait, %r_seen, 0;
@%p_wait bra WAIT;
TAKE:
ld.global.u32 %r_value, [%d_from];
{word("result", "out", "%r_b")}
st.global.u32 [%d_result], %r_value;
""")


@dataclass
class Pattern:
    name: str
    text: Callable[[bool], str]
    block: int
    arguments: Callable[[int], list]
    apart: Callable[[int], int] | None  # orders where blocks are told apart, by theory; None: no formula is known
    said: str  # that formula in words
    alike: Callable[[int], int] | None = None  # orders where one block stands for all that are alike
    bug_from: int = 2  # the least n with which the bug shows
    options: tuple = ()


def tiles(n):
    return -(-STEPS * n // TILE)


def shared_tiles(n):
    return sum(1 for t in range(tiles(n)) if t * TILE // STEPS != (min((t + 1) * TILE, STEPS * n) - 1) // STEPS)


def once(_):
    return 1


PATTERNS = [
    Pattern("last block", last_block, 32,
            lambda n: [f"in=s32[{32 * n}]:iota", f"parts=s32[{32 * n}]", "ticket=u32[1]", f"out=s32[{n}]"], math.factorial, "n!", once),
    Pattern("CAS lock", cas_lock, 1, lambda n: ["lock=u32[1]", "result=u32[1]", "turns=u32[1]"], math.factorial, "n!", once),
    Pattern("ticket lock", ticket_lock, 1, lambda n: ["tickets=u32[1]", "serving=u32[1]", "result=u32[1]"], math.factorial, "n!", once, 3),
    Pattern("lock between barriers", block_lock, 32, lambda n: ["lock=u32[1]", "result=u32[32]"], math.factorial, "n!", once),
    Pattern("grid barrier twice", grid_barrier, 32,
            lambda n: [f"in=s32[{32 * n}]:iota", f"first=s32[{32 * n}]", f"second=s32[{32 * n}]", f"out=s32[{32 * n}]", "count=u32[1]",
                       "generation=u32[1]"], lambda n: math.factorial(n) ** 2, "n!^2", once),
    Pattern("queue of 2n items", queue, 32, lambda n: [f"in=s32[{64 * n}]:iota", f"out=s32[{64 * n}]", "head=u32[1]", "slots=s32[64]"],
            lambda n: n ** (2 * n) * math.factorial(n), "n^2n n!", lambda n: n ** (2 * n)),
    Pattern("look-back", look_back, 1,
            lambda n: [f"in=s32[{n}]:iota", f"sums=s32[{n}]", f"prefixes=s32[{n}]", f"states=u32[{n}]", f"out=s32[{n}]"],
            lambda n: math.factorial(n - 1), "(n-1)!", None, 3),
    Pattern("look-back, packed", packed_look_back, 1,
            lambda n: [f"in=s32[{n}]:iota", f"sums=s32[{n}]", f"states=u64[{n}]", f"out=s32[{n}]"], lambda n: math.factorial(n - 1), "(n-1)!",
            None, 3),
    Pattern("semaphore in turn", in_turn, 32, lambda n: ["semaphore=u32[1]", "sums=u32[32]"], once, "1"),
    Pattern("stream-K, last ticket", stream_k, 1,
            lambda n: [f"parts=u32[{2 * tiles(n)}]", f"tickets=u32[{tiles(n)}]", f"out=u32[{tiles(n)}]"], lambda n: 2 ** shared_tiles(n),
            "2^(tiles of two)"),
    Pattern("stream-K, in turn", stream_k_in_turn, 1, lambda n: [f"semaphores=u32[{tiles(n)}]", f"out=u32[{tiles(n)}]"], once, "1"),
    Pattern("stack", stack, 1, lambda n: [f"head=u64[1]:{2 * n}", f"next=u32[{2 * n}]:iota", f"data=u32[{2 * n}]"], None, "none known"),
    Pattern("flags of two GPUs", two_gpus, 1, lambda n: [f"inboxes=u32[{n}]", f"flags=u32[{n}]", f"out=u32[{n}]"], once, "1", None, 2,
            ("--gpus", "2")),
]
