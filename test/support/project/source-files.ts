import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const projectFolder = resolve(import.meta.dirname, "../../..");

export interface SourceFile {
  /** Path relative to the project folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Paths of the project files that this file imports. */
  readonly imports: readonly string[];
}

/**
 * Matches the import forms `from "…"`, `import "…"` and `import("…")`, and a worker's `new URL("…",
 * import.meta.url)`.
 */
const importPattern =
  /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)"(\.{1,2}\/[^"]+\.(?:tsx?|js|json))"/g;

export function findImports(path: string, text: string): string[] {
  return [...text.matchAll(importPattern)].map(([, target = ""]) =>
    relative(projectFolder, resolve(projectFolder, dirname(path), target)),
  );
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(projectFolder, path), "utf8");
  return { path, text, lines: text.trimEnd().split("\n"), imports: findImports(path, text) };
}

export function readSourceFiles(...patterns: readonly string[]): SourceFile[] {
  return globSync([...patterns], { cwd: projectFolder })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("node_modules/"))
    .sort()
    .map(readSourceFile);
}

/** Returns one path of files for every import cycle. */
export function findImportCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
