# What `cmake --install` installs, and the package that `cpack` makes of it (./dev release).
#
#   bin/                       litmus, and litmus-gpu where it was built
#   lib/liblitmus-record.so    what `litmus record` preloads, where it was built
#   include/litmus/, lib/      the library: headers by the names they have in src/, one archive for each room
#   lib/cmake/litmus/          find_package(litmus): the library litmus::litmus, the executable litmus::tool
#   lib/pkgconfig/litmus.pc    the library for others
#   share/litmus/              models, the library of tests, JSON schemas, the pages of documentation
#   share/vim/vimfiles/        colours of tests for Vim; share/nvim/site/ starts the language server in Neovim
#   share/litmus/vscode/       the extension of VS Code; share/litmus/agents/ a skill for agents
#   share/man/, share/...      the man page and completions, made by the executable from its own options
#
# A portable build is for those who use the executable: it installs no library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # cpack builds no tests
add_custom_target(installed)                # all that is installed and has to be built
set_target_properties(litmus PROPERTIES EXPORT_NAME tool)
install(TARGETS litmus EXPORT litmusTool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
add_dependencies(installed litmus)
if(TARGET litmus-gpu)
  add_dependencies(installed litmus-gpu)
  install(TARGETS litmus-gpu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET litmus-record)  # `litmus record` looks for it here, from its own folder
  add_dependencies(installed litmus-record)
  install(TARGETS litmus-record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH from_executable ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  target_compile_definitions(litmus PRIVATE LITMUS_LIBRARIES="${from_executable}")
endif()

# The library.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/litmus)
if(NOT LITMUS_PORTABLE)
  set(libraries "")
  set(pkg_config_libraries "")
  foreach(room ${core_rooms} ${solve_rooms})
    list(APPEND libraries litmus_${room})
    string(PREPEND pkg_config_libraries " -llitmus_${room}")
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/litmus FILES_MATCHING PATTERN "*.h")
  endforeach()
  set_target_properties(litmus-solve PROPERTIES EXPORT_NAME litmus)
  target_compile_features(litmus-solve INTERFACE cxx_std_20)
  add_library(litmus::litmus ALIAS litmus-solve)
  install(TARGETS ${libraries} litmus-solve EXPORT litmusLibrary ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT litmusLibrary NAMESPACE litmus:: DESTINATION ${package_folder})

  list(TRANSFORM solver_libraries PREPEND " " OUTPUT_VARIABLE pkg_config_solvers)
  list(JOIN pkg_config_solvers "" pkg_config_solvers)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/litmus.pc.in ${PROJECT_BINARY_DIR}/litmus.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/litmus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# find_package(litmus): the executable, litmus_add_tests(DIR ...), and the library where it is installed.
install(EXPORT litmusTool NAMESPACE litmus:: DESTINATION ${package_folder})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/litmusAddTests.cmake DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/litmusConfig.cmake.in ${PROJECT_BINARY_DIR}/litmusConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/litmusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/litmusConfig.cmake ${PROJECT_BINARY_DIR}/litmusConfigVersion.cmake DESTINATION ${package_folder})

# Models, tests, pages. The models are inside the executable, too; these are to be read and changed.
set(shared_folder ${CMAKE_INSTALL_DATADIR}/litmus)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/model ${PROJECT_SOURCE_DIR}/litmus DESTINATION ${shared_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/schemas DESTINATION ${shared_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/editors/nvim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/editors/vscode ${PROJECT_SOURCE_DIR}/src/editors/agents DESTINATION ${shared_folder})
install(FILES ${PROJECT_SOURCE_DIR}/src/view/page/litmus.tmLanguage.json DESTINATION ${shared_folder}/vscode)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${shared_folder})
install(FILES ${PROJECT_BINARY_DIR}/laboratory.html DESTINATION ${shared_folder} OPTIONAL)
if(TARGET lab)
  add_dependencies(installed lab)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# Written by the executable.
set(texts "")
foreach(text man=litmus.1 bash=litmus.bash zsh=_litmus fish=litmus.fish)
  string(REPLACE "=" ";" pair ${text})
  list(GET pair 0 what)
  list(GET pair 1 name)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/generated/${name} DEPENDS litmus
    COMMAND litmus completions ${what} > ${PROJECT_BINARY_DIR}/generated/${name} VERBATIM)
  list(APPEND texts ${PROJECT_BINARY_DIR}/generated/${name})
endforeach()
add_custom_target(litmus_texts ALL DEPENDS ${texts})
add_dependencies(installed litmus_texts)
install(FILES ${PROJECT_BINARY_DIR}/generated/litmus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/generated/litmus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME litmus)
install(FILES ${PROJECT_BINARY_DIR}/generated/_litmus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${PROJECT_BINARY_DIR}/generated/litmus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# A package for Debian: the libraries that the executables need are found by dpkg-shlibdeps; what the library needs to be linked is suggested.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME litmus)
set(CPACK_PACKAGE_VENDOR litmus)
set(CPACK_PACKAGE_CONTACT "the authors of litmus <litmus@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "checks litmus tests against the memory models of NVIDIA GPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
list(JOIN solver_packages ", " suggested_solvers)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libz3-dev, ${suggested_solvers}, nlohmann-json3-dev, graphviz")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
