// The table of CUDA in litmus/language.md is true: it is that of the source, every instruction in it is PTX, and every line of CUDA becomes
// the PTX beside it. LITMUS_PROMOTE=1 rewrites the table.
//
// nvcc compiles each line as the body of the kernel that the page shows, and must write the instructions of the row, in their order, and no
// other of the kinds that the table speaks of. Lines of libraries are compiled where these are: CUTLASS_PATH and TILELANG_PATH are their
// sources.
#include "ptx/cuda.h"

#include <regex>

#include "documents/shown.h"
#include "language/syntax/read.h"
#include "ptx/table.h"

using namespace documents;
using namespace litmus;

namespace {

constexpr const char* page_path = "litmus/language.md";

// The instructions of a kernel, by their dotted names: those that begin like one of the table. What a loop repeats is there once.
std::vector<std::string> names_of(const std::string& body, const std::set<std::string>& kinds) {
    std::vector<std::string> names;
    const std::regex instruction("(?:^|\n|;)[ \t{]*(?:@!?%?\\w+[ \t]+)?([a-z][\\w.:]*)");
    for (std::sregex_iterator at(body.begin(), body.end(), instruction), end; at != end; ++at) {
        const std::string name = (*at)[1];
        if (name.rfind("ld.param", 0) == 0 || kinds.count(name.substr(0, name.find('.'))) == 0) continue;
        if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
}

std::vector<std::string> names_of(const CudaRow& row) {
    std::vector<std::string> names;
    for (const std::string_view instruction : cuda_instructions(row)) names.emplace_back(dotted_name(instruction));
    return names;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
    return text;
}

// The kinds of instructions that the table speaks of: "fence", "mbarrier".
std::set<std::string> kinds() {
    std::set<std::string> found;
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows)
            for (const std::string& name : names_of(row)) found.insert(name.substr(0, name.find('.')));
    return found;
}

// What is compiled in addition for the rows of a library.
struct Library {
    std::string title;     // of its group
    std::string variable;  // of the environment: where its sources are
    std::string options;
    std::string includes;
};

const std::vector<Library>& libraries() {
    static const std::vector<Library> all = {
        {"CUTLASS and CuTe", "CUTLASS_PATH", "-I\"$CUTLASS_PATH/include\" -DCUTLASS_ENABLE_GDC_FOR_SM90",
         "#include <cutlass/arch/barrier.h>\n#include <cutlass/arch/grid_dependency_control.h>\n#include <cute/arch/copy_sm80.hpp>\n"
         "#include <cute/arch/copy_sm90_tma.hpp>\n#include <cute/arch/copy_sm90_desc.hpp>\n#include <cute/arch/mma_sm90_gmma.hpp>\n"},
        {"TileLang", "TILELANG_PATH", "-I\"$TILELANG_PATH/src\" -I\"$CUTLASS_PATH/include\"", "#include <tl_templates/cuda/barrier.h>\n"},
    };
    return all;
}

// The block of CUDA that the page shows.
std::string shown_kernel() {
    const std::string page = documents::contents(page_path), fence = "```cuda\n";
    const size_t begin = page.find(fence) + fence.size();
    return page.substr(begin, page.find("```\n", begin) - begin);
}

// A source with a kernel for each row of the group, row0, row1, ...
std::string source_of(const CudaGroup& group, const std::string& includes) {
    const std::string shown = shown_kernel();
    const size_t kernel = shown.find("__global__");
    std::string source = includes + shown.substr(0, kernel);
    for (size_t i = 0; i < group.rows.size(); ++i) {
        std::string text = shown.substr(kernel);
        text.replace(text.find("kernel"), 6, "row" + std::to_string(i));
        const std::string place = "// the line of the table";
        text.replace(text.find(place), place.size(), "(void)(" + std::string(group.rows[i].cuda) + ");");
        source += "extern \"C\" " + text;
    }
    return source;
}

// nvcc, on the path or in the toolkit's usual folder; empty: there is none.
std::string nvcc(const Folder& folder) {
    const Lines found = folder.lines_of("PATH=$PATH:/usr/local/cuda/bin command -v nvcc");
    return found.empty() ? "" : found.front();
}

void compile(const Folder& folder, const CudaGroup& group, const std::string& options, const std::string& includes) {
    folder.write("rows.cu", source_of(group, includes));
    const Lines said = folder.lines_of("'" + nvcc(folder) + "' -w -std=c++17 -arch=sm_90a -ptx " + options + " rows.cu 2>&1");
    REQUIRE_MESSAGE(said.empty(), text_of(said));
    const std::string ptx = std::regex_replace(text_of(folder.lines_of("cat rows.ptx")), std::regex("//[^\n]*"), "");
    const std::set<std::string> of_table = kinds();
    for (size_t i = 0; i < group.rows.size(); ++i) {
        const size_t begin = ptx.find("\n{", ptx.find(".entry row" + std::to_string(i) + "("));
        REQUIRE(begin != std::string::npos);
        const std::string body = ptx.substr(begin, ptx.find("\n}\n", begin) - begin);
        INFO(group.rows[i].cuda);
        CHECK(joined(names_of(body, of_table)) == joined(names_of(group.rows[i])));
    }
}

}  // namespace

TEST_CASE("the page has the table of the source") {
    const std::string page = documents::contents(page_path), head = "| CUDA | PTX | |\n";
    const size_t begin = page.find(head);
    REQUIRE(begin != std::string::npos);
    const size_t end = page.find("\n\n", begin) + 1;
    if (std::getenv("LITMUS_PROMOTE"))
        std::ofstream(LITMUS_SOURCE_DIR "/" + std::string(page_path)) << page.substr(0, begin) + cuda_table() + page.substr(end);
    CHECK_MESSAGE(page.substr(begin, end - begin) == cuda_table(), "run test_documents with LITMUS_PROMOTE=1 and look at the difference");
}

TEST_CASE("every instruction of the table is PTX that is modelled") {
    size_t rows = 0;
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows) {
            ++rows;
            INFO(row.cuda);
            CHECK_FALSE(cuda_instructions(row).empty());
            for (const std::string& name : names_of(row)) CHECK_MESSAGE(std::holds_alternative<Spelling>(resolve(name)), name);
        }
    CHECK(rows > 100);
}

// With x, t, b and tm as the page declares them, and the registers that rows read.
TEST_CASE("the PTX of every row can be pasted into a test") {
    for (const CudaGroup& group : cuda_groups())
        for (const CudaRow& row : group.rows) {
            std::string text =
                "test \"pasted\"\n.global .u32 x[16] = 0;\n.global .tensormap tm = x, dim 4, 4, box 4, 4;\n.shared .u32 t[64] = 0;\n"
                ".shared .mbarrier b = 1;\nthread P0 @ cta0 {\nmov.u32 r1, 1;\nsetp.eq.u32 p, r1, 1;\nsetp.eq.u32 q, r1, 1;\n"
                "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n";
            for (const std::string_view instruction : cuda_instructions(row)) text += std::string(instruction) + ";\n";
            INFO(row.cuda);
            CHECK_NOTHROW(parse_tests(make_source("pasted.litmus", text + "}\nthread P1 @ cta1 {\n}\nexists (x[0] == 1)\n")));
        }
}

TEST_CASE("rows by name") {
    REQUIRE(cuda_rows("__threadfence").size() == 1);
    CHECK(cuda_rows("__threadfence")[0]->ptx == "membar.gl");
    CHECK(cuda_rows("tma_store_wait").size() == 2);  // cute's and tl's
    CHECK(cuda_rows("cute::tma_store_wait").size() == 1);
    CHECK(cuda_rows("flag.load").size() == cuda_rows("a.load").size());
    CHECK(cuda_rows("cuda::ptx::fence_proxy_async").size() == 2);
    CHECK(cuda_rows("store_wait").empty());
    CHECK(cuda_rows("fence").empty());
    CHECK(cuda_rows("").empty());
}

TEST_CASE("every line of CUDA becomes the PTX beside it") {
    const Folder folder;
    if (nvcc(folder).empty()) {
        MESSAGE("skipped: there is no nvcc");
        return;
    }
    for (const CudaGroup& group : cuda_groups()) {
        const auto library = std::find_if(libraries().begin(), libraries().end(), [&](const Library& l) { return l.title == group.title; });
        if (library == libraries().end())
            compile(folder, group, "", "");
        else if (std::getenv(library->variable.c_str()))
            compile(folder, group, library->options, library->includes);
        else
            MESSAGE("skipped for ", group.title, ": ", library->variable, " is not set");
    }
}
