import { ERRNO } from "./kernel-layout.ts";
import type { IpFamily } from "./packet.ts";
import type { FamilyFinding, SocketFinding } from "./self-test.ts";

export interface PermissionFacts {
  readonly groupId: number;
  /** The text of /proc/sys/net/ipv4/ping_group_range. */
  readonly pingGroupRange: string;
  readonly pingFault: string;
  /** Set if no worker could be started. */
  readonly workerFault: string | null;
}

/** Explains why a family cannot be checked and what an operator can do about it. */
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
