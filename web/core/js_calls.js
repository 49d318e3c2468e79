// What the core asks of JavaScript: to read its file, to take the pieces of a new one, and to have the
// files of a folder by their names.
mergeInto(LibraryManager.library, {
  sst_read: function (offset, size, to) {
    to >>>= 0;
    return Module.readFile(offset, HEAPU8.subarray(to, to + size)) ? 1 : 0;
  },
  sst_write: function (from, size) {
    from >>>= 0;
    Module.takePiece(HEAPU8.slice(from, from + size));
  },
  sst_mount__deps: ["$FS", "$WORKERFS"],
  sst_mount: function (name) {
    const folder = "/folders/" + UTF8ToString(name);
    FS.mkdirTree(folder);
    FS.chdir("/folders");
    FS.mount(WORKERFS, { files: Module.filesOfFolder() }, folder);
  },
});
