# Writes OUT: the texts of the cat files FILES as C++ raw strings (shipped_texts in cat/shipped.h).
set(body "// Generated from model/*.cat by src/cat/embed_models.cmake.\n#include \"cat/shipped.h\"\n\nnamespace litmus {\n\nconst std::vector<ShippedText>& shipped_texts() {\n    static const std::vector<ShippedText> texts{\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND body "        {\"${name}\", R\"CAT(${text})CAT\"},\n")
endforeach()
string(APPEND body "    };\n    return texts;\n}\n\n}  // namespace litmus\n")
file(WRITE ${OUT} "${body}")
