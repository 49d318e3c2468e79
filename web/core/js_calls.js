// The functions that JavaScript provides to the core: reading its file, receiving a new one, and
// opening the files of a folder by their names. Of a database within the folder, there is an empty
// CURRENT.
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
    const blobs = Module.databasesInFolder().map((name) => ({
      name: name + "/CURRENT",
      data: new Blob(),
    }));
    FS.mount(WORKERFS, { files: Module.filesOfFolder(), blobs }, folder);
  },
  // New files are in memory.
  syncfs: function () {
    return 0;
  },
});
