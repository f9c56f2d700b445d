/** Runs the image as a container with runc, with the rights that Docker gives a container. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { recordName } from "../../../src/sandbox/runtimes/installed.ts";
import { findPackages, resolveName } from "../../../src/sandbox/runtimes/packages.ts";
import { projectFolder } from "../project/source-files.ts";
import type { ContainerMachine } from "./machine.ts";
import {
  defaultCapabilities,
  maskedPaths,
  readonlyPaths,
  seccompProfile,
  systemMounts,
} from "./security.ts";

export interface ContainerOptions {
  readonly name: string;
  /** User instead of the image's, as with `--user`. */
  readonly user?: number;
  /** Whether the container has no capabilities and cannot gain any, as in the Compose files. */
  readonly isHardened?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Container {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Runs a command in the container, as `docker exec` does. */
  readonly exec: (...command: string[]) => {
    readonly code: number | null;
    readonly output: string;
  };
  readonly stop: () => Promise<number | null>;
  readonly kill: () => Promise<void>;
}

const textsOf = ({ image }: ContainerMachine, name: string) =>
  image.filter((one) => one.name === name).map(({ text }) => text);

/** Groups of a user besides its first one, from the image's file of groups. */
function listGroups(machine: ContainerMachine, user: number): number[] {
  return user === Number(textsOf(machine, "USER")[0]) ? [0] : [];
}

function describeProcess(machine: ContainerMachine, options: ContainerOptions) {
  const imageUser = Number(textsOf(machine, "USER")[0]);
  const { user = imageUser, isHardened = false, environment = {} } = options;
  const variables = textsOf(machine, "ENV").flatMap((text) => text.split(/\s+/));
  const [entry = "", command = ""] = ["ENTRYPOINT", "CMD"].flatMap((name) =>
    textsOf(machine, name),
  );
  // The host may lack tini. runc's first process is then the script itself.
  const [, , ...start] = JSON.parse(entry) as string[];
  return {
    // A user without an entry is in group 0.
    user: {
      uid: user,
      gid: user === imageUser ? user : 0,
      additionalGids: listGroups(machine, user),
    },
    args: [...start, ...JSON.parse(command)],
    env: [...variables, ...Object.entries(environment).map((pair) => pair.join("="))],
    cwd: "/app",
    capabilities: { bounding: isHardened ? [] : defaultCapabilities },
    noNewPrivileges: isHardened,
  };
}

function describeContainer(machine: ContainerMachine, options: ContainerOptions, data: string) {
  const bind = (source: string, destination: string, mode: "ro" | "rw") => ({
    ...{ destination, source, type: "bind" },
    options: ["rbind", "rprivate", mode],
  });
  return {
    ociVersion: "1.0.2",
    process: describeProcess(machine, options),
    root: { path: machine.rootfs, readonly: true },
    hostname: "vedette",
    mounts: [
      ...systemMounts,
      ...machine.copied.map(({ source, destination }) => bind(source, destination, "ro")),
      bind(data, "/data", "rw"),
      bind(
        join(projectFolder, "node_modules"),
        join("/data", runtimePackages, "node_modules"),
        "ro",
      ),
    ],
    linux: {
      namespaces: [
        ...["pid", "ipc", "uts", "mount", "cgroup"].map((type) => ({ type })),
        { type: "network", path: machine.networkNamespace },
      ],
      seccomp: seccompProfile,
      // Vite is a development dependency, which the image lacks.
      maskedPaths: [...maskedPaths, "/app/node_modules/vite"],
      readonlyPaths,
    },
  };
}

/** Folder of the volume in which the packages of the runtime for scripts are mounted. */
const runtimePackages = join("runtimes", resolveName(null), "packages");

/**
 * Installs the newest runtime for scripts. Its packages are those of this checkout, because others
 * need a network.
 */
function installRuntime(data: string): void {
  const { digest } = findPackages(resolveName(null)) ?? assert.fail(resolveName(null));
  const folder = join(data, runtimePackages);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const record = join(dirname(folder), recordName);
  writeFileSync(record, JSON.stringify({ digest, arch: process.arch }));
}

/** Creates a volume with the owner and the permissions of the image's folder, as Docker does. */
function createVolume(machine: ContainerMachine, data: string): void {
  const { uid, gid, mode } = statSync(join(machine.rootfs, "data"));
  mkdirSync(data, { recursive: true });
  chownSync(data, uid, gid);
  chmodSync(data, mode);
  installRuntime(data);
}

/** Starts a container on the volume of its name. Its root file system is read-only. */
export function startContainer(
  t: TestContext,
  machine: ContainerMachine,
  options: ContainerOptions,
): Container {
  const bundle = join(machine.folder, options.name);
  const data = join(bundle, "data");
  if (!existsSync(data)) createVolume(machine, data);
  const config = describeContainer(machine, options, data);
  writeFileSync(join(bundle, "config.json"), JSON.stringify(config));
  const id = `vedette-${process.pid}-${options.name}`;
  const runc = (...list: string[]) =>
    machine.enter("runc", "--root", join(machine.folder, "runc"), ...list);
  const [program, ...list] = runc("run", "--bundle", bundle, id);
  const child = spawn(program, list, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk);
    });
  }
  const closed = once(child, "close");
  const exec = (...command: string[]) => {
    const [file, ...rest] = runc("exec", id, ...command);
    const { status, stdout, stderr } = spawnSync(file, rest, { encoding: "utf8" });
    return { code: status, output: stdout + stderr };
  };
  const signal = (name: string) => {
    const [file, ...rest] = runc("kill", id, name);
    spawnSync(file, rest);
  };
  const stop = async () => {
    signal("TERM");
    await closed;
    return child.exitCode;
  };
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) signal("KILL");
    await closed;
  };
  t.after(kill);
  return { process: child, output: () => output, exec, stop, kill };
}
