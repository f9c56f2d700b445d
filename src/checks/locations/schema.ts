import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { isAlive, type Place, type Probe } from "./probe.ts";

export const AddressList = Type.Array(Type.String());
export const AddressesByLocation = Type.Record(Type.String(), AddressList);
export const AddressText = Type.String({ description: "one address per line" });

export function toWireLines(addresses: readonly string[]): string {
  return addresses.map((address) => `${address}\n`).join("");
}

export const ProbeSchema = Type.Object(
  {
    id: Type.String({ description: "Identifies the probe.", examples: ["probe-1"] }),
    isBuiltIn: Type.Boolean({ description: "Whether it is part of a server." }),
    version: Type.String({ description: "The probe version.", examples: ["0.1.0"] }),
    status: Described(OneOf(["alive", "silent"]), "`silent` if it has not reported recently."),
    startedAt: Described(DateTime, "When it started."),
    lastSeenAt: Described(DateTime, "When it last reported."),
    isSuspect: Type.Boolean({
      description: "Whether it cannot reach its anchors; its results are ignored then.",
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
      description: "What the probe cannot do and how to fix it; empty if nothing is missing",
    }),
    transport: Described(
      OneOf(["built-in", "websocket", "nats"]),
      "The transport: built into a server, over a WebSocket, or over NATS.",
    ),
    clockSkewMs: Described(
      OrNull(Type.Number()),
      "How far its clock is ahead of the server's, in milliseconds; `null` if not measured. Times " +
        "are corrected by it.",
      12,
    ),
    isClockWrong: Type.Boolean({
      description:
        "Whether its clock is off by more than two seconds. If so, run NTP on its machine.",
    }),
    spoolDepth: Described(
      OrNull(Type.Integer()),
      "Number of results on its disk that wait to be sent; `null` without a spool.",
      0,
    ),
    keyId: Described(OrNull(Guid), "The key that it uses; `null` if it needs none."),
    quarantinedAt: Described(
      OrNull(DateTime),
      "Start of its quarantine; `null` if it is not quarantined.",
    ),
    quarantineReason: Described(
      OrNull(Type.String()),
      "Reason of its quarantine; `null` if it is not quarantined.",
      null,
    ),
    comparedCount: Described(
      OrNull(Type.Integer()),
      "Number of checks on which it was recently compared with other probes; `null` if not compared.",
      12,
    ),
    disagreeingCount: Described(
      OrNull(Type.Integer()),
      "Number of these on which it disagreed with the other probes.",
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
    name: Type.String({ description: "Display name of the location.", examples: ["Frankfurt"] }),
    servedBy: Described(
      OneOf(["own-probe", "built-in-probe", "nobody"]),
      "Which probe runs checks there.",
    ),
    probes: Type.Array(ProbeSchema, { description: "The probes of this location." }),
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

/** Clock difference above which the clock of a probe is reported as wrong. */
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
