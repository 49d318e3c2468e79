// node build.mjs CORE OUT   Makes the package's folder OUT from the sources in src/ and the core,
// which is package.wasm and package.js in CORE. web/build.sh npm packs it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";

const [from, to] = process.argv.slice(2);
const here = import.meta.dirname;
const repo = path.join(here, "../..");
const dist = path.join(to, "dist");

const wasm = readFileSync(path.join(from, "package.wasm"));
const loader = readFileSync(path.join(from, "package.js"), "utf8").split("\nif (typeof exports")[0];
async function bundle(entry, format, file) {
  await build({
    entryPoints: [path.join(here, "src", entry)],
    outfile: path.join(dist, file),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true, // names are kept, for stack traces
    format,
    platform: entry === "node.ts" ? "node" : "browser",
    target: "es2021",
    legalComments: "inline",
    plugins: [
      {
        name: "core",
        setup({ onResolve }) {
          onResolve({ filter: /^core-loader$/ }, () => ({ path: "./loader.mjs", external: true }));
        },
      },
    ],
  });
}

// Combines all modules' declarations in one file, so that users' compilers need not resolve
// imports.
function declarations(entry) {
  const types = path.join(to, "types");
  const modules = ["errors", "sources", "reader", "salvage", "api", entry];
  const text = modules.map((name) => readFileSync(path.join(types, `${name}.d.ts`), "utf8"));
  const own = text
    .join("")
    .replace(/^(import|export (type )?\{|export \*)[^;]*;\n|^\/\/\/.*\n/gm, "");
  return `/// <reference lib="esnext.disposable" />\n${own}`;
}

rmSync(to, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
writeFileSync(path.join(dist, "sstable.wasm"), wasm);
// The loader expects to run in a worker and asks it for its location.
const loaderModule = `const self = { location: { href: "" } };\n${loader}\nexport default SstCore;`;
const { code } = await transform(loaderModule, { minify: true, target: "es2021" });
writeFileSync(path.join(dist, "loader.mjs"), code);
await bundle("node.ts", "cjs", "node.cjs");
// The same instance, whether the package is imported or required.
const { default: cjs } = await import(path.join(dist, "node.cjs"));
writeFileSync(
  path.join(dist, "node.mjs"),
  `import sstable from "./node.cjs";\nexport const { ${Object.keys(cjs).sort().join(", ")} } = sstable;\n`,
);
await bundle("browser.ts", "esm", "browser.mjs");
const tsc = path.join(here, "../node_modules/.bin/tsc");
execFileSync(tsc, ["-p", here, "--outDir", path.join(to, "types")], { stdio: "inherit" });
for (const [entry, file] of [
  ["node", "node.d.mts"],
  ["node", "node.d.cts"],
  ["browser", "browser.d.mts"],
]) {
  writeFileSync(path.join(dist, file), declarations(entry));
}
rmSync(path.join(to, "types"), { recursive: true });
for (const name of ["package.json", "README.md"]) {
  cpSync(path.join(here, name), path.join(to, name));
}
cpSync(path.join(repo, "LICENSE"), path.join(to, "LICENSE"));
// Omits what only the page uses.
const licenses = readFileSync(path.join(here, "../licenses.txt"), "utf8")
  .replace("this page is", "this package is")
  .replace("== uPlot, JSON", "== JSON")
  .replace(/^.*Leon Sorokin\n/m, "");
writeFileSync(path.join(to, "LICENSES.txt"), licenses);
