// Has nothing to compile again.
