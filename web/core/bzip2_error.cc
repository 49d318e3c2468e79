// Called by bzip2 after an internal error, if it is compiled without files (BZ_NO_STDIO).
#include <cstdlib>

extern "C" void bz_internal_error(int) { std::abort(); }
