import { writeList, writeMs } from "../../../platform/text/figures.ts";
import { describeTrouble } from "../../kit/default-agent.ts";

/** Data of a packet in the replies of the agent's tools. */
interface PacketData {
  readonly sequence: number;
  /** Round-trip time; `null` if the packet was lost. */
  readonly rttMs: number | null;
  readonly icmpType: number | null;
  readonly icmpCode: number | null;
}

interface RunData {
  readonly minMs: number | null;
  readonly avgMs: number | null;
  readonly maxMs: number | null;
  readonly duplicates: number | null;
  readonly reordered: number | null;
  readonly lateReplies: number | null;
  readonly trouble: Readonly<Record<string, unknown>> | null;
  readonly packets: readonly PacketData[];
}

export interface LossPattern {
  readonly sent: number;
  readonly lost: number;
  /** Bursts of consecutive lost packets, each with the first and last sequence number. */
  readonly bursts: readonly { readonly first: number; readonly last: number }[];
  readonly kind: "none" | "all" | "burst" | "scattered" | "tail";
}

/** Classifies the distribution of lost packets. */
export function findLossPattern(packets: readonly PacketData[]): LossPattern {
  const bursts: { first: number; last: number; length: number }[] = [];
  let isInBurst = false;
  for (const { sequence, rttMs } of packets) {
    const open = bursts.at(-1);
    if (rttMs !== null) {
      isInBurst = false;
    } else if (isInBurst && open !== undefined) {
      open.last = sequence;
      open.length += 1;
    } else {
      bursts.push({ first: sequence, last: sequence, length: 1 });
      isInBurst = true;
    }
  }
  const sent = packets.length;
  const lost = bursts.reduce((sum, { length }) => sum + length, 0);
  return { sent, lost, bursts: bursts.map(({ first, last }) => ({ first, last })), kind: decide() };

  function decide(): LossPattern["kind"] {
    if (lost === 0) return "none";
    if (lost === sent) return "all";
    const longest = Math.max(...bursts.map(({ length }) => length));
    // If all packets from a certain packet to the last one were lost, the host or the path probably
    // failed during the run.
    if (bursts.length === 1 && isInBurst && longest >= 2) return "tail";
    return longest >= 2 && longest >= lost / 2 ? "burst" : "scattered";
  }
}

/** Formats a loss pattern, for example as "4 of 10 packets were lost, in a burst: #3 to #6". */
export function describeLossPattern(pattern: LossPattern): string {
  const { sent, lost, bursts, kind } = pattern;
  if (sent === 0) return "no packet was sent";
  if (kind === "none") return `all ${sent} packets came back`;
  if (kind === "all") return `all ${sent} packets were lost`;
  const places = writeList(
    bursts.map(({ first, last }) => (first === last ? `#${first}` : `#${first} to #${last}`)),
  );
  const words = {
    burst: "in a burst",
    scattered: "scattered, as random loss is",
    tail: "from one packet to the end, as when the path fails during the run",
  };
  return `${lost} of ${sent} packets were lost, ${words[kind]}: ${places}`;
}

/** Describes the ICMP errors that arrived instead of replies; `null` if there were none. */
export function describeIcmpErrors(packets: readonly PacketData[]): string | null {
  const counts = new Map<string, number>();
  for (const { icmpType, icmpCode, rttMs } of packets) {
    if (icmpType === null || rttMs !== null || icmpType === 0 || icmpType === 129) continue;
    const text = nameIcmpError(icmpType, icmpCode);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const parts = [...counts].map(([text, count]) => `${text} (${count}×)`);
  return `routers answered with ${writeList(parts)}`;
}

function nameIcmpError(type: number, code: number | null): string {
  const unreachable: Readonly<Record<number, string>> = {
    0: "network unreachable",
    1: "host unreachable",
    3: "port unreachable",
    9: "network prohibited",
    10: "host prohibited",
    13: "blocked by a filter",
  };
  if (type === 3) return unreachable[code ?? -1] ?? `destination unreachable, code ${code}`;
  if (type === 11) return "time to live exceeded: a routing loop";
  if (type === 1) return `IPv6 destination unreachable, code ${code}`;
  return `ICMP type ${type}, code ${code}`;
}

/** Returns all findings about one run, with the most important finding first. */
export function describeRun(run: RunData): string[] {
  const lines: string[] = [];
  const trouble = describeTrouble(run);
  if (trouble !== null && run.packets.length === 0) lines.push(trouble);
  if (run.packets.length > 0) lines.push(describeLossPattern(findLossPattern(run.packets)));
  const errors = describeIcmpErrors(run.packets);
  if (errors !== null) lines.push(errors);
  if (run.avgMs !== null) {
    lines.push(
      `round trips ${writeMs(run.minMs)} to ${writeMs(run.maxMs)}, ${writeMs(run.avgMs)} on average`,
    );
  }
  const oddities = [
    run.duplicates ? `${run.duplicates} duplicates` : "",
    run.reordered ? `${run.reordered} out of order` : "",
    run.lateReplies ? `${run.lateReplies} replies too late to count` : "",
  ].filter(Boolean);
  if (oddities.length > 0) lines.push(writeList(oddities));
  return lines;
}
