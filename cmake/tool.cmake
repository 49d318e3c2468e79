# `sst`, its manual page, and its command-line completion for three shells.

if(NOT SSTABLE_WITH_ZLIB OR NOT SSTABLE_WITH_ZSTD)
  message(FATAL_ERROR "`sst` itself reads gzip and zstd: SSTABLE_TOOL=ON needs SSTABLE_WITH_ZLIB and "
    "SSTABLE_WITH_ZSTD")
endif()
if(NOT SSTABLE_WITH_SQLITE)
  list(REMOVE_ITEM SST_PACKAGES sqlite3)
  list(REMOVE_ITEM SST_SOURCES tools/commands/cmd_export.cc tools/database/sqlite_export.cc)
  set_source_files_properties(tools/run_sst.cc PROPERTIES COMPILE_DEFINITIONS SSTABLE_WITHOUT_SQLITE)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(SST REQUIRED IMPORTED_TARGET ${SST_PACKAGES})
list(TRANSFORM SST_ABSEIL PREPEND absl:: OUTPUT_VARIABLE sst_abseil_targets)

set(page ${PROJECT_SOURCE_DIR}/docs/viewer/index.html)
set(page_script ${PROJECT_SOURCE_DIR}/tools/page/viewer_page_text.awk)
set(page_text ${PROJECT_BINARY_DIR}/generated/tools/page/viewer_page_text.h)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/tools)
add_custom_command(
  OUTPUT ${page_text}
  COMMAND awk -f ${page_script} ${page} > ${page_text}
  DEPENDS ${page} ${page_script}
  VERBATIM
)

add_executable(sst ${SST_SOURCES} ${page_text} $<TARGET_OBJECTS:sstable_objects>)
target_include_directories(sst BEFORE PRIVATE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_compile_features(sst PRIVATE cxx_std_17)
target_link_libraries(sst PRIVATE ${abseil_targets} ${sst_abseil_targets} ${packages_target}
  PkgConfig::SST ${SSTABLE_OTHER_LIBRARIES})
set_target_properties(sst PROPERTIES UNITY_BUILD OFF)

# The SQLite extension, built only on request. It is not linked with SQLite, but needs its headers
# and those of nlohmann_json.
add_library(sstable_sqlite MODULE EXCLUDE_FROM_ALL ${SQLITE_SOURCES} $<TARGET_OBJECTS:sstable_objects>)
target_include_directories(sstable_sqlite BEFORE PRIVATE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_include_directories(sstable_sqlite PRIVATE ${SST_INCLUDE_DIRS})
target_compile_features(sstable_sqlite PRIVATE cxx_std_17)
target_link_libraries(sstable_sqlite PRIVATE ${abseil_targets} ${packages_target}
  ${SSTABLE_OTHER_LIBRARIES})
target_link_options(sstable_sqlite PRIVATE
  "LINKER:--version-script=${PROJECT_SOURCE_DIR}/sqlite/exported.lds")
set_target_properties(sstable_sqlite PROPERTIES PREFIX "" OUTPUT_NAME sstable UNITY_BUILD OFF)

if(NOT SSTABLE_INSTALL)
  return()
endif()

# generate(FILE ARGUMENT...): writes the output of `sst ARGUMENT...` to FILE.
set(generated_files)
function(generate file)
  set(path ${PROJECT_BINARY_DIR}/generated/${file})
  add_custom_command(OUTPUT ${path} COMMAND sst ${ARGN} > ${path} VERBATIM)
  set(generated_files ${generated_files} ${path} PARENT_SCOPE)
endfunction()
generate(sst.1 manual)
generate(sst.bash completion bash)
generate(_sst completion zsh)
generate(sst.fish completion fish)
set(manual ${PROJECT_BINARY_DIR}/generated/sst.1)
add_custom_command(OUTPUT ${manual}.gz COMMAND gzip -9fkn ${manual} DEPENDS ${manual} VERBATIM)
add_custom_target(sst_documents ALL DEPENDS ${generated_files} ${manual}.gz)

install(TARGETS sst COMPONENT tool)
set(from ${PROJECT_BINARY_DIR}/generated)
set(shared ${CMAKE_INSTALL_DATAROOTDIR})
install(FILES ${manual}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
install(FILES ${from}/sst.bash RENAME sst COMPONENT tool
  DESTINATION ${shared}/bash-completion/completions)
install(FILES ${from}/_sst DESTINATION ${shared}/zsh/vendor-completions COMPONENT tool)
install(FILES ${from}/sst.fish DESTINATION ${shared}/fish/vendor_completions.d COMPONENT tool)
