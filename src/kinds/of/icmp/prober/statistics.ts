/** One echo request of a run. `rttMs` is `null` if the packet was lost. */
export interface PacketRecord {
  readonly sequence: number;
  /** Whether this host could send the packet. */
  readonly sent: boolean;
  readonly sentAt: number;
  readonly rttMs: number | null;
  readonly duplicates: number;
  readonly lateReplies: number;
}

export interface Latency {
  readonly minMs: number;
  readonly avgMs: number;
  readonly maxMs: number;
  readonly stdDevMs: number;
}

export interface EchoStatistics {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Percentage of lost packets of the run, including those that this host could not send. */
  readonly packetLossPercent: number;
  readonly latency: Latency | null;
  /** Interarrival jitter as defined in RFC 3550; `null` with fewer than two replies. */
  readonly jitterMs: number | null;
  readonly longestLossBurst: number;
  readonly duplicates: number;
  readonly reordered: number;
  readonly lateReplies: number;
}

const JITTER_GAIN = 1 / 16;

export function computeStatistics(packets: readonly PacketRecord[]): EchoStatistics {
  let packetsSent = 0;
  let packetsReceived = 0;
  let duplicates = 0;
  let lateReplies = 0;
  for (const packet of packets) {
    if (packet.sent) packetsSent += 1;
    if (packet.rttMs !== null) packetsReceived += 1;
    duplicates += packet.duplicates;
    lateReplies += packet.lateReplies;
  }
  const lost = packets.length - packetsReceived;
  return {
    packetsSent,
    packetsReceived,
    packetLossPercent: packets.length === 0 ? 0 : (lost / packets.length) * 100,
    latency: computeLatency(packets, packetsReceived),
    jitterMs: computeJitter(packets),
    longestLossBurst: findLongestLossBurst(packets),
    duplicates,
    reordered: countReordered(packets),
    lateReplies,
  };
}

function computeLatency(packets: readonly PacketRecord[], received: number): Latency | null {
  if (received === 0) return null;
  let minMs = Infinity;
  let maxMs = -Infinity;
  let sumMs = 0;
  for (const { rttMs } of packets) {
    if (rttMs === null) continue;
    if (rttMs < minMs) minMs = rttMs;
    if (rttMs > maxMs) maxMs = rttMs;
    sumMs += rttMs;
  }
  // The average is clamped, because rounding can push the quotient beyond the minimum or maximum.
  const avgMs = Math.min(maxMs, Math.max(minMs, sumMs / received));
  let squares = 0;
  for (const { rttMs } of packets) {
    if (rttMs !== null) squares += (rttMs - avgMs) ** 2;
  }
  return { minMs, avgMs, maxMs, stdDevMs: Math.sqrt(squares / received) };
}

function computeJitter(packets: readonly PacketRecord[]): number | null {
  let jitterMs: number | null = null;
  let previousMs: number | null = null;
  for (const { rttMs } of packets) {
    if (rttMs === null) continue;
    if (previousMs !== null) {
      const differenceMs = Math.abs(rttMs - previousMs);
      jitterMs = (jitterMs ?? 0) + (differenceMs - (jitterMs ?? 0)) * JITTER_GAIN;
    }
    previousMs = rttMs;
  }
  return jitterMs;
}

function findLongestLossBurst(packets: readonly PacketRecord[]): number {
  let longest = 0;
  let current = 0;
  for (const { rttMs } of packets) {
    current = rttMs === null ? current + 1 : 0;
    if (current > longest) longest = current;
  }
  return longest;
}

/** Counts reordered replies, which arrived after the reply to a later packet. */
function countReordered(packets: readonly PacketRecord[]): number {
  let reordered = 0;
  let earliestLaterMs = Infinity;
  for (let index = packets.length - 1; index >= 0; index -= 1) {
    const packet = packets[index];
    if (packet === undefined || packet.rttMs === null) continue;
    const arrivedMs = packet.sentAt + packet.rttMs;
    if (arrivedMs > earliestLaterMs) reordered += 1;
    if (arrivedMs < earliestLaterMs) earliestLaterMs = arrivedMs;
  }
  return reordered;
}
