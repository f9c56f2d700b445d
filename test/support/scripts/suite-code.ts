import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { formatEntry, packRuntime, type TinyPackage } from "../servers/npm-registry.ts";

const packagesFolder = resolve(import.meta.dirname, "../../../node_modules");

/**
 * Reads an installed Playwright package of this project, without the files that display reports.
 */
function readPackage(name: string): TinyPackage {
  const folder = join(packagesFolder, name);
  const { dependencies, ...rest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { version, main, exports, bin } = rest;
  const manifest = { name, version, main, exports, bin, dependencies };
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "package.json")
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^lib\/vite\/|\.d\.ts$|^node_modules\//.test(path));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
  return { name, files, manifest };
}

/**
 * Packs the Playwright packages for a registry, and creates the package list that a suite needs.
 */
export function packPlaywright() {
  return packRuntime(["@playwright/test", "playwright", "playwright-core"].map(readPackage));
}

/** Packs files like the public command-line tool. */
export function packCode(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => formatEntry(path, content));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));
}
