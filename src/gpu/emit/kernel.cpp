// The kernel_parameters of the emitted kernels: one list, which says of each its width and what it means.
#include "gpu/emit/kernel.h"

#include <algorithm>
#include <iterator>

#include "language/tensor.h"

namespace litmus::gpu {

namespace {

struct KernelParameter {
    const char* name;
    int width;
    const char* meaning;
};

constexpr KernelParameter kernel_parameters[] = {
    {"memory", 64, "locations in global memory: for each, `mask` + 1 slots of `stride` bytes"},
    {"alias", 64, "the same memory at a second virtual address, for aliases"},
    {"memory2", 64, "several GPUs: as memory, for every second location; the same or of another GPU"},
    {"alias2", 64, "several GPUs: as alias, of memory2"},
    {"meeting", 64, "several GPUs: a word for each instance of the launch, where warps meet"},
    {"results", 64, "words observed: word w of instance i at 8 * (w * instances + i)"},
    {"histogram", 64, "what litmus_tally counts, zero at first"},
    {"scratch", 64, "memory for pre-stress"},
    {"pitch", 64, "bytes from location to location, a multiple of 128"},
    {"instances", 32, "instances of this launch, a multiple of 32"},
    {"rounds", 32, "instances that each hardware thread runs, one after the other"},
    {"stride", 32, "bytes from slot to slot, a multiple of the largest location"},
    {"mask", 32, "slots less one; a power of two of slots, at least as many as instances"},
    {"scatter", 32, "odd; instance i has slot (i * scatter + l * shift) & mask of location l"},
    {"shift", 32, "see scatter"},
    {"gpu", 32, "which of the GPUs of an instance this one is"},
    {"rotation", 32, "number n of the clusters of an instance, the CTAs of a cluster and its warps plays role n + rotation"},
    {"apart", 32, "clusters of one instance are so many apart; divides the clusters of the grid by those of an instance"},
    {"seed", 32, "of the noise"},
    {"skew", 32, "a power of two less one: each thread starts up to so many clock cycles late"},
    {"lag", 32, "four bits for each thread, the first lowest: in units of 64 cycles, how much later it starts"},
    {"touch", 32, "0; 1: threads read their locations first; 2: they have them fetched into L2"},
    {"alternate", 32, "1: alternating words are in shared memory before the initial values are"},
    {"before", 32, "pairs of accesses to scratch memory before each instance"},
    {"pattern", 32, "of them: 1, the first is a store; 2, the second is"},
    {"lines", 32, "of scratch memory, a power of two less one"},
    {"distance", 32, "bytes from line to line of scratch memory"},
    {"spins", 32, "turns of waiting loops before an instance has timed out"},
};

std::string listed(const std::vector<int>& numbers, size_t count) {
    std::string text;
    for (size_t k = 0; k < count; ++k) text += std::to_string(numbers[k]) + (k + 1 < count ? ", " : "");
    return text;
}

// In a map one more dimension, the outermost, has the slots of all instances. Of columns the slots are the images, and where rows are
// copied the slots have them one behind the other. Of a map in memory each instance has its own, which is made of the parameter and begins
// at the instance's slot.
std::string meaning_of(const Test& test, const TensorMap& map) {
    const size_t inner = map.dim.size() - 1;
    std::string text = map.name + ": the slots of " + map.array + " as a tensor, {";
    if (map.column)
        text += listed(map.dim, inner) + ", mask + 1} elements, columns of " + std::to_string(map.column->pixels) + " pixels of " +
                std::to_string(map.box[0]) + ", bounding box {" + listed(map.column->lower, inner - 1) + "} to {" +
                listed(map.column->upper, inner - 1) + "}";
    else if (copies_rows(test, map))
        text += std::to_string(map.dim[0]) + ", all rows} elements, boxes of {" + std::to_string(map.box[0]) + ", 1}";
    else
        text += listed(map.dim, inner + 1) + ", mask + 1} elements, boxes of {" + listed(map.box, inner + 1) + ", 1}";
    return text + "; slots are stride bytes apart";
}

}  // namespace

void write_signature(const std::string& kernel, const Test& test, PtxText& text) {
    text.line(".visible .entry " + kernel + "(");
    text.open();
    text.align(27);
    const size_t count = std::size(kernel_parameters);
    for (size_t p = 0; p < count; ++p) {
        const std::string declared = ".param .u" + std::to_string(kernel_parameters[p].width) + " " + kernel_parameters[p].name;
        const bool last = p + 1 == count && test.tensor_maps.empty();
        text.line(declared + (last ? ")" : ","), kernel == "litmus_init" ? kernel_parameters[p].meaning : "");
    }
    for (size_t k = 0; k < test.tensor_maps.size(); ++k)
        text.line(".param .align 64 .b8 tensor" + std::to_string(k) + "[128]" + (k + 1 < test.tensor_maps.size() ? "," : ")"),
                  kernel == "litmus_init" ? meaning_of(test, test.tensor_maps[k]) : "");
    text.align(64);
    text.close();
}

void load_parameters(PtxText& text, const std::vector<std::string>& names) {
    for (const KernelParameter& p : kernel_parameters)
        if (std::find(names.begin(), names.end(), p.name) != names.end())
            text.line("ld.param.u" + std::to_string(p.width) + " $" + p.name + ", [" + p.name + "];");
}

void make_tensor_map(const Test& test, const Location& map, const std::string& space, const std::string& at, const std::string& array,
                     PtxText& text) {
    const std::string parameter = "tensor" + std::to_string(find_tensor_map(test, map.name) - test.tensor_maps.data());
    text.comment(map.name);
    for (int64_t byte = 0; byte < map_bytes; byte += 8) {
        const std::string offset = byte == 0 ? "" : "+" + std::to_string(byte);
        text.line("ld.param.b64 $value, [" + parameter + offset + "];");
        text.line("st." + space + ".b64 [" + at + offset + "], $value;");
    }
    text.line("tensormap.replace.tile.global_address." + space + ".b1024.b64 [" + at + "], " + array + ";", "the instance's slot");
}

void load_tensor_maps(const Test& test, PtxText& text) {
    if (test.tensor_maps.empty()) return;
    text.line(".reg .b64 $tensor<" + std::to_string(test.tensor_maps.size()) + ">;");
    for (size_t k = 0; k < test.tensor_maps.size(); ++k) {
        const std::string number = std::to_string(k);
        text.line("mov.b64 $tensor" + number + ", tensor" + number + ";");
        text.line("cvta.param.u64 $tensor" + number + ", $tensor" + number + ";", test.tensor_maps[k].name);
    }
}

void write_regions(const Plan& plan, bool aliases, PtxText& text) {
    if (plan.regions == 0) return;
    const auto write = [&](const std::string& name, const std::string& base) {
        text.line(".reg .b64 " + name + "<" + std::to_string(plan.regions) + ">;");
        for (int r = 0; r < plan.regions; ++r)
            text.line("mad.lo.u64 " + name + std::to_string(r) + ", $pitch, " + std::to_string(r) + ", " + base +
                      (plan.gpus > 1 && r % 2 == 1 ? "2;" : ";"));
    };
    write("$region", "$memory");
    if (aliases) write("$second", "$alias");
}

std::string store_type(Type type) {
    return ".b" + std::to_string(bits(type));
}

}  // namespace litmus::gpu
