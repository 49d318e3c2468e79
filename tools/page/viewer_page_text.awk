# The page as a string of C++: a literal for each line.
BEGIN { print "inline constexpr char kViewerPage[] =" }
{ print "R\"~~~(" $0 ")~~~\" \"\\n\"" }
END { print ";" }
