import { ERRNO, nameErrno } from "../../../wire/kernel/kernel-layout.ts";
import type { EchoLoop } from "./echo-loop.ts";
import type { IpFamily } from "./packet.ts";
import { ANSWERED, FAMILY_V4, FAMILY_V6 } from "./slots.ts";
import type { SocketKind } from "./socket.ts";
import { copyPackets, readResults, type WirePacket } from "./wire.ts";

/**
 * First request id of the worker's self-test. The main thread ignores results with ids of the
 * self-test.
 */
const FIRST_INTERNAL_ID = 0xffff_0000;
const TEST_PACKETS = 3;
const TEST_SPACING_MS = 5;
const STAMP_ATTEMPTS = 10;
const TEST_TIMEOUT_MS = 500;
const TEST_LIMIT_MS = 1500;
const SLOWEST_LOOPBACK_MS = 100;
const LOOPBACK = {
  IPv4: Uint32Array.of(0x0100_007f, 0, 0, 0),
  IPv6: Uint32Array.of(0, 0, 0, 0x0100_0000),
} as const;

interface SocketFinding {
  readonly kind: SocketKind;
  /** Error number of the failed open call; 0 if the sockets could be opened. */
  readonly errno: number;
  readonly verdict: "full" | "no-transmit-stamps" | "no-receive-stamps" | "failed";
  readonly detail: string;
}

/**
 * Result of the self-test for one IP family. `kind` is the kind of socket in use; `null` if none
 * works.
 */
export interface FamilyFinding {
  readonly family: IpFamily;
  readonly kind: SocketKind | null;
  readonly receiveBufferBytes: number;
  readonly findings: readonly SocketFinding[];
}

/**
 * Opens the least privileged kind of socket that passes the self-test. A kind without kernel
 * receive timestamps is used only if no other kind has them.
 */
export function openBestSockets(
  loop: EchoLoop,
  family: IpFamily,
  deliver: (results: Float64Array<ArrayBuffer>) => void,
): FamilyFinding {
  const findings: SocketFinding[] = [];
  for (const kind of ["datagram", "raw"] as const) {
    const finding = tryKind(loop, family, kind, deliver);
    findings.push(finding);
    if (finding.verdict === "full" || finding.verdict === "no-transmit-stamps") {
      return keep(loop, family, finding, findings);
    }
  }
  loop.closeFamily(family);
  const unstamped = findings.find((finding) => finding.verdict === "no-receive-stamps");
  if (unstamped !== undefined && loop.openFamily(family, unstamped.kind) === 0) {
    return keep(loop, family, unstamped, findings);
  }
  return { family, kind: null, receiveBufferBytes: 0, findings };
}

function keep(
  loop: EchoLoop,
  family: IpFamily,
  chosen: SocketFinding,
  findings: readonly SocketFinding[],
): FamilyFinding {
  loop.adaptToStamps({
    transmit: chosen.verdict === "full",
    receive: chosen.verdict !== "no-receive-stamps",
  });
  const receiveBufferBytes = loop.receiveBufferBytes(family);
  return { family, kind: chosen.kind, receiveBufferBytes, findings };
}

function tryKind(
  loop: EchoLoop,
  family: IpFamily,
  kind: SocketKind,
  deliver: (results: Float64Array<ArrayBuffer>) => void,
): SocketFinding {
  const errno = loop.openFamily(family, kind);
  if (errno !== 0) return { kind, errno, verdict: "failed", detail: nameErrno(errno) };
  let judged = judge(echoLoopback(loop, family, deliver));
  // The test is repeated, because the kernel starts to add timestamps only some time after a socket
  // has requested them.
  for (let attempt = 1; attempt < STAMP_ATTEMPTS && isUnstamped(judged.verdict); attempt += 1) {
    judged = judge(echoLoopback(loop, family, deliver));
  }
  return { kind, errno: 0, ...judged };
}

function isUnstamped(verdict: SocketFinding["verdict"]): boolean {
  return verdict === "no-receive-stamps" || verdict === "no-transmit-stamps";
}

function echoLoopback(
  loop: EchoLoop,
  family: IpFamily,
  deliver: (results: Float64Array<ArrayBuffer>) => void,
): WirePacket[] | null {
  const requestId = FIRST_INTERNAL_ID + (family === "IPv4" ? FAMILY_V4 : FAMILY_V6);
  loop.submit({
    requestId,
    family: family === "IPv4" ? FAMILY_V4 : FAMILY_V6,
    packetCount: TEST_PACKETS,
    spacingMs: TEST_SPACING_MS,
    timeoutMs: TEST_TIMEOUT_MS,
    payloadBytes: 56,
    address: LOOPBACK[family],
  });
  const limitMs = performance.now() + TEST_LIMIT_MS;
  let found: WirePacket[] | null = null;
  while (found === null && performance.now() < limitMs) {
    loop.turn(limitMs);
    if (loop.results.isEmpty) continue;
    const packed = loop.results.take();
    readResults(packed, (result) => {
      if (result.requestId === requestId) found = copyPackets(result);
    });
    deliver(packed);
  }
  return found;
}

function judge(packets: WirePacket[] | null): Pick<SocketFinding, "verdict" | "detail"> {
  if (packets === null) return { verdict: "failed", detail: "the self-test did not finish" };
  const answered = packets.filter((packet) => packet.status === ANSWERED);
  const [first] = packets;
  if (answered.length < TEST_PACKETS) {
    const cause = first !== undefined && first.errno !== 0 ? ` (${nameErrno(first.errno)})` : "";
    const detail = `${answered.length} of ${TEST_PACKETS} loopback echoes came back${cause}`;
    return { verdict: "failed", detail };
  }
  if (answered.some(({ rttMs }) => rttMs === null || rttMs > SLOWEST_LOOPBACK_MS)) {
    return { verdict: "failed", detail: "a loopback echo took more than 100 ms" };
  }
  if (answered.some((packet) => !packet.receiveStamped)) {
    return {
      verdict: "no-receive-stamps",
      detail: "no kernel receive timestamps: times are coarse",
    };
  }
  if (answered.some((packet) => !packet.transmitStamped)) {
    return { verdict: "no-transmit-stamps", detail: "no kernel transmit timestamps" };
  }
  return { verdict: "full", detail: "kernel timestamps in both directions" };
}

interface PermissionFacts {
  readonly groupId: number;
  /** Content of /proc/sys/net/ipv4/ping_group_range. */
  readonly pingGroupRange: string;
  readonly pingFault: string;
  /** Reason why no worker could be started; otherwise `null`. */
  readonly workerFault: string | null;
}

/** Explains why an IP family cannot be checked and what an operator can do about it. */
export function explainUnavailable(
  family: IpFamily,
  finding: FamilyFinding | null,
  facts: PermissionFacts,
): string {
  const findings = finding?.findings ?? [];
  const refused = findings.every(({ errno }) => errno === ERRNO.EPERM || errno === ERRNO.EACCES);
  if (facts.workerFault !== null) return explainWorkerFault(facts.workerFault, facts.pingFault);
  if (!refused) return explainMissingFamily(family, findings, facts.pingFault);
  return [
    "Ping checks cannot run: this process may open neither kind of ICMP socket.",
    `  datagram ICMP: ${describeDatagram(findings, facts)}`,
    `  raw ICMP:      ${describeRaw(findings)}`,
    `  ping command:  ${facts.pingFault}`,
    "Do one of the following, then restart (in order of preference):",
    '  sysctl     sysctl -w net.ipv4.ping_group_range="0 2147483647"   ' +
      "(covers IPv6 too; persist it in /etc/sysctl.d/)",
    '  Docker     run with  --sysctl net.ipv4.ping_group_range="0 2147483647"   ' +
      "(with --network host set it on the host)",
    '  Kubernetes securityContext.sysctls: net.ipv4.ping_group_range = "0 2147483647"',
    "  systemd    AmbientCapabilities=CAP_NET_RAW   in the unit",
    'Other checks are not affected. This check is marked "cannot check", not "down".',
  ].join("\n");
}

function explainWorkerFault(workerFault: string, pingFault: string): string {
  return [
    "Ping checks cannot run: the ICMP engine did not start, and the ping command does not work.",
    `  engine:        ${workerFault}`,
    `  ping command:  ${pingFault}`,
    "The engine needs Node 26.9 or later (module node:ffi) on 64-bit Linux.",
    'Other checks are not affected. This check is marked "cannot check", not "down".',
  ].join("\n");
}

function explainMissingFamily(
  family: IpFamily,
  findings: readonly SocketFinding[],
  pingFault: string,
): string {
  return [
    `${family} ping checks cannot run: this host does not reach its own ${family} loopback.`,
    ...findings.map(({ kind, detail }) => `  ${`${kind} ICMP:`.padEnd(15)}${detail}`),
    `  ping command:  ${pingFault}`,
    `Enable ${family} on this host or container; Vedette retries every few minutes.`,
    'Other checks are not affected. This check is marked "cannot check", not "down".',
  ].join("\n");
}

function describeDatagram(findings: readonly SocketFinding[], facts: PermissionFacts): string {
  const finding = findings.find(({ kind }) => kind === "datagram");
  if (finding?.errno !== ERRNO.EACCES) return finding?.detail ?? "not tried";
  const range = facts.pingGroupRange.trim().replace(/\s+/g, " ");
  return `EACCES – group ${facts.groupId} is outside net.ipv4.ping_group_range ("${range}")`;
}

function describeRaw(findings: readonly SocketFinding[]): string {
  const finding = findings.find(({ kind }) => kind === "raw");
  return finding?.errno === ERRNO.EPERM
    ? "EPERM  – CAP_NET_RAW is missing"
    : (finding?.detail ?? "not tried");
}
