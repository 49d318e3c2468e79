# In the build folder of a shared library, `cpack -G DEB` makes packages for Debian and Ubuntu: the
# library, its development files, and `sst`. For a static library, cpack refuses.
if(NOT BUILD_SHARED_LIBS)
  file(WRITE ${PROJECT_BINARY_DIR}/CPackConfig.cmake
    "message(FATAL_ERROR \"packages are made of a shared library: configure with -DBUILD_SHARED_LIBS=ON\")\n")
  return()
endif()

set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_CONTACT "the authors of sstable <sstable@localhost>" CACHE STRING
  "Whom the packages name as their maintainer")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "reads, writes and rescues the table files of LevelDB")
set(CPACK_PACKAGE_VENDOR sstable)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A program's dependencies are determined from the libraries that it is linked with, including the
# one built here.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(library "libsstable${soname}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"The library: tables (.ldb, .sst) with point lookups that use their Bloom
filters, and whole databases, read-only.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsstable-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION}), libabsl-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"What programs are compiled with that use the library: headers for C++ and C,
and what CMake and pkg-config find it by.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME sstable-tools)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION database)
set(CPACK_COMPONENT_TOOL_DESCRIPTION
"The command sst: prints, looks up, checks, explains, builds and salvages
tables (.ldb, .sst), one file or the whole folder of a database.")

set(CPACK_COMPONENTS_ALL development library)
if(SSTABLE_TOOL)
  list(APPEND CPACK_COMPONENTS_ALL tool)
endif()

# Debian's own record of a package's versions.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/changelog
  "sstable (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
  "  * Made by cpack of the source, whose CHANGELOG.md says what is new.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/changelog)

# The licences, where Debian expects them. Lines are indented there, and an empty line has a dot.
file(READ web/licenses.txt page_licenses)
string(STRIP "${page_licenses}" page_licenses)
string(REPLACE "\n" "\n " page_licenses " ${page_licenses}")
string(REPLACE "\n \n" "\n .\n" page_licenses "${page_licenses}")
string(REPLACE "\n \n" "\n .\n" page_licenses "${page_licenses}")
configure_file(cmake/copyright.in copyright @ONLY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
