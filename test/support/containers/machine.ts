/**
 * A namespace of mounts and one of networks in which containers run. Both disappear with their
 * process, so no mount remains after a test.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createEmptyCluster } from "../../../src/platform/embedded-postgres/index.ts";
import { findLack } from "../programs/programs.ts";
import { readDockerStages } from "../project/deploy-files.ts";
import { projectFolder } from "../project/source-files.ts";

export interface ContainerMachine {
  /** Folder of the test for bundles, volumes and sockets. */
  readonly folder: string;
  readonly rootfs: string;
  /** Instructions of the image that describe how it runs. */
  readonly image: readonly { readonly name: string; readonly text: string }[];
  /** Files and folders of the checkout that the image contains. */
  readonly copied: readonly { readonly source: string; readonly destination: string }[];
  readonly networkNamespace: string;
  /** Returns the command that runs in the namespaces. */
  readonly enter: (...command: string[]) => readonly [string, ...string[]];
  /** Sends a request to the server on the port of the image. */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
}

interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of many routes
  readonly body: any;
}

/** Returns why containers cannot run here, or `false`. */
export function findContainerLack(): string | false {
  if (process.getuid?.() !== 0) return "NOT TESTED: containers require root";
  return findLack("runc", "setcap", "setpriv", "ip");
}

/** Copied from the host, because a Debian base image needs a network. */
const hostFolders = ["bin", "lib", "lib32", "lib64", "sbin"];
const accounts = {
  passwd: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
  group: "root:x:0:\nnogroup:x:65534:\n",
  shadow: "root:*:1::::::\nnobody:*:1::::::\n",
  gshadow: "root:*::\nnogroup:*::\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  hosts: "127.0.0.1 localhost\n",
};

function layOutRoot(rootfs: string): void {
  for (const name of ["app", "data", "dev", "etc", "proc", "sys", "tmp", "usr", "var"]) {
    mkdirSync(join(rootfs, name), { recursive: true });
  }
  for (const name of hostFolders) symlinkSync(`usr/${name}`, join(rootfs, name));
  for (const [name, text] of Object.entries(accounts))
    writeFileSync(join(rootfs, "etc", name), text);
  for (const name of ["ld.so.cache", "login.defs"]) {
    cpSync(join("/etc", name), join(rootfs, "etc", name), { force: true });
  }
}

/** Mounts the programs of the host. Programs that the Dockerfile adds are only in the container. */
function listMounts(folder: string, rootfs: string): string[] {
  const layers = join(folder, "layers");
  return [
    `mkdir -p ${layers} && mount -t tmpfs none ${layers}`,
    `mkdir ${layers}/upper ${layers}/work`,
    `mount -t overlay overlay -o lowerdir=/usr,upperdir=${layers}/upper,workdir=${layers}/work ${rootfs}/usr`,
    "ip link set lo up",
    'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range',
  ];
}

/** Forwards a unix socket to the server in the network namespace. */
const forwarder = `
  const { connect, createServer } = require("node:net");
  const port = Number(process.argv[2]);
  createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => { near.destroy(); far.destroy(); });
    near.pipe(far).pipe(near);
  }).listen(process.argv[1]);
`;

async function startHolder(t: TestContext, script: string): Promise<ChildProcess> {
  const holder = spawn("unshare", ["-m", "-n", "sh", "-ec", `${script}\necho ready\nexec cat`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => holder.kill("SIGKILL"));
  const [text] = await Promise.race([once(holder.stdout, "data"), once(holder, "close")]);
  if (String(text).trim() !== "ready") throw new Error("The namespaces cannot be set up.");
  return holder;
}

function call(socketPath: string): ContainerMachine["call"] {
  return async (method, path, { body, key } = {}) => {
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const request = httpRequest({ socketPath, method, path, headers });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(request, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isJson = /json/.test(String(response.headers["content-type"]));
    return { status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text };
  };
}

/**
 * Follows the Dockerfile with the files of this checkout: it copies nothing but mounts the folders,
 * and runs every command of the last stage that needs no network.
 */
export async function startContainerMachine(t: TestContext): Promise<ContainerMachine> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-containers-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const rootfs = join(folder, "rootfs");
  layOutRoot(rootfs);
  const cluster = join(folder, "empty-cluster");
  // Users of containers reach the mounted folders.
  chmodSync(folder, 0o711);
  await createEmptyCluster(cluster);
  const holder = await startHolder(t, listMounts(folder, rootfs).join("\n"));
  const enter = (...command: string[]) =>
    ["nsenter", "-m", "-n", "-t", String(holder.pid), "--", ...command] as const;
  const image = readDockerStages().at(-1) ?? [];
  const run = image.filter(({ name, text }) => name === "RUN" && !text.includes("apt-get"));
  for (const { text } of run) {
    const [program, ...list] = enter("chroot", rootfs, "sh", "-ec", text);
    execFileSync(program, list, { stdio: "pipe" });
  }
  const copied = image
    .filter(({ name, text }) => name === "COPY" && !text.startsWith("--from"))
    .flatMap(({ text }) => text.split(/\s+/).slice(0, -1))
    .concat("node_modules")
    .map((path) => ({ source: join(projectFolder, path), destination: join("/app", path) }));
  const socket = join(folder, "server.sock");
  const port = image.find(({ name }) => name === "EXPOSE")?.text ?? "";
  const [program, ...list] = enter(process.execPath, "-e", forwarder, socket, port);
  const forward = spawn(program, list, { stdio: ["ignore", "ignore", "inherit"] });
  t.after(() => forward.kill("SIGKILL"));
  return {
    ...{ folder, rootfs, image, enter },
    copied: [...copied, { source: cluster, destination: "/app/empty-cluster" }],
    networkNamespace: `/proc/${holder.pid}/ns/net`,
    call: call(socket),
  };
}
