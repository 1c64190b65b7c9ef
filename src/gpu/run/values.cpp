// The run of the value table: every form's kernel on its cases, what came back against what was computed.
#include "gpu/run/values.h"

#include <chrono>
#include <cstdio>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "gpu/emit/value_table.h"
#include "gpu/run/driver.h"

namespace litmus::gpu {

namespace {

using Kind = ValueForm::Kind;

std::vector<unsigned char> packed(const std::vector<uint64_t>& scalars, int bytes) {
    std::vector<unsigned char> result;
    for (const uint64_t scalar : scalars) {
        for (int i = 0; i < bytes; ++i) result.push_back(static_cast<unsigned char>(scalar >> (8 * i)));
    }
    return result;
}

std::vector<uint64_t> unpacked(const std::vector<unsigned char>& data, int bytes) {
    std::vector<uint64_t> result(data.size() / static_cast<size_t>(bytes));
    for (size_t i = 0; i < data.size(); ++i)
        result[i / static_cast<size_t>(bytes)] |= uint64_t{data[i]} << (8 * (i % static_cast<size_t>(bytes)));
    return result;
}

struct Results {
    std::vector<uint64_t> memory, old;
};

Results run_form(const Device& device, const Kernel& kernel, const ValueForm& form, const ValueCases& cases) {
    const int bytes = bits(form.scalar()) / 8;
    const std::vector<unsigned char> memory = packed(cases.memory, bytes), operand = packed(cases.operand, bytes);
    const std::vector<unsigned char> third = packed(cases.third.empty() ? cases.operand : cases.third, bytes);
    const auto upload = [&](const std::vector<unsigned char>& data, const char* purpose) {
        Buffer buffer = device.allocate(data.size(), purpose);
        buffer.write(data.data(), data.size());
        return buffer;
    };
    Buffer m = upload(memory, "the memory operands"), b = upload(operand, "the operands"), c = upload(third, "the third operands"),
           d = upload(memory, "the old values");
    CUdeviceptr pointers[] = {m.address(), b.address(), c.address(), d.address()};
    void* const arguments[] = {&pointers[0], &pointers[1], &pointers[2], &pointers[3]};
    Shape shape;
    shape.cluster = static_cast<unsigned>(form.blocks());
    shape.grid = static_cast<unsigned>(cases.cases()) * shape.cluster;
    shape.block = static_cast<unsigned>(form.threads());
    device.launch(kernel, shape, arguments);
    device.synchronize(std::chrono::seconds(20));
    const auto download = [&](const Buffer& buffer) {
        std::vector<unsigned char> data(memory.size());
        buffer.read(data.data(), data.size());
        return unpacked(data, bytes);
    };
    return {download(m), download(d)};
}

class Report {
public:
    Report(const ValuesOptions& options, std::ostream& out) : options_(options), out_(out) {}

    void compare(const ValueForm& form, const ValueCases& cases, const Results& got) {
        const size_t size = cases.operand.size();
        size_t wrong = 0;
        std::ostringstream details;
        for (size_t i = 0; i < size; ++i) {
            bool same = true;
            const auto check = [&](const char* what, const std::vector<uint64_t>& expected, const std::vector<uint64_t>& actual) {
                if (expected.empty() || expected[i] == actual[i]) return;
                if (same && wrong < options_.differences) print_difference(details, form, cases, i, what, expected[i], actual[i]);
                same = false;
            };
            check("memory", cases.expected_memory, got.memory);
            check("old", cases.expected_old, got.old);
            if (!same) ++wrong;
        }
        if (wrong != 0 && !cases.contradicted.empty() && got.memory == cases.hardware_memory) {
            out_ << "KNOWN   " << size - wrong << " of " << size << "  " << describe(form) << ": " << cases.contradicted << "\n";
            ++forms_;
            values_ += size;
            known_ += wrong;
            return;
        }
        out_ << (wrong == 0 ? "equal   " : "DIFFERS ") << size - wrong << " of " << size << "  " << describe(form) << "\n" << details.str();
        ++forms_;
        values_ += size;
        wrong_ += wrong;
        wrong_forms_ += wrong != 0 ? 1 : 0;
    }

    bool finish(const DeviceInfo& device) {
        out_ << values_ << " value cases of " << forms_ << " forms on " << device.name << " (" << sm_name(device.sm) << "): ";
        if (wrong_ == 0) {
            out_ << values_ - known_ << " equal, bit for bit";
            out_ << (known_ == 0 ? "\n" : ", " + std::to_string(known_) + " as known to differ from the page (KNOWN above)\n");
        } else {
            out_ << wrong_ << " differ, in " << wrong_forms_ << " forms\n";
        }
        return wrong_ == 0;
    }

private:
    static std::string describe(const ValueForm& form) {
        std::string text = form.name;
        if (form.generic && (form.kind == Kind::atom || form.kind == Kind::red))
            text += form.global ? " (generic, global)" : " (generic, shared)";
        if (form.kind == Kind::redux) text += " mask " + hexadecimal(form.mask, 32);
        return text;
    }

    static std::string hexadecimal(uint64_t value, int width) {
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "0x%0*llx", width / 4, static_cast<unsigned long long>(value));
        return buffer;
    }

    static void print_difference(std::ostream& details, const ValueForm& form, const ValueCases& cases, size_t i, const char* what,
                                 uint64_t expected, uint64_t got) {
        const int n = bits(form.scalar());
        const auto text = [n](uint64_t value) { return hexadecimal(value, n); };
        details << "    " << what << ": " << name(form.operation) << "(";
        if (form.kind == Kind::redux) {
            const size_t first = i - i % ValueForm::warp;
            for (size_t lane = 0; lane < ValueForm::warp; ++lane) {
                if ((form.mask >> lane & 1) != 0) details << " " << text(cases.operand[first + lane]);
            }
            details << " ) lane " << i % ValueForm::warp;
        } else {
            details << text(cases.memory[i]) << ", " << text(cases.operand[i]);
            if (!cases.third.empty()) details << ", " << text(cases.third[i]);
            details << ")";
        }
        details << " expected " << text(expected) << " got " << text(got) << "\n";
    }

    const ValuesOptions& options_;
    std::ostream& out_;
    size_t forms_ = 0, values_ = 0, wrong_ = 0, wrong_forms_ = 0;
    size_t known_ = 0;  // cases
};

}  // namespace

int run_values(const ValuesOptions& options, std::ostream& out) {
    std::vector<ValueForm> forms;
    const auto choose = [&](int sm) {
        for (const ValueForm& form : value_forms()) {
            if (runs_on(form, sm) && form.name.find(options.only) != std::string::npos) forms.push_back(form);
        }
    };
    if (options.ptx_only) {
        choose(options.sm);
        out << values_ptx(forms, sm_name(options.sm));
        return 0;
    }
    const Device device(options.device);
    choose(device.info().sm);
    if (forms.empty()) throw std::runtime_error("no form has '" + options.only + "' in its text");
    const Module module = device.load(values_ptx(forms, sm_name(device.info().sm)), "values");
    Report report(options, out);
    for (size_t i = 0; i < forms.size(); ++i) {
        const ValueCases cases = value_cases(forms[i]);
        report.compare(forms[i], cases, run_form(device, module.kernel(value_kernel(i)), forms[i], cases));
    }
    return report.finish(device.info()) ? 0 : 1;
}

}  // namespace litmus::gpu
