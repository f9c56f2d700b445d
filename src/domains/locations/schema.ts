import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, OneOf } from "../../platform/http/schema.ts";
import { isAlive, type Place } from "./probe.ts";

export const AddressList = Type.Array(Type.String());
export const AddressesByLocation = Type.Record(Type.String(), AddressList);
export const AddressText = Type.String({ description: "one address a line" });

export function toWireLines(addresses: readonly string[]): string {
  return addresses.map((address) => `${address}\n`).join("");
}

export const PlaceList = Type.Array(
  Type.Object({
    region: Type.String(),
    name: Type.String(),
    servedBy: OneOf(["own-probe", "built-in-probe", "nobody"]),
    probes: Type.Array(
      Type.Object({
        id: Type.String(),
        isBuiltIn: Type.Boolean(),
        version: Type.String(),
        status: OneOf(["alive", "silent"]),
        startedAt: DateTime,
        lastSeenAt: DateTime,
        limitations: Type.Array(Type.String(), {
          description:
            "What the probe cannot do, and what to type about it; empty when nothing is missing",
        }),
      }),
    ),
  }),
);

export function toWirePlace(place: Place, now: Date) {
  return {
    region: place.region,
    name: place.name,
    servedBy: place.servedBy,
    probes: place.probes.map((probe) => ({
      id: probe.id,
      isBuiltIn: probe.isBuiltIn,
      version: probe.version,
      status: isAlive(probe, now) ? ("alive" as const) : ("silent" as const),
      startedAt: formatDateTime(probe.startedAt),
      lastSeenAt: formatDateTime(probe.lastSeenAt),
      limitations: [...probe.limitations],
    })),
  };
}
