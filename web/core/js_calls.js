// The functions that JavaScript provides to the core: reading its file, receiving a new one, opening
// the files of a folder by their names, and receiving a new folder.
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
    // Not EPERM, as it has: by this, realpath() learns that a file is no link.
    WORKERFS.node_ops.readlink = function () {
      throw new FS.ErrnoError({{{ cDefine("EINVAL") }}});
    };
    const folder = "/folders/" + UTF8ToString(name);
    FS.mkdirTree(folder);
    FS.chdir("/folders");
    FS.mount(WORKERFS, { files: Module.filesOfFolder() }, folder);
  },
  sst_take_folder__deps: ["$FS"],
  sst_take_folder: function (name) {
    const folder = UTF8ToString(name);
    for (const file of FS.readdir(folder).filter((file) => !/^\.+$/.test(file))) {
      Module.takeFile(file, FS.readFile(folder + "/" + file));
      FS.unlink(folder + "/" + file);
    }
    FS.rmdir(folder);
  },
  sst_progress: function (bytes) {
    Module.progress(bytes);
  },
  // New files are in memory.
  syncfs: function () {
    return 0;
  },
});
