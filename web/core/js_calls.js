// What the core asks of JavaScript: to read its file, and to take the pieces of a new one.
mergeInto(LibraryManager.library, {
  sst_read: function (offset, size, to) {
    to >>>= 0;
    return Module.readFile(offset, HEAPU8.subarray(to, to + size)) ? 1 : 0;
  },
  sst_write: function (from, size) {
    from >>>= 0;
    Module.takePiece(HEAPU8.slice(from, from + size));
  },
});
