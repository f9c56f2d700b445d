import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseIpv4, parseIpv6 } from "../../../../platform/net/host.ts";
import { addCounters, createCounters, type EngineCounters, packCounters } from "./counters.ts";
import {
  buildMeasuredRun,
  checkRequest,
  describePacket,
  type EchoMode,
  type EchoPacket,
  type EchoRequest,
  type EchoRun,
  fitPayloadBytes,
} from "./echo-run.ts";
import type { IpFamily, ProcessCookie } from "./packet.ts";
import { PingCommand } from "./ping-command.ts";
import type { FamilyFinding } from "./self-test.ts";
import { explainUnavailable } from "./self-test.ts";
import { FAMILY_V4, FAMILY_V6, type SlotCounts } from "./slots.ts";
import { LOCAL_OVERLOAD, MEASURED, NO_FREE_SLOT, type WireResult } from "./wire.ts";
import { type StartWorker, startWorkerThread, WorkerLink } from "./worker-link.ts";

const DEFAULT_SLOTS: SlotCounts = { smallRuns: 32_768, largeRuns: 4096 };
const DEFAULT_RETRY_MS = 180_000;
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;
const FAMILIES = ["IPv4", "IPv6"] as const;

export interface IcmpEngineOptions {
  /** Receives log lines about the mode of each IP family and about restarts of the worker. */
  readonly log?: (line: string) => void;
  /**
   * Numbers of slots for open runs, which limit how many runs can be open at the same time. There
   * are slots for small runs, which have few packets, and slots for large runs.
   */
  readonly slotCounts?: SlotCounts;
  /** Interval at which the engine tries again to open the sockets of unavailable IP families. */
  readonly retryIntervalMs?: number;
  /** Path of the `ping` program, which is used for IP families without a usable socket. */
  readonly pingProgram?: string;
  /** Replaces the worker thread in tests. */
  readonly startWorker?: StartWorker;
}

export interface FamilyMode {
  readonly mode: EchoMode;
  readonly reason: string;
}

export interface IcmpEngine {
  /** How the engine currently sends echo requests of each IP family, and why. */
  readonly modes: Readonly<Record<IpFamily, FamilyMode>>;
  run(request: EchoRequest): Promise<EchoRun>;
  counters(): EngineCounters;
  close(): Promise<void>;
}

/** Starts the engine and waits for its self-test. Missing permissions never reject the promise. */
export async function startIcmpEngine(options: IcmpEngineOptions = {}): Promise<IcmpEngine> {
  const engine = new Engine(options);
  await engine.start();
  return engine;
}

interface OpenRun {
  readonly request: EchoRequest;
  readonly payloadBytes: number;
  readonly resolve: (run: EchoRun) => void;
}

class Engine implements IcmpEngine {
  modes: Record<IpFamily, FamilyMode> = {
    IPv4: { mode: "none", reason: "The engine is starting." },
    IPv6: { mode: "none", reason: "The engine is starting." },
  };
  readonly #options: IcmpEngineOptions;
  readonly #ping: PingCommand;
  readonly #maxOpenRuns: number;
  readonly #openRuns = new Map<number, OpenRun>();
  #nextRequestId = 1;
  /** The worker that accepts run requests; `null` if no worker is ready. */
  #link: WorkerLink | null = null;
  /** The worker that was started last, which may still be running its self-test. */
  #latestLink: WorkerLink | null = null;
  #formerArenaAddress: bigint | null = null;
  #pastCounters = createCounters();
  #restartMs = FIRST_RESTART_MS;
  #startedMs = 0;
  #timers = new Set<NodeJS.Timeout>();
  #retryTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: IcmpEngineOptions) {
    const { smallRuns, largeRuns } = options.slotCounts ?? DEFAULT_SLOTS;
    this.#options = options;
    this.#ping = new PingCommand(options.pingProgram);
    this.#maxOpenRuns = smallRuns + largeRuns;
  }

  async start(): Promise<void> {
    await this.#startLink();
    const retryMs = this.#options.retryIntervalMs ?? DEFAULT_RETRY_MS;
    this.#retryTimer = setInterval(() => this.#retryUnavailable(), retryMs);
    this.#retryTimer.unref();
  }

  /**
   * Executes a run. The function is not async, because that would create a second promise for each
   * of thousands of open runs.
   */
  run(request: EchoRequest): Promise<EchoRun> {
    return new Promise((resolve) => {
      // An exception of `checkRequest` rejects the promise.
      checkRequest(request);
      const { mode, reason } = this.modes[request.family];
      if (this.#closed) resolve({ kind: "interrupted", reason: "The ping engine was closed." });
      else if (mode === "none") resolve({ kind: "cannot-check", reason });
      else if (mode === "ping") resolve(this.#ping.run(request));
      else this.#order(request, resolve);
    });
  }

  counters(): EngineCounters {
    if (this.#link === null) return this.#pastCounters;
    return addCounters(this.#pastCounters, packCounters(this.#link.counters()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retryTimer !== null) clearInterval(this.#retryTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#ping.close();
    await this.#latestLink?.stop();
  }

  #order(request: EchoRequest, resolve: (run: EchoRun) => void): void {
    const address = packAddress(request);
    const link = this.#link;
    if (address === null) {
      const reason = `"${request.address}" is not an ${request.family} address.`;
      resolve({ kind: "cannot-check", reason });
      return;
    }
    if (link === null) {
      resolve({ kind: "interrupted", reason: "The worker is restarting." });
      return;
    }
    if (this.#openRuns.size >= this.#maxOpenRuns) {
      resolve({ kind: "overloaded", reason: `${this.#maxOpenRuns} runs are open already.` });
      return;
    }
    const payloadBytes = fitPayloadBytes(request.family, request.payloadBytes);
    const requestId = this.#takeRequestId();
    this.#openRuns.set(requestId, { request, payloadBytes, resolve });
    if (this.#openRuns.size === 1) link.keepAlive(true);
    link.submit({
      requestId,
      family: request.family === "IPv4" ? FAMILY_V4 : FAMILY_V6,
      packetCount: request.pingCount,
      spacingMs: request.spacingMs,
      timeoutMs: request.timeoutMs,
      payloadBytes,
      address,
    });
  }

  /**
   * Returns an id that no open run uses and that is smaller than the ids of the worker's self-test.
   */
  #takeRequestId(): number {
    do {
      this.#nextRequestId = (this.#nextRequestId + 1) & 0x7fff_ffff;
    } while (this.#openRuns.has(this.#nextRequestId));
    return this.#nextRequestId;
  }

  #takeResult(result: WireResult): void {
    const open = this.#openRuns.get(result.requestId);
    if (open === undefined) return;
    this.#openRuns.delete(result.requestId);
    if (this.#openRuns.size === 0) this.#link?.keepAlive(false);
    open.resolve(this.#describeResult(open, result));
  }

  #describeResult(open: OpenRun, result: WireResult): EchoRun {
    if (result.outcome === MEASURED) {
      const packets: EchoPacket[] = [];
      for (let index = 0; index < result.packetCount; index += 1) {
        packets.push(describePacket(open.request, index, result.packet(index)));
      }
      const { mode } = this.modes[open.request.family];
      const { payloadBytes } = open;
      return buildMeasuredRun(packets, { mode, payloadBytes, repeats: result.repeats });
    }
    if (result.outcome === LOCAL_OVERLOAD) {
      const reason = "The packet queues of this host overflowed, so the run has no result.";
      return { kind: "local-overload", reason };
    }
    if (result.outcome === NO_FREE_SLOT) {
      return { kind: "overloaded", reason: "The engine has reached its limit of open runs." };
    }
    return { kind: "interrupted", reason: "The ICMP sockets were closed." };
  }

  /** Starts a worker. Resolves when the worker has reported the usable IP families or has ended. */
  #startLink(): Promise<void> {
    this.#startedMs = performance.now();
    return new Promise((resolve) => {
      const link: WorkerLink = new WorkerLink(
        {
          // Every worker gets a new cookie, so that replies to a dead worker's packets are ignored.
          cookie: createCookie(),
          slotCounts: this.#options.slotCounts ?? DEFAULT_SLOTS,
          startWorker: this.#options.startWorker ?? startWorkerThread,
          onResult: (result) => this.#takeResult(result),
          onFamilies: (families) => {
            if (this.#closed) return;
            this.#link = link;
            link.keepAlive(this.#openRuns.size > 0);
            void this.#adoptModes(families, null).then(resolve);
          },
          onExit: (reason) => {
            const hadStarted = this.#link !== null;
            this.#takeExit(link, reason);
            if (hadStarted || this.#closed) resolve();
            else void this.#adoptModes([], reason).then(resolve);
          },
        },
        this.#formerArenaAddress,
      );
      this.#latestLink = link;
    });
  }

  /**
   * Ends all open runs as interrupted after a worker has exited. Their missing replies do not count
   * as packet loss.
   */
  #takeExit(link: WorkerLink, reason: string): void {
    this.#link = null;
    this.#formerArenaAddress = link.arenaAddress;
    this.#pastCounters = addCounters(this.#pastCounters, packCounters(link.counters()));
    const interrupted = [...this.#openRuns.values()];
    this.#openRuns.clear();
    const why = this.#closed ? "The ping engine was closed." : `The worker ended: ${reason}`;
    for (const run of interrupted) run.resolve({ kind: "interrupted", reason: why });
    if (this.#closed) return;
    if (performance.now() - this.#startedMs > HEALTHY_AFTER_MS) this.#restartMs = FIRST_RESTART_MS;
    this.#log(`icmp: the worker ended (${reason}); next start in ${this.#restartMs} ms`);
    this.#later(this.#restartMs, () => void this.#startLink());
    this.#restartMs = Math.min(this.#restartMs * 2, MAX_RESTART_MS);
  }

  async #adoptModes(findings: readonly FamilyFinding[], fault: string | null): Promise<void> {
    for (const family of FAMILIES) {
      const finding = findings.find((candidate) => candidate.family === family) ?? null;
      const next = await this.#decideMode(family, finding, fault);
      const former = this.modes[family];
      this.modes = { ...this.modes, [family]: next };
      if (next.mode !== former.mode || next.reason !== former.reason) {
        this.#log(`icmp: ${family} checks use mode "${next.mode}": ${next.reason}`);
      }
    }
  }

  async #decideMode(
    family: IpFamily,
    finding: FamilyFinding | null,
    workerFault: string | null,
  ): Promise<FamilyMode> {
    if (finding !== null && finding.kind !== null) {
      const chosen = finding.findings.find(({ kind }) => kind === finding.kind);
      const buffer = `${finding.receiveBufferBytes} bytes of receive buffer per socket`;
      return { mode: finding.kind, reason: `${chosen?.detail ?? ""}; ${buffer}` };
    }
    const pingFault = await this.#ping.findFault(family);
    if (pingFault === null) {
      const causes = finding?.findings.map(({ kind, detail }) => `${kind}: ${detail}`) ?? [];
      const cause = workerFault ?? causes.join(", ");
      return { mode: "ping", reason: `one ping process per run, because ${cause}` };
    }
    const reason = explainUnavailable(family, finding, {
      groupId: process.getegid?.() ?? -1,
      pingGroupRange: readPingGroupRange(),
      pingFault,
      workerFault,
    });
    return { mode: "none", reason };
  }

  #retryUnavailable(): void {
    const isMissing = FAMILIES.some((family) => {
      const { mode } = this.modes[family];
      return mode === "none" || mode === "ping";
    });
    if (isMissing) this.#link?.retryFamilies();
  }

  #later(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  #log(line: string): void {
    this.#options.log?.(line);
  }
}

function createCookie(): ProcessCookie {
  const bytes = randomBytes(8);
  return { low: bytes.readUInt32LE(0), high: bytes.readUInt32LE(4) };
}

const addressBytes = new Uint8Array(16);
const addressWords = new Uint32Array(addressBytes.buffer);

/**
 * Returns the address as four words in memory order; `null` if the address is not of the requested
 * IP family. The next call overwrites the words, so `OrderList.add` copies them.
 */
function packAddress(request: EchoRequest): Uint32Array | null {
  const bytes = request.family === "IPv4" ? parseIpv4(request.address) : parseIpv6(request.address);
  if (bytes === null) return null;
  addressBytes.fill(0);
  addressBytes.set(bytes);
  return addressWords;
}

function readPingGroupRange(): string {
  try {
    return readFileSync("/proc/sys/net/ipv4/ping_group_range", "utf8");
  } catch {
    return "unknown";
  }
}
