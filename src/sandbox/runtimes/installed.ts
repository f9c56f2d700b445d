import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  explainUninstallable,
  findPackages,
  packageLists,
  resolveName,
  titleOf,
} from "./packages.ts";

/** An installed runtime, in which scripts can run. */
export interface InstalledRuntime {
  readonly name: string;
  /** Read-only folder that contains `node_modules`. */
  readonly folder: string;
  /** Path of the runtime's own Node.js binary, or of the browser program. */
  readonly nodePath: string;
}

/** Record of a complete installation, written last. Incomplete installations have no record. */
export interface Installation {
  /** Digest of the lock file that was installed. */
  readonly digest: string;
  readonly arch: string;
  readonly nodeVersion: string;
  readonly packageCount: number;
  readonly sizeBytes: number;
  readonly installedAt: string;
}

export const recordName = "installation.json";

/** Reads the record of an installation; `null` if the runtime is missing or incomplete. */
export function readInstallation(runtimesFolder: string, name: string): Installation | null {
  try {
    return JSON.parse(readFileSync(join(runtimesFolder, name, recordName), "utf8"));
  } catch {
    return null;
  }
}

/** Returns a runtime, or a sentence that explains why it cannot be used and what to do. */
export function findRuntime(
  runtimesFolder: string,
  requested: string | null,
  lists = packageLists,
): InstalledRuntime | { readonly reason: string } {
  const name = resolveName(requested);
  const packages = findPackages(name, lists);
  if (packages === null || packages.programPath === null) {
    return { reason: explainUninstallable(name, lists) ?? "" };
  }
  const installation = readInstallation(runtimesFolder, name);
  const command = `run \`npm run vedette runtime install ${name}\` on this machine`;
  if (installation === null) {
    return { reason: `${titleOf(name)} is not installed: ${command}.` };
  }
  if (installation.arch !== process.arch || installation.digest !== packages.digest) {
    return { reason: `${titleOf(name)} was installed for another version of Vedette: ${command}.` };
  }
  const root = join(runtimesFolder, name);
  const folder = join(root, "packages");
  const nodePath = join(folder, packages.programPath);
  return { name, folder, nodePath };
}
