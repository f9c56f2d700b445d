import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { isAlive, type Place, type Probe } from "./probe.ts";

export const AddressList = Type.Array(Type.String());
export const AddressesByLocation = Type.Record(Type.String(), AddressList);
export const AddressText = Type.String({ description: "one address a line" });

export function toWireLines(addresses: readonly string[]): string {
  return addresses.map((address) => `${address}\n`).join("");
}

export const ProbeSchema = Type.Object(
  {
    id: Type.String({ description: "Names the probe.", examples: ["probe-1"] }),
    isBuiltIn: Type.Boolean({ description: "Whether it is part of the server." }),
    version: Type.String({ description: "The version of its program.", examples: ["0.1.0"] }),
    status: Described(OneOf(["alive", "silent"]), "Silent: it has not reported for a while."),
    startedAt: Described(DateTime, "When it began."),
    lastSeenAt: Described(DateTime, "When it last reported."),
    isSuspect: Type.Boolean({
      description: "Whether it cannot reach its own anchors, so that its results do not count.",
    }),
    ipv4: Type.Array(Type.String(), {
      description: "The IPv4 addresses that its checks come from.",
      examples: [["192.0.2.9"]],
    }),
    ipv6: Type.Array(Type.String(), {
      description: "The IPv6 addresses that its checks come from.",
      examples: [["2001:db8::9"]],
    }),
    limitations: Type.Array(Type.String(), {
      description:
        "What the probe cannot do, and what to type about it; empty when nothing is missing",
    }),
    transport: Described(
      OneOf(["built-in", "websocket", "nats"]),
      "How it is connected: part of a server, over one WebSocket, or over NATS.",
    ),
    clockSkewMs: Described(
      OrNull(Type.Number()),
      "How far its clock is ahead of the server's, in milliseconds; null: not measured. Times " +
        "are corrected by it.",
      12,
    ),
    isClockWrong: Type.Boolean({
      description: "Whether its clock is off by more than two seconds: its machine should run NTP.",
    }),
    spoolDepth: Described(
      OrNull(Type.Integer()),
      "How many results wait on its disk to be sent; null: it has no spool.",
      0,
    ),
    keyId: Described(OrNull(Guid), "The key it came in with; null: it needs none."),
    quarantinedAt: Described(
      OrNull(DateTime),
      "Since when its results count as unknown; null: they count.",
    ),
    quarantineReason: Described(
      OrNull(Type.String()),
      "Why its results do not count; null: they do.",
      null,
    ),
    comparedCount: Described(
      OrNull(Type.Integer()),
      "On how many checks it could be compared with other probes lately; null: not looked at.",
      12,
    ),
    disagreeingCount: Described(
      OrNull(Type.Integer()),
      "How many of these it saw differently from the others.",
      0,
    ),
  },
  { title: "Probe" },
);

export const PlaceList = Type.Array(
  Type.Object({
    region: Type.String({
      description: "The location's name in checks.",
      examples: ["eu-central-1"],
    }),
    name: Type.String({ description: "Where it is.", examples: ["Frankfurt"] }),
    servedBy: Described(OneOf(["own-probe", "built-in-probe", "nobody"]), "Who runs checks there."),
    probes: Type.Array(ProbeSchema, { description: "The probes that have reported from there." }),
  }),
);

export function toWirePlace(place: Place, now: Date) {
  return {
    region: place.region,
    name: place.name,
    servedBy: place.servedBy,
    probes: place.probes.map((probe) => toWireProbe(probe, now)),
  };
}

/** Nobody's clock is exact; beyond this, one is wrong. */
const wrongClockMs = 2_000;

export function toWireProbe(probe: Probe, now: Date) {
  const { clockSkewMs, quarantinedAt } = probe;
  return {
    id: probe.id,
    isBuiltIn: probe.isBuiltIn,
    version: probe.version,
    status: isAlive(probe, now) ? ("alive" as const) : ("silent" as const),
    startedAt: formatDateTime(probe.startedAt),
    lastSeenAt: formatDateTime(probe.lastSeenAt),
    isSuspect: probe.isSuspect,
    ipv4: [...probe.ipv4Sources],
    ipv6: [...probe.ipv6Sources],
    limitations: [...probe.limitations],
    transport: probe.transport,
    clockSkewMs: clockSkewMs === null ? null : Math.round(clockSkewMs),
    isClockWrong: clockSkewMs !== null && Math.abs(clockSkewMs) > wrongClockMs,
    spoolDepth: probe.spoolDepth,
    keyId: probe.keyId,
    quarantinedAt: quarantinedAt && formatDateTime(quarantinedAt),
    quarantineReason: probe.quarantineReason,
    comparedCount: probe.comparedCount,
    disagreeingCount: probe.disagreeingCount,
  };
}
