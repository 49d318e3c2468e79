// Highway's header includes the file once for each kind of vectors. Without Highway, this does
// nothing.
