" Colours of litmus tests in the native format (litmus/language.md). The groups are those of src/view/page/litmus.tmLanguage.json, with which
" tests/view/page/editors_test.cpp compares them on the library: an instruction is known by its shape, a word with a dot behind it.
"
" Of several rules that match at one place Vim takes the last, so that what is special stands below.
if exists("b:current_syntax")
  finish
endif

syntax match litmusOperator "==\|!=\|<=\|>=\|/\\\|\\/\|&&\|||\|[=<>~!@+|-]"
syntax match litmusName "[A-Za-z_$%][A-Za-z0-9_$]*"
syntax match litmusThread "[A-Za-z_$%][A-Za-z0-9_$]*\ze:[A-Za-z_$%]"
syntax match litmusThread "[A-Za-z_$%][A-Za-z0-9_$]*\ze\s*@\s*[a-z0-9.]\+\s*{"
syntax match litmusLabel "[A-Za-z_$%][A-Za-z0-9_$]*\ze\s*:\%(\s\|$\)"
syntax match litmusQualifier "\.[A-Za-z0-9_]\+\%(::[A-Za-z0-9_]\+\)*"
syntax match litmusType "\.\%([busf][0-9]\+\%(x[0-9]\+\)\?\|bf16\%(x2\)\?\|pred\|mbarrier\)\>\%(::\)\@!"
syntax match litmusInstruction "\<[a-z][a-z0-9_]*\ze\.[A-Za-z0-9_]\|\<\%(bra\|brkpt\|exit\|pmevent\|ret\|trap\)\>"
syntax match litmusNumber "\<\%(0[xX]\x\+\|0[fF]\x\{8}\|0[dD]\x\{16}\|0[bB][01]\+\|[0-9]\+\%(\.[0-9]\+\)\?\%([eE][+-]\?[0-9]\+\)\?\)U\?\>"
syntax match litmusPlace "\<\%(gpu\|cluster\|cta\|warp\|lane\)[0-9]\+\%(\.\%(gpu\|cluster\|cta\|warp\|lane\)[0-9]\+\)*\>"
syntax match litmusTarget "\<sm_[0-9]\+[a-z]\?\>"
syntax match litmusConstant "\<\%(true\|false\)\>"
syntax match litmusKeyword "\<alias\>\|\<\%(surface\|texture\|constant\)\ze\s\+[A-Za-z_$%]"
syntax match litmusKeyword "\<await\>"
syntax match litmusKeyword "\<\%(exists\|forall\|filter\)\ze\s*("
syntax match litmusKeyword "\<\%(racefree\|undefined\|may-deadlock\|deadlock\|terminates\)\>\ze\s*\%($\|//\|/\*\)"
syntax match litmusKeyword "\<\%(test\|doc\|ref\|repairs\)\ze\s*\"\|\<target\ze\s\+sm_\|\<thread\ze\s\+[A-Za-z_$%][A-Za-z0-9_$]*\%(\[\d\+\]\)\=\s*@"
syntax match litmusString "\"\%([^\"\\]\|\\.\)*\""
syntax match litmusComment "//.*$"
syntax region litmusComment start="/\*" end="\*/"

highlight default link litmusOperator Operator
highlight default link litmusName Identifier
highlight default link litmusThread Function
highlight default link litmusLabel Label
highlight default link litmusQualifier StorageClass
highlight default link litmusType Type
highlight default link litmusInstruction Statement
highlight default link litmusNumber Number
highlight default link litmusPlace Constant
highlight default link litmusTarget Constant
highlight default link litmusConstant Boolean
highlight default link litmusKeyword Keyword
highlight default link litmusString String
highlight default link litmusComment Comment

let b:current_syntax = "litmus"
