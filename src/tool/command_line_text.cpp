// Each command becomes a list of words with what they mean; each kind of text prints that list in its own way. What an option takes is told
// from the name of its type: words with | between them are its choices, FILE and DIR are names of files.
#include "tool/command_line_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace litmus {

namespace {

struct OptionWord {
    std::vector<std::string> names;  // "-m", "--model"; of what stands without a name, none
    std::string type;                // empty: it takes nothing
    std::string meaning;

    bool takes_files() const { return type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos; }
    // "text json", or nothing.
    std::vector<std::string> choices() const {
        std::vector<std::string> result;
        if (type.find('|') == std::string::npos ||
            std::any_of(type.begin(), type.end(), [](unsigned char c) { return std::isupper(c) != 0; }))
            return result;
        std::istringstream in(type);
        for (std::string word; std::getline(in, word, '|');) result.push_back(word);
        return result;
    }
};

struct DescribedCommand {
    std::string name, meaning, footer;
    std::vector<OptionWord> words;
};

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

DescribedCommand command_of(const CLI::App& app) {
    DescribedCommand command{app.get_name(), app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options()) {
        OptionWord word{{}, option->get_type_size() == 0 ? "" : option->get_type_name(), option->get_description()};
        for (const std::string& name : option->get_snames()) word.names.push_back("-" + name);
        for (const std::string& name : option->get_lnames()) word.names.push_back("--" + name);
        command.words.push_back(word);
    }
    return command;
}

// Those that are not hidden, in the order of their definition.
std::vector<DescribedCommand> commands_of(const CLI::App& app) {
    std::vector<DescribedCommand> result;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) result.push_back(command_of(*command));
    return result;
}

std::vector<std::string> names_of(const std::vector<DescribedCommand>& commands) {
    std::vector<std::string> names;
    for (const DescribedCommand& command : commands) names.push_back(command.name);
    return names;
}

// The text with a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& special) {
    std::string result;
    for (const char c : text) {
        if (special.find(c) != std::string::npos) result += '\\';
        result += c;
    }
    return result;
}

// In single quotes, for any of the shells.
std::string in_quotes(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

// ---- bash ------------------------------------------------------------------------------------

std::string bash_text(const std::vector<DescribedCommand>& commands) {
    std::string text =
        "# Completions of litmus for bash, made by `litmus completions bash`.\n"
        "_litmus() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W '" +
        joined(names_of(commands)) +
        " --help --version' -- \"$word\")\n"
        "    return\n"
        "  fi\n"
        "  case ${COMP_WORDS[1]} in\n";
    for (const DescribedCommand& command : commands) {
        std::vector<std::string> names;
        std::string values;
        for (const OptionWord& word : command.words) {
            names.insert(names.end(), word.names.begin(), word.names.end());
            if (word.names.empty() || word.type.empty()) continue;
            const std::string wanted = word.takes_files() ? "-f" : "-W '" + joined(word.choices()) + "'";
            values += "        " + joined(word.names, "|") + ") mapfile -t COMPREPLY < <(compgen " + wanted + " -- \"$word\"); return ;;\n";
        }
        text += "    " + command.name + ")\n      options='" + joined(names) + "'\n";
        if (!values.empty()) text += "      case $before in\n" + values + "      esac\n";
        text += "      ;;\n";
    }
    return text +
           "  esac\n"
           "  if [[ $word == -* ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "  else\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -F _litmus litmus\n";
}

// ---- zsh -------------------------------------------------------------------------------------

std::string zsh_argument(const OptionWord& word) {
    if (word.type.empty()) return "";
    const std::string action = word.takes_files() ? "_files" : word.choices().empty() ? " " : "(" + joined(word.choices()) + ")";
    return ":" + escaped(word.type, ":") + ":" + action;
}

std::string zsh_text(const std::vector<DescribedCommand>& commands) {
    std::string text = "#compdef litmus\n# Completions of litmus for zsh, made by `litmus completions zsh`.\nlocal -a commands=(\n";
    for (const DescribedCommand& command : commands) text += "  " + in_quotes(escaped(command.name, ":") + ":" + command.meaning) + "\n";
    text += ")\nif (( CURRENT == 2 )); then\n  _describe command commands\n  return\nfi\ncase $words[2] in\n";
    for (const DescribedCommand& command : commands) {
        text += "  " + command.name + ")\n    shift words; (( CURRENT-- ))\n    _arguments";
        for (const OptionWord& word : command.words)
            for (const std::string& name : word.names)
                text += " \\\n      " + in_quotes("*" + name + "[" + escaped(word.meaning, "[]:\\") + "]" + zsh_argument(word));
        text += " \\\n      '*:file:_files'\n    ;;\n";
    }
    return text + "esac\n";
}

// ---- fish ------------------------------------------------------------------------------------

std::string fish_text(const std::vector<DescribedCommand>& commands) {
    std::string text = "# Completions of litmus for fish, made by `litmus completions fish`.\n";
    for (const DescribedCommand& command : commands)
        text +=
            "complete -c litmus -n __fish_use_subcommand -f -a " + command.name + " -d " + in_quotes(escaped(command.meaning, "\\")) + "\n";
    for (const DescribedCommand& command : commands)
        for (const OptionWord& word : command.words) {
            if (word.names.empty()) continue;
            text += "complete -c litmus -n '__fish_seen_subcommand_from " + command.name + "'";
            for (const std::string& name : word.names) text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!word.type.empty()) text += word.takes_files() ? " -r -F" : " -x";
            if (!word.choices().empty()) text += " -a " + in_quotes(joined(word.choices()));
            text += " -d " + in_quotes(escaped(word.meaning, "\\")) + "\n";
        }
    return text;
}

// ---- man -------------------------------------------------------------------------------------

// A line for roff: no character of it is a command.
std::string roff(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    return !result.empty() && (result[0] == '.' || result[0] == '\'') ? "\\&" + result : result;
}

// As it stands: these texts are laid out for a terminal.
std::string verbatim(const std::string& text) {
    std::istringstream in(text);
    std::string result;
    for (std::string line; std::getline(in, line);) result += roff(line) + "\n";
    return result.empty() ? result : ".PP\n.nf\n" + result + ".fi\n";
}

std::string man_options(const DescribedCommand& command) {
    std::string text;
    for (const OptionWord& word : command.words) {
        text += ".TP\n";
        if (!word.names.empty()) text += ".B " + roff(joined(word.names, ", ")) + "\n";
        if (!word.type.empty()) text += (word.names.empty() ? ".I " : ".RI \" \" ") + std::string("\"") + roff(word.type) + "\"\n";
        text += roff(word.meaning) + "\n";
    }
    return text;
}

std::string man_text(const CLI::App& app, const std::vector<DescribedCommand>& commands) {
    std::string text =
        ".\\\" Made by `litmus completions man` from the definitions of commands and options.\n"
        ".TH LITMUS 1 \"\" \"litmus " LITMUS_VERSION
        "\"\n"
        ".SH NAME\nlitmus \\- check litmus tests against the memory models of NVIDIA GPUs\n"
        ".SH SYNOPSIS\n.B litmus\n.I COMMAND\n[options] [inputs]\n.SH DESCRIPTION\n" +
        roff(app.get_description()) + "\n" + verbatim(app.get_footer()) + ".SH COMMANDS\n";
    for (const DescribedCommand& command : commands)
        text += ".SS litmus " + roff(command.name) + "\n" + roff(command.meaning) + ".\n" + man_options(command) + verbatim(command.footer);
    return text;
}

}  // namespace

std::string command_line_text(const CLI::App& app, CommandLineText what) {
    const std::vector<DescribedCommand> commands = commands_of(app);
    switch (what) {
        case CommandLineText::bash:
            return bash_text(commands);
        case CommandLineText::zsh:
            return zsh_text(commands);
        case CommandLineText::fish:
            return fish_text(commands);
        case CommandLineText::man:
            return man_text(app, commands);
    }
    return {};
}

}  // namespace litmus
