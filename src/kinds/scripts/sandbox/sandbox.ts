import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, mkdtempSync, statSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { ScriptConnection } from "../script-run.ts";
import { Egress, type EgressOptions } from "./egress.ts";
import {
  eventsDescriptor,
  type Mount,
  type Program,
  type Project,
  proxyPort,
  type SandboxExit,
  type SandboxLimits,
  type SandboxMessage,
  type SandboxPlan,
  scriptFolder,
  temporaryFolder,
  type WardenMessage,
} from "./plan.ts";
import { endProcessesOf, removeFolder } from "./processes.ts";

/**
 * A1: root creates namespaces, and the script runs as a separate user. A2: an ordinary user creates
 * them, inside a user namespace. B1 and B2: started by root or an ordinary user where namespaces
 * are forbidden, as in most containers; there Landlock limits files and network.
 */
export const isolations = ["A1", "A2", "B1", "B2"] as const;
export type Isolation = (typeof isolations)[number];

/** The weakest one that an operator allows. */
export function listAllowedIsolations(weakest: "namespaces" | "landlock"): readonly Isolation[] {
  return weakest === "landlock" ? isolations : isolations.filter(hasNamespaces);
}

export const needsRoot = (isolation: Isolation) => isolation === "A1" || isolation === "B1";
export const hasNamespaces = (isolation: Isolation) => isolation === "A1" || isolation === "A2";

export interface SandboxOrder {
  readonly isolation: Isolation;
  /** Distinct for all sandboxes that run at the same time. */
  readonly slot: number;
  readonly mounts: readonly Mount[];
  readonly files: SandboxPlan["files"];
  readonly project?: Project | null;
  readonly workingDir?: string;
  /** Builds the command from the root of the sandbox, with which its paths begin. */
  readonly program: (root: string) => Program;
  readonly usesBrowser?: boolean;
  readonly limits: SandboxLimits;
  readonly timeoutMs: number;
  /** Ends the script as the timeout does. */
  readonly signal?: AbortSignal;
  readonly egress: EgressOptions;
  /** Output of the script. It returns false once there was too much. */
  readonly onOutput: (stream: SandboxStream, bytes: Buffer) => boolean;
  readonly onStarted?: () => void;
}

/** Standard output, standard error, and the events that our own reporter writes. */
export type SandboxStream = "output" | "error" | "events";

export type SandboxResult =
  | {
      readonly kind: "ended";
      readonly end: "exited" | "timed-out" | "memory" | "processes" | "output" | "vanished";
      readonly exit: SandboxExit | null;
      readonly durationMs: number;
      readonly connections: readonly ScriptConnection[];
      readonly areConnectionsCut: boolean;
    }
  /** The sandbox could not be built. */
  | { readonly kind: "refused"; readonly message: string };

/** For building the sandbox, on a machine that is busy with others. */
const buildTimeoutMs = 30_000;

/** Above the ids that systems give to users, and below those of containers. */
const firstUserId = 61_000;

/** The user of the scripts in a slot; `null` for the user of this process. */
export function findUserId(isolation: Isolation, slot: number): number | null {
  return needsRoot(isolation) ? firstUserId + slot : null;
}

const sources = import.meta.dirname;
const namespaces = [
  "--mount",
  "--pid",
  "--fork",
  "--net",
  "--ipc",
  "--uts",
  "--cgroup",
  "--kill-child=SIGKILL",
];
const asUser = ["--user", "--map-root-user"];

const trustedAuthorities = "/vedette/authorities.pem";
const readableByAll = 0o004;

function mountAuthorities(source: string | undefined): readonly Mount[] {
  const mode = source === undefined ? 0 : (statSync(source, { throwIfNoEntry: false })?.mode ?? 0);
  return source === undefined || (mode & readableByAll) === 0
    ? []
    : [{ source, target: trustedAuthorities }];
}

/** Clients without proxy support use the transparent ports, where there are namespaces. */
function describeEnvironment(root: string, port: number): Readonly<Record<string, string>> {
  const proxy = `127.0.0.1:${port}`;
  const url = `http://${proxy}`;
  return {
    HOME: join(root, scriptFolder),
    PATH: "/usr/local/bin:/usr/bin:/bin",
    TMPDIR: join(root, temporaryFolder),
    LANG: "C.UTF-8",
    TZ: "UTC",
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NODE_USE_ENV_PROXY: "1",
    // Excludes the proxy itself: a client with its own proxy support would otherwise reach it
    // through the proxy support of Node.js.
    NO_PROXY: proxy,
    no_proxy: proxy,
  };
}

/** Runs one program in a sandbox. Nothing of it remains afterwards. */
export function runInSandbox(order: SandboxOrder): Promise<SandboxResult> {
  return new Sandbox(order).run();
}

class Sandbox {
  readonly #order: SandboxOrder;
  readonly #egress: Egress;
  /** The folder of a run without namespaces. */
  #root = "";
  #port: number | null = null;
  #warden: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #startedMs: number | null = null;
  #end: Exclude<SandboxResult, { kind: "refused" }>["end"] = "vanished";
  #exit: SandboxExit | null = null;
  #refusal: string | null = null;
  /**
   * Output that arrived before the message "started", which takes another channel. It is the first
   * output of the script, or the reason why the sandbox could not be built.
   */
  readonly #early: { readonly stream: SandboxStream; readonly bytes: Buffer }[] = [];

  constructor(order: SandboxOrder) {
    this.#order = order;
    this.#egress = new Egress(order.egress);
  }

  async run(): Promise<SandboxResult> {
    if (!hasNamespaces(this.#order.isolation)) await this.#openFolderAndProxy();
    const warden = this.#start();
    this.#timer = setTimeout(() => this.#stop("timed-out"), buildTimeoutMs);
    const { signal } = this.#order;
    const abort = () => this.#stop("timed-out");
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await new Promise<void>((resume) => {
        warden.once("close", () => resume());
        warden.once("error", (error) => {
          this.#refusal = error.message;
          resume();
        });
      });
    } finally {
      clearTimeout(this.#timer);
      signal?.removeEventListener("abort", abort);
      this.#egress.close();
      if (this.#root !== "") this.#removeRest();
    }
    return this.#report();
  }

  #removeRest(): void {
    const { isolation, slot } = this.#order;
    // The warden ends what the script started unless it was killed itself.
    if (this.#exit === null) {
      endProcessesOf({ root: this.#root, userId: findUserId(isolation, slot) });
    }
    removeFolder(this.#root);
  }

  async #openFolderAndProxy(): Promise<void> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#egress.serveProxy(server);
    this.#root = mkdtempSync(join(tmpdir(), "vedette-script-"));
    // The user of the script must be able to enter subfolders.
    chmodSync(this.#root, 0o711);
  }

  #start(): ChildProcess {
    const { isolation } = this.#order;
    const cache = getCompileCacheDir();
    const unshare =
      isolation === "A1" ? ["unshare", ...namespaces] : ["unshare", ...asUser, ...namespaces];
    // Without this flag, a script of the same user could start the warden's debugger with SIGUSR1.
    const flags = ["--disable-sigusr1", "--disable-warning=ExperimentalWarning"];
    const node = [process.execPath, ...flags];
    const start = [...(hasNamespaces(isolation) ? unshare : []), ...node];
    const [command = "", ...values] = [...start, join(sources, "warden.ts")];
    const warden = spawn(command, values, {
      stdio: ["ignore", "pipe", "pipe", "pipe", "ipc"],
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        // A subfolder of it belongs to the user of this process.
        ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }),
      },
      detached: true,
    });
    this.#warden = warden;
    warden.on("message", (message, handle) => this.#take(message as WardenMessage, handle));
    this.#collect("output", warden.stdout);
    this.#collect("error", warden.stderr);
    this.#collect("events", warden.stdio[eventsDescriptor] as Readable);
    if (warden.pid !== undefined) this.#send({ kind: "start", plan: this.#plan() });
    return warden;
  }

  #send(message: SandboxMessage): void {
    this.#warden?.send(message, () => {});
  }

  #plan(): SandboxPlan {
    const { isolation, slot, files, limits, egress, usesBrowser = false } = this.#order;
    const { project = null, workingDir = "" } = this.#order;
    const { command, environment } = this.#order.program(this.#root);
    const port = this.#port ?? proxyPort;
    const authorities = mountAuthorities(egress.authorities);
    const general = {
      ...describeEnvironment(this.#root, port),
      ...(authorities.length > 0 && { NODE_EXTRA_CA_CERTS: join(this.#root, trustedAuthorities) }),
    };
    const reserved = { VEDETTE_ROOT: this.#root, VEDETTE_PROXY: `http://127.0.0.1:${port}` };
    return {
      root: this.#root,
      port: this.#port,
      userId: findUserId(isolation, slot),
      limits,
      program: { command, environment: { ...general, ...environment, ...reserved } },
      mounts: [...this.#order.mounts, ...authorities],
      ...{ files, project, workingDir, usesBrowser },
    };
  }

  #collect(stream: SandboxStream, readable: Readable | null): void {
    readable?.on("error", () => {});
    readable?.on("data", (bytes: Buffer) => {
      if (this.#startedMs === null) this.#early.push({ stream, bytes });
      else this.#pass(stream, bytes);
    });
  }

  #pass(stream: SandboxStream, bytes: Buffer): void {
    if (!this.#order.onOutput(stream, bytes)) this.#stop("output");
  }

  #take(message: WardenMessage, handle: unknown): void {
    switch (message.kind) {
      case "listener":
        if (message.port === proxyPort) this.#egress.serveProxy(handle as Server);
        else this.#egress.serveTransparently(handle as Server, message.port);
        return;
      case "name-server":
        this.#egress.serveNames(handle as DatagramSocket);
        return;
      case "started":
        this.#startedMs = performance.now();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#stop("timed-out"), this.#order.timeoutMs);
        this.#order.onStarted?.();
        for (const { stream, bytes } of this.#early.splice(0)) this.#pass(stream, bytes);
        return;
      case "refused":
        this.#refusal = message.message;
        return;
      case "ended":
        this.#exit = message.exit;
        if (this.#end === "vanished") this.#end = message.exit.limit ?? "exited";
    }
  }

  #stop(end: "timed-out" | "output"): void {
    if (this.#end !== "vanished") return;
    this.#end = end;
    const id = this.#warden?.pid;
    if (id === undefined) return;
    // Without namespaces, only the warden finds all processes of the script.
    if (this.#root !== "") {
      this.#send({ kind: "stop" });
      return;
    }
    try {
      process.kill(-id, "SIGKILL");
    } catch {
      // The process ended in the meantime.
    }
  }

  #report(): SandboxResult {
    if (this.#startedMs === null) {
      const silent = this.#end === "timed-out" ? "It took too long." : "It ended at once.";
      const written = Buffer.concat(this.#early.map(({ bytes }) => bytes)).toString();
      const message = this.#refusal ?? (written.trim().slice(0, 2_000) || silent);
      return { kind: "refused", message };
    }
    const { connections, isCut } = this.#egress.list();
    return {
      kind: "ended",
      end: this.#end,
      exit: this.#exit,
      durationMs: performance.now() - this.#startedMs,
      connections,
      areConnectionsCut: isCut,
    };
  }
}
