// node bundle.mjs CORE OUT   Makes the page from the sources in src/ and a core. CORE is a folder
// with core.wasm and core.js, or an earlier page whose core is used again. The page is one file.
// Its Content-Security-Policy allows only its own code to run, and forbids every request.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { toBase85 } from "./base85.mjs";

const [from, to] = process.argv.slice(2);
const here = import.meta.dirname;
const read = (...parts) => readFileSync(path.join(...parts), "utf8");

async function bundled(file) {
  const result = await build({
    entryPoints: [path.join(here, "src", file)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "ascii", // valid whatever the page's encoding
    legalComments: "inline",
  });
  return result.outputFiles[0].text.trim().replace(/<\/(script)/gi, "<\\/$1");
}

const between = (text, start, end) => text.split(start)[1].split(end)[0];

// zopfli writes gzip that is 5 % smaller than zlib's.
const packed = (file) =>
  toBase85(execFileSync("zopfli", ["--i15", "-c", file], { maxBuffer: 1e8 }));

// Returns the core and its loader, packed.
function core() {
  if (statSync(from).isDirectory()) {
    return ["core.wasm", "core.js"].map((name) => packed(path.join(from, name)));
  }
  const page = readFileSync(from, "utf8");
  return ["core", "loader"].map((id) => between(page, `id="${id}">`, "</script>"));
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const [wasm, loader] = core();
const style =
  `${read(here, "node_modules/uplot/dist/uPlot.min.css")}\n${read(here, "src/style.css")}`
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n");
const main = await bundled("main.ts");
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(main)} 'wasm-unsafe-eval' blob:`,
  "worker-src blob:",
  `style-src ${hashOf(style)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const licenses = read(here, "licenses.txt").trim().replace(/&/g, "&amp;").replace(/</g, "&lt;");
const parts = {
  CSP: policy,
  LICENSES: licenses,
  STYLE: style,
  CORE: wasm,
  LOADER: loader,
  WORKER: await bundled("worker.ts"),
  MAIN: main,
};
const page = read(here, "src/index.html").replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
writeFileSync(to, page);
console.log(
  `${to}: ${page.length} bytes, of which core ${wasm.length}, style ${style.length}, ` +
    `loader ${loader.length}, script ${main.length}`,
);
