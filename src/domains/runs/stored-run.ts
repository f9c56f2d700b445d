import { fromTrouble, type NoData, type Trouble } from "../../contract/result.ts";
import type { IcmpMeasurement } from "../../kinds/icmp/measurement.ts";
import { decodePackets } from "../../kinds/icmp/packet-codec.ts";
import type { Kind, Run } from "../../kinds/kind.ts";
import type { ResultRow } from "./result-store.ts";

/** A stored run as its kind understands it. Whole only where the row has its packets. */
export function readRun(_kind: Kind, row: ResultRow): Run {
  const startedAtMs = row.started_at.getTime();
  const request = { hostname: row.hostname, ipFamily: row.ip_family, pingCount: row.ping_count };
  if (row.trouble !== null) {
    const outcome = fromTrouble(row.trouble as unknown as Trouble | NoData);
    return { request, startedAtMs, outcome };
  }
  const measurement: IcmpMeasurement = {
    resolvedIp: row.resolved_ip ?? "",
    dnsMs: row.dns_ms ?? 0,
    packetSizeBytes: row.packet_size ?? 0,
    packets: row.packets ? decodePackets(row.packets, startedAtMs) : [],
    statistics: {
      packetsSent: row.packets_sent ?? 0,
      packetsReceived: row.packets_received ?? 0,
      packetLossPercent: row.loss_percent ?? 0,
      minMs: row.min_ms,
      avgMs: row.avg_ms,
      maxMs: row.max_ms,
      stdDevMs: row.std_dev_ms,
      jitterMs: row.jitter_ms,
      longestLossBurst: row.loss_burst ?? 0,
      duplicates: row.duplicates ?? 0,
      reordered: row.reordered ?? 0,
      lateReplies: row.late_replies ?? 0,
    },
  };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}
