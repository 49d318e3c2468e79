// Highway's includes the file once more for each kind of vectors. Without Highway there is nothing
// to do.
