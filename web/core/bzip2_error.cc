// What bzip2 calls for an error of its own, as it is compiled without files (BZ_NO_STDIO).
#include <cstdlib>

extern "C" void bz_internal_error(int) { std::abort(); }
