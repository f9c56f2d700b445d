/**
 * Lists the modules of the web application, which are the folders directly below `web/`, and the
 * imports between them.
 */
import type { SourceFile } from "./source-files.ts";

/** Folders below all modules. Modules may import any file of these folders. */
const sharedFolders = new Set(["api", "parts", "kinds"]);

const moduleOf = (path: string) => /^web\/([^/]+)\//.exec(path)?.[1] ?? null;

interface ModuleImport {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly target: string;
}

export function listModules(web: readonly SourceFile[]): string[] {
  return [...new Set(web.flatMap(({ path }) => moduleOf(path) ?? []))].sort();
}

/** Lists the imports from one module to another. */
export function listModuleImports(web: readonly SourceFile[]): ModuleImport[] {
  return web.flatMap(({ path: file, imports }) =>
    imports.flatMap((target) => {
      const [from, to] = [moduleOf(file), moduleOf(target)];
      return from === null || to === null || from === to ? [] : [{ from, to, file, target }];
    }),
  );
}

/** Lists imports of files that are not the public interface of their module. */
export function findImportsPastInterface(web: readonly SourceFile[]): ModuleImport[] {
  return listModuleImports(web).filter(
    // `web/app` is exempt, because it composes the application and loads each screen by its file.
    ({ from, to, target }) =>
      from !== "app" && !sharedFolders.has(to) && target !== `web/${to}/index.ts`,
  );
}

/** Returns groups of modules that can all reach each other through imports. */
export function findModuleCycles(web: readonly SourceFile[]): string[][] {
  const next = Map.groupBy(listModuleImports(web), ({ from }) => from);
  const reach = (start: string) => {
    const seen = new Set<string>();
    const pending = [start];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      for (const { to } of next.get(node) ?? []) {
        if (!seen.has(to)) pending.push(to);
        seen.add(to);
      }
    }
    return seen;
  };
  const reached = new Map([...next.keys()].map((node) => [node, reach(node)]));
  const groups = new Map<string, string[]>();
  for (const [node, from] of reached) {
    const group = [...from].filter((other) => reached.get(other)?.has(node)).sort();
    if (group.length > 1) groups.set(group.join(" "), group);
  }
  return [...groups.values()];
}
