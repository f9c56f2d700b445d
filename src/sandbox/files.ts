import type { ScriptFile } from "./script-run.ts";

/** Rules for files beside a script. */

export const maxFilesBytes = 2 * 1_024 * 1_024;
const maxNameLength = 255;

/** A validation error: the path of a field, and the rule that it breaks. */
interface FileFault {
  readonly key: string;
  readonly rule: string;
}

/** Names of the request fields to which validation errors refer. */
const ownNames = { list: "dependencies", script: "scriptPath" };

export function findFileFaults(
  files: readonly ScriptFile[],
  scriptPath: string | null,
  { list, script } = ownNames,
): FileFault[] {
  const size = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (size > maxFilesBytes) return [{ key: list, rule: "must be at most 2 MiB in all" }];
  const taken = new Set(scriptPath === null ? [] : [scriptPath]);
  const folders = new Set([...files.map(({ path }) => path), ...taken].flatMap(listFolders));
  const faults = files.flatMap(({ path }, index): FileFault[] => {
    const key = `${list}.${index}.path`;
    const rule = findPathFault(path);
    if (rule !== null) return [{ key, rule }];
    if (folders.has(path)) return [{ key, rule: "must not be the folder of another file" }];
    if (taken.has(path)) return [{ key, rule: "must be unique" }];
    taken.add(path);
    return [];
  });
  const isFolder = scriptPath !== null && folders.has(scriptPath);
  if (!isFolder) return faults;
  return [{ key: script, rule: "must not be the folder of another file" }, ...faults];
}

/** Lists the folders that contain a path: "a" and "a/b" for "a/b/c.ts". */
function listFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_name, index) => parts.slice(0, index + 1).join("/"));
}

export function findPathFault(path: string): string | null {
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) {
    return "must be a relative path with slashes, without empty parts, . and ..";
  }
  if (/[\p{Cc}\\]/u.test(path)) return "must not contain backslashes and control characters";
  const isLong = names.some((name) => Buffer.byteLength(name) > maxNameLength);
  return isLong ? `must have names of at most ${maxNameLength} bytes` : null;
}
