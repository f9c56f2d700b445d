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
 * Isolation tiers, the strongest first. A1: root creates namespaces, and the script runs as a
 * separate user. A2: an ordinary user creates namespaces inside a user namespace. B1 (root) and B2
 * (ordinary user) are for machines that deny namespaces, as most containers do: Landlock limits
 * files and network.
 */
export const isolations = ["A1", "A2", "B1", "B2"] as const;
export type Isolation = (typeof isolations)[number];

/** Lists the isolation tiers that are at least as strong as the operator's setting. */
export function listAllowedIsolations(weakest: "namespaces" | "landlock"): readonly Isolation[] {
  return weakest === "landlock" ? isolations : isolations.filter(hasNamespaces);
}

export const needsRoot = (isolation: Isolation) => isolation === "A1" || isolation === "B1";
export const hasNamespaces = (isolation: Isolation) => isolation === "A1" || isolation === "A2";

export interface SandboxOrder {
  readonly isolation: Isolation;
  /** Number of the sandbox. Sandboxes that run in parallel have different numbers. */
  readonly slot: number;
  readonly mounts: readonly Mount[];
  readonly files: SandboxPlan["files"];
  readonly project?: Project | null;
  readonly workingDir?: string;
  /** Builds the command. All paths of the command start with the root of the sandbox. */
  readonly program: (root: string) => Program;
  readonly usesBrowser?: boolean;
  readonly limits: SandboxLimits;
  readonly timeoutMs: number;
  /** Stops the script when the signal aborts. The result is the same as after a timeout. */
  readonly signal?: AbortSignal;
  readonly egress: EgressOptions;
  /** Receives output of the script. Returns false if the script has written too much. */
  readonly onOutput: (stream: SandboxStream, bytes: Buffer) => boolean;
  readonly onStarted?: () => void;
}

/** Streams of a script: standard output, standard error, and events for Vedette. */
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

/** Timeout for building a sandbox, long enough for a machine that is building many others. */
const buildTimeoutMs = 30_000;

/** First user id for scripts: above the ids of ordinary users, below the ids of containers. */
const firstUserId = 61_000;

/**
 * Returns the user id of the script in a slot; `null` if the script runs as the user of this
 * process.
 */
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

/**
 * Returns environment variables for the script, including the proxy. Clients without proxy support
 * use the transparent ports, which exist only in sandboxes with namespaces.
 */
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
    // Excludes the proxy itself. Otherwise, Node.js would connect to the proxy through the proxy.
    NO_PROXY: proxy,
    no_proxy: proxy,
  };
}

/** Runs one program in a sandbox. No process or file of the run remains afterwards. */
export function runInSandbox(order: SandboxOrder): Promise<SandboxResult> {
  return new Sandbox(order).run();
}

class Sandbox {
  readonly #order: SandboxOrder;
  readonly #egress: Egress;
  /** Folder of a run without namespaces; empty for a run with namespaces. */
  #root = "";
  #port: number | null = null;
  #warden: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #startedMs: number | null = null;
  #end: Exclude<SandboxResult, { kind: "refused" }>["end"] = "vanished";
  #exit: SandboxExit | null = null;
  #refusal: string | null = null;
  /**
   * Output that arrived before the message "started". This is possible, because the message uses
   * another channel. Contains either the script's first output or the reason why the sandbox could
   * not be built.
   */
  readonly #early: { readonly stream: SandboxStream; readonly bytes: Buffer }[] = [];

  constructor(order: SandboxOrder) {
    this.#order = order;
    this.#egress = new Egress(order.egress);
  }

  async run(): Promise<SandboxResult> {
    try {
      if (!hasNamespaces(this.#order.isolation)) await this.#openFolderAndProxy();
    } catch (error) {
      this.#egress.close();
      return { kind: "refused", message: error instanceof Error ? error.message : String(error) };
    }
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
    // The warden ends the processes of the script, unless the warden itself was killed.
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
    // The user of the script needs access to subfolders.
    chmodSync(this.#root, 0o711);
  }

  #start(): ChildProcess {
    const { isolation } = this.#order;
    const cache = getCompileCacheDir();
    const unshare =
      isolation === "A1" ? ["unshare", ...namespaces] : ["unshare", ...asUser, ...namespaces];
    // Without `--disable-sigusr1`, the signal SIGUSR1 would start the warden's debugger. A script
    // that runs as the same user could send this signal.
    const flags = ["--disable-sigusr1", "--disable-warning=ExperimentalWarning"];
    const node = [process.execPath, ...flags];
    const start = [...(hasNamespaces(isolation) ? unshare : []), ...node];
    const [command = "", ...values] = [...start, join(sources, "warden.ts")];
    const warden = spawn(command, values, {
      stdio: ["ignore", "pipe", "pipe", "pipe", "ipc"],
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        // Passes the parent folder of the compile cache, because Node.js adds a subfolder for the
        // user of the process.
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
    // Without namespaces, only the warden can find and stop all processes of the script.
    if (this.#root !== "") {
      this.#send({ kind: "stop" });
      return;
    }
    try {
      process.kill(-id, "SIGKILL");
    } catch {
      // The process has already ended.
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
