// Functions that JavaScript provides to the core: to read its file, receive a new one, make the
// files of a folder available by name, and receive a new folder.
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
    // Undefined means that nothing is a link. WORKERFS's own readlink() would report "not
    // permitted".
    WORKERFS.node_ops.readlink = undefined;
    // WORKERFS's own readdir() fails if a file has the name of a method of Object.
    WORKERFS.node_ops.readdir = () =>
      [".", ".."].concat(Module.filesOfFolder().map((file) => file.name));
    // The browser's exception would end the core, so it is turned into an error.
    WORKERFS.stream_ops.read = ({ node }, buffer, start, size, position) => {
      const length = Math.max(0, Math.min(size, node.size - position));
      const to = new Uint8Array(buffer.buffer, buffer.byteOffset + start, length);
      if (!Module.readFrom(node.contents, position, to)) {
        throw new FS.ErrnoError({{{ cDefine("EIO") }}});
      }
      return length;
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
  // New files are kept in memory.
  syncfs: function () {
    return 0;
  },
});
