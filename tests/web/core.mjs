// Runs the core of a built page in node, with the page's bytes but without the page.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { gunzipSync, gzipSync } from "node:zlib";
import { fromBase85, toBase85 } from "../../web/base85.mjs";

const between = (text, start, end) => text.split(start)[1].split(end)[0];

const START = 'id="core">';
const unpacked = (page, start) => gunzipSync(fromBase85(between(page, start, "</script>")));

export const coreOf = (page) => unpacked(page, START);

export const withCore = (page, wasm) =>
  page.replace(between(page, START, "</script>"), toBase85(gzipSync(wasm)));

export async function loadCore(pagePath) {
  const page = readFileSync(pagePath, "utf8");
  const wasm = coreOf(page);
  const loader = unpacked(page, 'id="loader">').toString();
  // The loader expects to run in a worker.
  globalThis.self ??= { location: { href: "" } };
  globalThis.FileReaderSync ??= class {};
  const create = vm.runInThisContext(`(() => { ${loader}\nreturn SstCore; })()`);
  const compiled = await WebAssembly.compile(wasm);
  const core = new Core();
  core.module = await create({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(compiled, imports).then(done);
      return {};
    },
    readFile: (offset, to) => {
      core.bytesRead += to.length;
      return core.file.copy(to, 0, offset, offset + to.length) === to.length;
    },
    readFrom: ({ bytes, isUnreadable }, offset, to) => {
      if (!isUnreadable) to.set(bytes.subarray(offset, offset + to.length));
      return !isUnreadable;
    },
    takePiece: (piece) => core.pieces.push(piece),
    takeFile: (name, bytes) => core.newFiles.set(name, Buffer.from(bytes)),
    progress: () => {},
    filesOfFolder: () => core.filesOfFolder,
  });
  return core;
}

// Imitates a browser's File, as the core uses it.
class NamedBytes {
  constructor(name, bytes, isUnreadable) {
    this.name = name;
    this.bytes = bytes;
    this.size = bytes.length;
    this.isUnreadable = isUnreadable;
  }
}

class Core {
  file = Buffer.alloc(0);
  filesOfFolder = [];
  unreadable = ""; // the file of the folder that can't be read
  pieces = [];
  newFiles = new Map(); // name -> contents of each file in a new folder
  bytesRead = 0;

  // Returns the result as text. If the call failed, throws an Error with that text.
  call(name, ...args) {
    let n = 0;
    for (const arg of args.filter((a) => typeof a === "string" || a instanceof Uint8Array)) {
      const bytes = Buffer.from(arg);
      const at = this.module._sst_argument(n++, bytes.length) >>> 0;
      this.module.HEAPU8.set(bytes, at);
    }
    this.pieces = [];
    const numbers = args.filter((a) => typeof a === "number");
    const failed = this.module[`_sst_${name}`](...numbers) !== 0;
    const at = this.module._sst_result() >>> 0;
    const text = Buffer.from(
      this.module.HEAPU8.subarray(at, at + this.module._sst_result_size()),
    ).toString();
    if (failed) throw new Error(text);
    return text;
  }

  open(name, bytes, current = "") {
    this.file = bytes;
    return this.call("open", name, current, bytes.length);
  }

  openFolder(folder) {
    this.takeFolder(folder);
    return this.call("folder", path.basename(folder));
  }

  salvageFolder(folder, newFolder) {
    this.takeFolder(folder);
    this.newFiles.clear();
    return this.call("folder_salvage", path.basename(folder), newFolder);
  }

  takeFolder(folder) {
    this.filesOfFolder = readdirSync(folder).map(
      (name) =>
        new NamedBytes(name, readFileSync(path.join(folder, name)), name === this.unreadable),
    );
  }

  // Returns all entries as `sst dump` writes them, and errors.
  dump(format, decoded = false) {
    this.call("entries", "", "", format === "csv" ? 1 : 0, 0, decoded ? 1 : 0);
    return this.pages("next_entries");
  }

  // Returns all entries of the folder as `sst dump` writes them.
  dumpFolder(format, { history = false, decoded = false } = {}) {
    this.call("folder_pages", "", "", ...[format === "csv", history, decoded].map(Number));
    return this.pages("next_folder_page");
  }

  pages(next) {
    const parts = [];
    const errors = [];
    for (let done = false; !done; ) {
      const text = this.call(next, 2 ** 31, 1 << 20, 500);
      const end = text.indexOf("\n");
      const info = JSON.parse(text.slice(0, end));
      parts.push(text.slice(end + 1));
      errors.push(...info.errors);
      done = info.done;
    }
    return { text: parts.join(""), errors };
  }
}
