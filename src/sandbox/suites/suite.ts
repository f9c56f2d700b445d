import { basename, dirname, join } from "node:path/posix";
import { findPathFault } from "../files.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import { findPackages, listInstallable } from "../runtimes/packages.ts";
import type { Suite } from "../script-run.ts";
import type { Archive } from "./archive.ts";

/** Returns the SHA-256 in the key of an uploaded file; `null` for an invalid key. */
export const readDigest = (key: string) => /^bundle\/([0-9a-f]{64})$/.exec(key)?.[1] ?? null;

const lockName = "package-lock.json";
/** Lock files of package managers other than npm. */
const foreignLocks: Readonly<Record<string, string>> = {
  "yarn.lock": "Yarn",
  "pnpm-lock.yaml": "pnpm",
  "bun.lock": "Bun",
  "bun.lockb": "Bun",
};

/** What npm needs to install the packages of a project. */
export interface Dependencies {
  /** Manifests, lock file and npm settings of the project. */
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
  /** Links that npm creates in `node_modules` to packages that are part of the project. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Folders with packages, other than the top `node_modules` folder. */
  readonly nested: readonly string[];
}

/**
 * Returns the dependencies of a project, or a sentence that explains why they cannot be installed.
 */
export function findDependencies({ files }: Archive): Dependencies | { readonly reason: string } {
  const lock = files.find(({ path }) => path === lockName);
  if (lock === undefined) return { reason: explainMissingLock(files.map(({ path }) => path)) };
  const packages = readLock(lock.content);
  if (packages === null) {
    return {
      reason: `${lockName} of the code is damaged: run \`npm install\` and deploy it again.`,
    };
  }
  const needed = files.filter(
    ({ path }) =>
      path === lockName ||
      path === ".npmrc" ||
      (basename(path) === "package.json" && !isInPackages(path)),
  );
  const linked = packages.filter(({ isLink }) => isLink);
  const outside = [
    ...packages.map(({ path }) => path),
    ...linked.map(({ resolved }) => resolved),
  ].find((path) => findPathFault(path) !== null);
  if (outside !== undefined) {
    const place = JSON.stringify(outside.slice(0, 200));
    return { reason: `${place} in ${lockName} leads out of the code: include the package.` };
  }
  const nested = packages
    .filter(({ isLink }) => !isLink)
    .flatMap(({ path }) => /^(?!node_modules\/)(.+?\/node_modules)\//.exec(path)?.[1] ?? []);
  return {
    files: needed,
    links: linked.map(({ path, resolved }) => ({ path, target: resolved })),
    nested: [...new Set(nested)],
  };
}

const isInPackages = (path: string) => /(?:^|\/)node_modules\//.test(path);

const cure = "Packages are installed with npm: run `npm install` and deploy the code again.";

function explainMissingLock(paths: readonly string[]): string {
  return explainForeignLock(paths) ?? `The code has no ${lockName}. ${cure}`;
}

/**
 * Explains that the lock file of another package manager is not supported; `null` if npm's lock
 * file exists or if there is no lock file.
 */
export function explainForeignLock(paths: readonly string[]): string | null {
  const foreign = paths.find((path) => Object.hasOwn(foreignLocks, path));
  if (foreign === undefined || paths.includes(lockName)) return null;
  return `${foreign} is not supported: ${foreignLocks[foreign]} is not available to checks. ${cure}`;
}

interface Locked {
  readonly path: string;
  readonly resolved: string;
  readonly isLink: boolean;
}

function readLock(content: Buffer): Locked[] | null {
  try {
    const { packages = {} } = JSON.parse(content.toString("utf8"));
    return Object.entries<{ link?: unknown; resolved?: unknown }>(packages)
      .filter(([path]) => path !== "")
      .map(([path, { link, resolved }]) => ({
        path,
        resolved: typeof resolved === "string" ? resolved : "",
        isLink: link === true,
      }));
  } catch {
    return null;
  }
}

/** The Playwright configuration of a project, and how Node.js loads it. */
export interface FoundConfig {
  /** Path of the configuration, relative to the code; `null` if the project has none. */
  readonly path: string | null;
  /**
   * Folder of the configuration; without a configuration, the folder in which Playwright searches
   * for it.
   */
  readonly folder: string;
  readonly isModule: boolean;
}

const configNames = ["ts", "js", "mts", "mjs", "cts", "cjs"].map(
  (ending) => `playwright.config.${ending}`,
);

/**
 * Finds the configuration by the same rules as Playwright. Returns a sentence with the reason if
 * the specified configuration does not exist.
 */
export function findConfig(
  { workingDir, configPath }: Pick<Suite, "workingDir" | "configPath">,
  { has, read }: { has(path: string): boolean; read(path: string): string | null },
): FoundConfig | { readonly reason: string } {
  const named = configPath === null ? null : join(workingDir, configPath);
  if (named !== null && has(named)) return { path: named, ...describe(named, read) };
  const folder = named ?? (workingDir === "" ? "." : workingDir);
  const found = configNames.map((name) => join(folder, name)).find(has);
  if (found !== undefined) return { path: found, ...describe(found, read) };
  if (named !== null)
    return { reason: `The code has no file ${named}, the configuration of its tests.` };
  return { path: null, folder, isModule: false };
}

function describe(path: string, read: (path: string) => string | null) {
  const folder = dirname(path);
  return { folder, isModule: isModule(path, folder, read) };
}

function isModule(path: string, folder: string, read: (path: string) => string | null): boolean {
  if (/\.m[jt]s$/.test(path)) return true;
  if (/\.c[jt]s$/.test(path)) return false;
  const manifest = read(join(folder, "package.json"));
  if (manifest !== null) {
    try {
      return JSON.parse(manifest).type === "module";
    } catch {
      return false;
    }
  }
  return folder === "." ? false : isModule(path, dirname(folder), read);
}

/** Major version of the Node.js that runs Vedette. */
const ownMajor = process.versions.node.split(".")[0] ?? "";

/**
 * Returns the engine that executes a suite: a runtime by its name (`null` for the default runtime),
 * or the Node.js program that runs Vedette. If the engine or its version is not supported, returns
 * the reason as a sentence.
 */
export function findEngine({
  engine,
  engineVersion,
}: Pick<Suite, "engine" | "engineVersion">):
  | { readonly runtime: string | null }
  | InstalledRuntime
  | { readonly reason: string } {
  const versions = listInstallable().map((name) => ({
    name,
    major: findPackages(name)?.nodeVersion.split(".")[0] ?? "",
  }));
  const known = [...new Set([...versions.map(({ major }) => major), ownMajor])].toSorted();
  const usable = `use Node.js ${known.join(", ").replace(/, (?=\d+$)/, " or ")}`;
  if (engine === "bun") return { reason: `The engine Bun is not supported: ${usable}.` };
  if (engineVersion === null) return { runtime: null };
  const major = /^v?(\d+)/.exec(engineVersion)?.[1] ?? "";
  const found = versions.find((one) => one.major === major);
  if (found !== undefined) return { runtime: found.name };
  if (major === ownMajor) {
    return { name: `node-${ownMajor}`, folder: "", nodePath: process.execPath };
  }
  return { reason: `Node.js ${engineVersion} is not supported: ${usable}.` };
}
