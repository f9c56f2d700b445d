import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { readCode } from "../../../../platform/errors.ts";
import { parseIpv4, parseIpv6 } from "../../../../platform/net/host.ts";
import { buildMeasuredRun, type EchoPacket, type EchoRequest, type EchoRun } from "./echo-run.ts";
import { ICMP6, type IpFamily } from "./packet.ts";

// Parses the output of the `ping` commands of iputils and BusyBox.

interface PingReply {
  /** Index of the packet, starting at 0 for iputils and for BusyBox. */
  readonly sequence: number;
  readonly rttMs: number;
  readonly ttl: number | null;
  readonly duplicate: boolean;
}

interface PingFailure {
  readonly sequence: number;
  readonly message: string;
}

interface PingOutput {
  readonly replies: readonly PingReply[];
  readonly failures: readonly PingFailure[];
}

const REPLY =
  /^\d+ bytes from \S+ (?:\(\S+\): |)?(icmp_seq|seq)=(\d{1,5}) .*?time[=<]([\d.]+) ?ms(.*)$/;
const TTL = /\b(?:ttl|hlim)=(\d{1,3})\b/;
const FAILURE = /^From \S+ (?:\(\S+\) )?icmp_seq=(\d{1,5}) (.{1,200})$/;
const MAX_LINES = 1000;

/**
 * Parses the output of `ping`. Sequence numbers start at 1 for iputils (`icmp_seq`) and at 0 for
 * BusyBox (`seq`).
 */
export function parsePingOutput(text: string, pingCount: number): PingOutput {
  const replies: PingReply[] = [];
  const failures: PingFailure[] = [];
  const isKnown = (sequence: number) => sequence >= 0 && sequence < pingCount;
  for (const line of text.split("\n", MAX_LINES)) {
    const reply = parseReply(line);
    if (reply !== null && isKnown(reply.sequence)) replies.push(reply);
    const failure = FAILURE.exec(line);
    const sequence = Number(failure?.[1] ?? 0) - 1;
    if (failure !== null && isKnown(sequence)) {
      failures.push({ sequence, message: failure[2] ?? "" });
    }
  }
  return { replies, failures };
}

function parseReply(line: string): PingReply | null {
  const match = REPLY.exec(line);
  if (match === null) return null;
  const rttMs = Number(match[3]);
  if (!Number.isFinite(rttMs)) return null;
  const ttl = TTL.exec(line)?.[1];
  return {
    sequence: Number(match[2]) - (match[1] === "icmp_seq" ? 1 : 0),
    rttMs,
    ttl: ttl === undefined ? null : Number(ttl),
    duplicate: (match[4] ?? "").includes("DUP"),
  };
}

const MAX_CHILDREN = 32;
const MAX_WAITING = 1000;
const MAX_OUTPUT_CHARACTERS = 64 * 1024;
/** Minimum interval between packets that `ping` allows unprivileged users. */
const MIN_SPACING_MS = 200;
const OVERRUN_MS = 1000;
const PING_PAYLOAD_BYTES = 56;

type PingProcess = ChildProcessByStdio<null, Readable, Readable>;

interface ChildOutcome {
  readonly output: string;
  readonly complaint: string;
  readonly exitCode: number | null;
  readonly spawnFailure: string | null;
}

/**
 * Starts one `ping` process per run and limits the number of processes. Used only for IP families
 * without a usable socket.
 */
export class PingCommand {
  readonly #program: string;
  readonly #children = new Set<PingProcess>();
  readonly #waiting: (() => void)[] = [];
  #runningCount = 0;
  #knowsNumericFlag = true;
  #closed = false;

  constructor(program = "ping") {
    this.#program = program;
  }

  /** Pings the loopback address. Returns `null` if a reply arrived, otherwise the reason. */
  async findFault(family: IpFamily): Promise<string | null> {
    const address = family === "IPv4" ? "127.0.0.1" : "::1";
    const limits = { pingCount: 1, spacingMs: MIN_SPACING_MS, timeoutMs: 1000 };
    const request = { address, family, ...limits, payloadBytes: PING_PAYLOAD_BYTES };
    let outcome = await this.#spawn(request);
    // BusyBox rejects the unknown option -n. The option is not needed there, because BusyBox never
    // resolves addresses to names.
    if (/invalid option|unrecognized option/.test(outcome.complaint)) {
      this.#knowsNumericFlag = false;
      outcome = await this.#spawn(request);
    }
    if (outcome.spawnFailure !== null) return outcome.spawnFailure;
    if (parsePingOutput(outcome.output, 1).replies.length > 0) return null;
    return outcome.complaint.trim().split("\n")[0] || `exit code ${outcome.exitCode}`;
  }

  async run(request: EchoRequest): Promise<EchoRun> {
    if (this.#closed) return { kind: "interrupted", reason: "The ping engine was closed." };
    if (!isNumericAddress(request.family, request.address)) {
      return { kind: "cannot-check", reason: `"${request.address}" is not a numeric address.` };
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return { kind: "overloaded", reason: `More than ${MAX_WAITING} ping commands are waiting.` };
    }
    // The count stays the same for a run that waited: a finished run hands its slot to the next
    // waiting run.
    if (this.#runningCount < MAX_CHILDREN) this.#runningCount += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const startedAt = Date.now();
    const outcome = await this.#spawn(request);
    const next = this.#waiting.shift();
    if (next === undefined) this.#runningCount -= 1;
    else next();
    if (this.#closed) return { kind: "interrupted", reason: "The ping engine was closed." };
    if (outcome.spawnFailure !== null) {
      return { kind: "cannot-check", reason: `ping command: ${outcome.spawnFailure}` };
    }
    const output = parsePingOutput(outcome.output, request.pingCount);
    // Exit code 1 means that no reply arrived. Exit code 2 means that the command failed, for
    // example because of a missing permission.
    if (output.replies.length === 0 && outcome.exitCode !== 1 && outcome.complaint !== "") {
      return { kind: "cannot-check", reason: `ping command: ${outcome.complaint.trim()}` };
    }
    const packets = describePackets(request, output, startedAt);
    const facts = { mode: "ping", payloadBytes: payloadOf(request), repeats: 0 } as const;
    return buildMeasuredRun(packets, facts);
  }

  /** Kills the child processes that are still running and ends all waiting runs. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
    for (const child of this.#children) child.kill("SIGKILL");
  }

  async #spawn(request: EchoRequest): Promise<ChildOutcome> {
    const nothing = { output: "", complaint: "", exitCode: null };
    if (this.#closed) return { ...nothing, spawnFailure: "closed" };
    try {
      return await this.#waitFor(this.#start(request), request);
    } catch (error) {
      // Node.js emits some spawn failures as events but throws others, such as EPERM for a `ping`
      // whose file capability this process may not have.
      return { ...nothing, spawnFailure: (error as Error).message };
    }
  }

  #start(request: EchoRequest): PingProcess {
    const args = buildPingArguments(request, this.#knowsNumericFlag);
    return spawn(this.#program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { LC_ALL: "C", PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
    });
  }

  #waitFor(child: PingProcess, request: EchoRequest): Promise<ChildOutcome> {
    return new Promise((resolve) => {
      this.#children.add(child);
      let output = "";
      let complaint = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (output.length < MAX_OUTPUT_CHARACTERS) output += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (complaint.length < MAX_OUTPUT_CHARACTERS) complaint += text;
      });
      const killer = setTimeout(() => child.kill("SIGKILL"), totalMs(request) + OVERRUN_MS);
      const finish = (exitCode: number | null, spawnFailure: string | null) => {
        clearTimeout(killer);
        this.#children.delete(child);
        resolve({ output, complaint, exitCode, spawnFailure });
      };
      child.on("error", (error) => {
        const isMissing = readCode(error) === "ENOENT";
        finish(null, isMissing ? "not found" : error.message);
      });
      child.on("close", (exitCode) => finish(exitCode, null));
    });
  }
}

/**
 * Returns the arguments for `ping`. The address must be numeric, because a name could be read as an
 * option and not every `ping` supports `--`.
 */
export function buildPingArguments(request: EchoRequest, knowsNumericFlag = true): string[] {
  if (!isNumericAddress(request.family, request.address)) {
    throw new Error("The ping command accepts numeric addresses only");
  }
  const seconds = (ms: number) => String(Math.max(1, Math.ceil(ms / 1000)));
  return [
    request.family === "IPv4" ? "-4" : "-6",
    ...(knowsNumericFlag ? ["-n"] : []),
    ...["-c", String(request.pingCount)],
    ...["-i", (spacingOf(request) / 1000).toFixed(3)],
    ...["-s", String(payloadOf(request))],
    ...["-W", seconds(request.timeoutMs)],
    ...["-w", seconds(totalMs(request))],
    request.address,
  ];
}

function isNumericAddress(family: IpFamily, address: string): boolean {
  return (family === "IPv4" ? parseIpv4(address) : parseIpv6(address)) !== null;
}

function spacingOf(request: EchoRequest): number {
  return Math.max(request.spacingMs, MIN_SPACING_MS);
}

/**
 * Returns the payload size. `ping` measures round-trip times only if the payload has at least 16
 * bytes.
 */
function payloadOf(request: EchoRequest): number {
  return Math.min(Math.max(16, Math.floor(request.payloadBytes)), 65_000);
}

function totalMs(request: EchoRequest): number {
  return (request.pingCount - 1) * spacingOf(request) + request.timeoutMs + 100;
}

/**
 * Builds the packets of a run. `ping` prints no send times, so `sentAt` is estimated from the
 * spacing.
 */
function describePackets(
  request: EchoRequest,
  output: PingOutput,
  startedAt: number,
): EchoPacket[] {
  const replyType = request.family === "IPv4" ? 0 : ICMP6.echoReply;
  return Array.from({ length: request.pingCount }, (_, sequence) => {
    const answers = output.replies.filter((reply) => reply.sequence === sequence);
    const first = answers.find((reply) => !reply.duplicate);
    const inTime = first !== undefined && first.rttMs <= request.timeoutMs ? first : null;
    const failure = output.failures.find((candidate) => candidate.sequence === sequence);
    const silence = { code: "NO_REPLY", message: `No reply within ${request.timeoutMs} ms` };
    const reason =
      failure === undefined ? silence : { code: "UNREACHABLE", message: failure.message };
    return {
      sequence,
      sent: true,
      sentAt: startedAt + sequence * spacingOf(request),
      rttMs: inTime?.rttMs ?? null,
      ttl: inTime?.ttl ?? null,
      type: inTime === null ? null : replyType,
      code: inTime === null ? null : 0,
      duplicates: answers.filter((reply) => reply.duplicate).length,
      lateReplies: first !== undefined && inTime === null ? 1 : 0,
      error: inTime === null ? reason : null,
    };
  });
}
