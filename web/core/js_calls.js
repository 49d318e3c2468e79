// The functions that JavaScript provides to the core: they read its file, receive a new one, make
// the files of a folder available by name, and receive a new folder.
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
    // Not defined, so nothing is a link; WORKERFS's own readlink() reports "not permitted".
    WORKERFS.node_ops.readlink = undefined;
    // WORKERFS's own readdir() fails if a file is named like a method of Object.
    WORKERFS.node_ops.readdir = () =>
      [".", ".."].concat(Module.filesOfFolder().map((file) => file.name));
    // The browser takes as long for a few bytes as for 100 KB, so less is read in chunks, of which
    // the last ones are kept, the newest last.
    const CHUNK = 1 << 18;
    const chunks = [];
    const chunkOf = (file, number) => {
      const at = chunks.findIndex((chunk) => chunk.file === file && chunk.number === number);
      if (at >= 0) {
        chunks.push(...chunks.splice(at, 1));
      } else {
        const part = file.slice(number * CHUNK, (number + 1) * CHUNK);
        chunks.push({ file, number, bytes: new Uint8Array(WORKERFS.reader.readAsArrayBuffer(part)) });
        if (chunks.length > 16) chunks.shift();
      }
      return chunks[chunks.length - 1].bytes;
    };
    const read = WORKERFS.stream_ops.read;
    WORKERFS.stream_ops.read = function (stream, buffer, start, size, position) {
      // An exception of the browser would end the core.
      try {
        const within = position % CHUNK;
        if (within + size > CHUNK) return read(stream, buffer, start, size, position);
        const chunk = chunkOf(stream.node.contents, Math.floor(position / CHUNK));
        const bytes = chunk.subarray(within, within + size);
        buffer.set(bytes, start);
        return bytes.length;
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
  // New files are kept in memory.
  syncfs: function () {
    return 0;
  },
});
