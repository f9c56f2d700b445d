import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { defaultRuntime, runtimes } from "./runtime.ts";

/** Folder with the package lists of the product. Each runtime has a subfolder. */
export const packageLists = join(import.meta.dirname, "../../../runtimes");

/** Name of the browser's package list. The browser is installed in the same way as a runtime. */
export const chromiumName = "chromium";

/** Formats the name of a runtime or of the browser as the subject of a sentence. */
export const titleOf = (name: string) => (name === chromiumName ? "Chromium" : `Runtime ${name}`);

/** The packages that npm installs for one runtime on this machine. */
export interface RuntimePackages {
  readonly name: string;
  /** Folder that contains `package.json` and `package-lock.json`. */
  readonly folder: string;
  /** Digest of the lock file. An installation with another digest has other packages. */
  readonly digest: string;
  readonly nodeVersion: string;
  /** Path of Node.js or of the browser in the installation; `null` on unsupported machines. */
  readonly programPath: string | null;
  /** Paths of the packages for this machine, relative to the installation. */
  readonly paths: readonly string[];
}

interface Locked {
  readonly version?: string;
  /** Operating systems that a package supports. Some packages have a string instead of a list. */
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

function isFor(value: string, allowed: string | readonly string[] = []): boolean {
  const rules = [allowed].flat();
  if (rules.includes(value)) return true;
  return !rules.includes(`!${value}`) && rules.every((rule) => rule.startsWith("!"));
}

function readPackages(name: string, folder: string): RuntimePackages {
  const text = readFileSync(join(folder, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text);
  const locked = Object.entries<Locked>(packages);
  const isForMachine = ({ os, cpu }: Locked) =>
    isFor(process.platform, os) && isFor(process.arch, cpu);
  const here = locked.filter(([path, one]) => path !== "" && isForMachine(one));
  const ofNode = (path: string) => /^node_modules\/node-linux-\w+$/.test(path);
  return {
    name,
    folder,
    digest: createHash("sha256").update(text).digest("hex"),
    nodeVersion: locked.find(([path]) => ofNode(path))?.[1].version ?? "",
    programPath:
      name === chromiumName
        ? (isForMachine(packages[""]) && "chromium/headless-shell") || null
        : (here
            .map(([path]) => path)
            .find(ofNode)
            ?.concat("/bin/node") ?? null),
    paths: here.map(([path]) => path),
  };
}

/** Cache of parsed package lists, which are part of the product and never change at run time. */
const known = new Map<string, RuntimePackages>();

/** Returns the packages of a runtime; `null` if its package list is missing or damaged. */
export function findPackages(name: string, lists = packageLists): RuntimePackages | null {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return null;
  const folder = join(lists, name);
  const found = known.get(folder);
  if (found !== undefined) return found;
  try {
    const packages = readPackages(name, folder);
    known.set(folder, packages);
    return packages;
  } catch {
    return null;
  }
}

/** Lists the names of the runtimes that can be installed, newest first. */
export function listInstallable(lists = packageLists): readonly string[] {
  return runtimes.map(({ name }) => name).filter((name) => findPackages(name, lists) !== null);
}

/** Explains why a runtime cannot be installed; `null` if it can be installed. */
export function explainUninstallable(name: string, lists = packageLists): string | null {
  const packages = findPackages(name, lists);
  if (packages === null) {
    if (existsSync(join(lists, name, "package-lock.json"))) {
      return `The package list of runtime ${name} is damaged: restore the folder runtimes/${name} of this version of Vedette.`;
    }
    const names = listInstallable(lists).join(" or ");
    return runtimes.some((runtime) => runtime.name === name)
      ? `Runtime ${name} cannot be installed: use ${names}.`
      : `There is no runtime ${name}: use ${names}.`;
  }
  if (packages.programPath !== null) return null;
  const machine = `${process.platform} on ${process.arch}`;
  if (name === chromiumName) {
    return `npm has Chromium for Linux on x64, and this machine is ${machine}: run \`apt install chromium-headless-shell\`.`;
  }
  return `Runtime ${name} runs on Linux on x64 and arm64, and this machine is ${machine}.`;
}

/** Returns the name of a runtime. `null` stands for the default runtime. */
export function resolveName(name: string | null): string {
  return name ?? defaultRuntime.name;
}

/**
 * Lists the packages that the catalogue names for a runtime but that are not installed with the
 * runtime, because the npm registry does not have the version in the catalogue. Ignores names of
 * modules that are part of Node.js or of another package.
 */
export function listLeftOut(name: string, lists = packageLists): Readonly<Record<string, string>> {
  const packages = findPackages(name, lists);
  const runtime = runtimes.find((one) => one.name === name);
  if (packages === null || runtime === undefined) return {};
  const { dependencies } = JSON.parse(readFileSync(join(packages.folder, "package.json"), "utf8"));
  const isThere = (dependency: string) =>
    dependency in dependencies || isBuiltin(dependency) || dependency.startsWith("protobufjs/");
  return Object.fromEntries(
    Object.entries(runtime.dependencies).filter(([dependency]) => !isThere(dependency)),
  );
}
