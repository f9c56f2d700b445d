import { mkdtempSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./runtimes/workspace.ts";

/**
 * Temporary folders contain content that is still being written. When the content is complete, the
 * folder is renamed. A killed process leaves its temporary folders behind.
 */

const prefix = "new-";
const ownPrefix = () => `${prefix}${process.pid}-`;

export const makeUnfinished = (parent: string) => mkdtemp(join(parent, ownPrefix()));
export const makeUnfinishedSync = (parent: string) => mkdtempSync(join(parent, ownPrefix()));

export const isUnfinished = (name: string) => name.startsWith(prefix);

/** Removes temporary folders of ended processes. Call this before creating a temporary folder. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (isUnfinished(name) && !isOfOther(name)) await removeTree(join(parent, name));
  }
}

/** Returns whether a temporary folder belongs to another running process, such as another probe. */
function isOfOther(name: string): boolean {
  const id = Number(/^new-(\d+)-/.exec(name)?.[1] ?? process.pid);
  if (id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
