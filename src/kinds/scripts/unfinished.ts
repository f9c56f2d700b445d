import { mkdtempSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./runtimes/workspace.ts";

/** Folders that are written before they get their name. A killed process leaves them behind. */

const prefix = "new-";
const ownPrefix = () => `${prefix}${process.pid}-`;

export const makeUnfinished = (parent: string) => mkdtemp(join(parent, ownPrefix()));
export const makeUnfinishedSync = (parent: string) => mkdtempSync(join(parent, ownPrefix()));

export const isUnfinished = (name: string) => name.startsWith(prefix);

/** Removes those of processes that do not exist any more. For use before this one makes any. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (isUnfinished(name) && !isOfOther(name)) await removeTree(join(parent, name));
  }
}

/** Another server or probe may use the same folder. */
function isOfOther(name: string): boolean {
  const id = Number(/^new-(\d+)-/.exec(name)?.[1] ?? process.pid);
  if (id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
