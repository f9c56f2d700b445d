import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { isAlive, listAccountPlaces } from "../../locations/index.ts";
import { defineReadTool } from "../tool.ts";
import type { ListLocationsData } from "../tool-data.ts";
import { ListLocationsSchema } from "../tool-shapes/directory-data.ts";
import { findChecks } from "./check-finder.ts";

const maxProbes = 20;

export const listLocationsTool = defineReadTool({
  name: "list_locations",
  title: "List locations",
  description:
    "Public and private locations, their probes and whether they are alive, and the number of " +
    "the account's checks that run there.",
  InputSchema: Type.Object({}, { additionalProperties: false }),
  DataSchema: ListLocationsSchema,
  run: async (context, caller) => {
    const now = context.clock.now();
    const counts = new Map<string, number>();
    for (const { locations } of await findChecks(context, caller, {})) {
      for (const place of locations) counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    const places = await listAccountPlaces(context, caller.accountId);
    const listed = new Set(places.map(({ region }) => region));
    const unserved = [...counts.keys()]
      .filter((region) => !listed.has(region))
      .map((region) => ({ region, name: region, servedBy: "nobody" as const, probes: [] }));
    const data: ListLocationsData = {
      locations: [...places, ...unserved]
        .filter(({ region, probes }) => probes.length > 0 || counts.has(region))
        .map(({ region, name, servedBy, probes }) => ({
          region,
          name,
          servedBy,
          probes: probes.slice(0, maxProbes).map((probe) => ({
            id: probe.id,
            isAlive: isAlive(probe, now),
            lastSeenAt: formatDateTime(probe.lastSeenAt),
          })),
          checks: counts.get(region) ?? 0,
        })),
    };
    const url = `${context.publicUrl()}/locations`;
    return { data, sources: [{ id: "locations", label: "locations and probes", url }] };
  },
});
