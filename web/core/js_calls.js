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
    // Without it, nothing is a link; WORKERFS's own says that this is not allowed.
    WORKERFS.node_ops.readlink = undefined;
    // Its own fails if a file is named like a method of objects.
    WORKERFS.node_ops.readdir = () =>
      [".", ".."].concat(Module.filesOfFolder().map((file) => file.name));
    // What the browser throws would end the core.
    const read = WORKERFS.stream_ops.read;
    WORKERFS.stream_ops.read = function (stream, buffer, start, size, position) {
      try {
        return read(stream, buffer, start, size, position);
      } catch (error) {
        throw new FS.ErrnoError({{{ cDefine("EIO") }}});
      }
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
