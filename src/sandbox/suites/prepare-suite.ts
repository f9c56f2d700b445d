import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Mount, scriptFolder } from "../isolation/plan.ts";
import type { CodeCache } from "../runner/launch.ts";
import type { Suite } from "../script-run.ts";
import { readArchive } from "./archive.ts";
import { installPackages, type PackageInstallation } from "./install-packages.ts";
import {
  type Dependencies,
  type FoundConfig,
  findConfig,
  findDependencies,
  readDigest,
} from "./suite.ts";
import { nameCode, type SuiteStore, type Unusable } from "./suite-store.ts";

/** A suite whose code and packages are available on this machine. */
export interface PreparedSuite {
  readonly suite: Suite;
  /** Folder with the code. */
  readonly code: string;
  /** Folder with the packages. */
  readonly packages: string;
  readonly config: FoundConfig;
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly mounts: readonly Mount[];
  /** Cache of compiled code of the packages; `null` if there is no cache. */
  readonly cache: CodeCache | null;
  /** Releases the folders, so that the store may delete them. */
  readonly release: () => void;
}

export interface SuiteTask {
  readonly suite: Suite;
  /** Account that owns the suite. */
  readonly scope: string;
  /** Archive with the code; `null` if the code was already unpacked. */
  readonly content: Buffer | null;
  readonly installation: Omit<PackageInstallation, "folder" | "files" | "nested">;
  /**
   * Identifies the isolation of the script and the installation of Node.js. Compiled code depends
   * on both, so it is stored separately for each combination.
   */
  readonly engine: string;
  /** Compiles the code of the packages and writes the compiled code to a folder. */
  readonly warmUp: (prepared: PreparedSuite, folder: string) => Promise<{ readonly bytes: number }>;
}

/** Name of the folder with compiled code, inside an entry of the store. */
export const cacheName = "cache";

/** File beside the code that lists the files, links and folders for installing the packages. */
const planName = "dependencies.json";

const fault = (reason: string): Unusable => ({ reason, isFault: true });

/** Unpacks the code of a suite and installs its packages, unless an earlier run did so. */
export async function prepareSuite(
  store: SuiteStore,
  task: SuiteTask,
): Promise<PreparedSuite | Unusable> {
  const { suite, scope, content } = task;
  const digest = suite.bundle === null ? null : readDigest(suite.bundle);
  if (digest === null) {
    return fault("The check has no code: deploy it with the command line, or upload an archive.");
  }
  const code = await store.prepare(scope, nameCode(digest), (folder) =>
    unpack(folder, digest, content),
  );
  if (typeof code !== "string") return code;
  const held = [store.hold([code])];
  const release = () => {
    for (const one of held) one();
  };
  try {
    const found = await findParts(store, task, code);
    if ("reason" in found) {
      release();
      return found;
    }
    held.push(store.hold([found.packages]));
    const prepared = { suite, code, ...found, cache: null, release };
    const cache = await findCompiled(store, task, prepared);
    if (cache === null) return prepared;
    held.push(store.hold([cache]));
    return { ...prepared, cache: { folder: join(cache, cacheName), isNew: false } };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Returns the folder with compiled code; `null` if compiling failed. Runs without compiled code are
 * slower.
 */
async function findCompiled(
  store: SuiteStore,
  { scope, engine, warmUp }: SuiteTask,
  prepared: PreparedSuite,
): Promise<string | null> {
  const hash = createHash("sha256").update(JSON.stringify([prepared.packages, engine]));
  const name = `compiled-${hash.digest("hex")}`;
  const found = await store.prepare(scope, name, (folder) => warmUp(prepared, folder));
  return typeof found === "string" ? found : null;
}

async function unpack(folder: string, digest: string, content: Buffer | null) {
  if (content === null) return { reason: "The code was removed meanwhile.", isFault: false };
  if (createHash("sha256").update(content).digest("hex") !== digest) {
    return { reason: "The code differs from its checksum.", isFault: false };
  }
  const archive = await readArchive(content);
  if ("fault" in archive) return fault(`The archive with the code ${archive.fault}.`);
  const dependencies = findDependencies(archive);
  if ("reason" in dependencies) return fault(dependencies.reason);
  const project = join(folder, "project");
  await mkdir(project, { mode: 0o755 });
  for (const { path, content: bytes, isExecutable } of archive.files) {
    const place = join(project, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    await writeFile(place, bytes, { mode: isExecutable ? 0o755 : 0o644 });
  }
  for (const { path, target } of archive.links) {
    const place = join(project, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    await symlink(target, place);
  }
  const { files, links, nested } = dependencies;
  const plan = { paths: files.map(({ path }) => path), links, nested };
  await writeFile(join(folder, planName), JSON.stringify(plan));
  return { bytes: archive.files.reduce((sum, one) => sum + one.content.length, 0) };
}

async function findParts(
  store: SuiteStore,
  { suite, scope, installation }: SuiteTask,
  code: string,
): Promise<Pick<PreparedSuite, "config" | "packages" | "links" | "mounts"> | Unusable> {
  const project = join(code, "project");
  if (!existsSync(join(project, suite.workingDir))) {
    return fault(`The code has no folder ${suite.workingDir}.`);
  }
  const config = findConfig(suite, {
    has: (path) => existsSync(join(project, path)) && !/^\.\.(?:\/|$)/.test(path),
    read: (path) => readIfThere(join(project, path)),
  });
  if ("reason" in config) return fault(config.reason);
  const { paths, links, nested } = JSON.parse(readFileSync(join(code, planName), "utf8")) as {
    readonly paths: readonly string[];
  } & Pick<Dependencies, "links" | "nested">;
  const files = paths.map((path) => ({ path, content: readFileSync(join(project, path)) }));
  const hash = createHash("sha256").update(JSON.stringify([suite.cacheHash, process.arch]));
  for (const { path, content } of files)
    hash.update(`${path}\0${content.length}\0`).update(content);
  const packages = await store.prepare(scope, `packages-${hash.digest("hex")}`, async (folder) => {
    return installPackages({ ...installation, folder, files, nested });
  });
  if (typeof packages !== "string") return packages;
  return { config, packages, ...describeFolders(packages, { links, nested }) };
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

const nestedPackages = "/vedette/nested";

/** Returns the mounts and links that provide the packages where the code expects them. */
function describeFolders(
  packages: string,
  { links, nested }: Pick<Dependencies, "links" | "nested">,
): Pick<PreparedSuite, "links" | "mounts"> {
  const existing = nested.filter((path) => existsSync(join(packages, path)));
  return {
    links: [
      ...links.map(({ path, target }) => ({ path, target: join(scriptFolder, target) })),
      ...existing.map((path) => ({ path, target: join(nestedPackages, path) })),
    ],
    mounts: [
      { source: join(packages, "node_modules"), target: "/node_modules" },
      ...existing.map((path) => ({
        source: join(packages, path),
        target: join(nestedPackages, path),
      })),
    ],
  };
}
