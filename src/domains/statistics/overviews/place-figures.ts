import { forEachRtt } from "../../../kinds/icmp/packet-codec.ts";
import { createSketch, decodeSketchesInto, type Sketch } from "../sketch.ts";
import { addQuickly, aggregate, readShares } from "../sketch-statistics.ts";
import { computeAvailability } from "../uptime.ts";
import { type FiguresContext, planWindows } from "./figures.ts";
import { type PlaceRow, sumPlacesOfHours, sumPlacesOfResults } from "./overview-store.ts";

/** What one place found of a check in the last day. */
export interface PlaceFigures {
  readonly location: string;
  readonly availability: number | null;
  readonly avgMs: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

interface PlaceSum {
  passing: number;
  degraded: number;
  failing: number;
  readonly rtt: Sketch;
}

function addPlaceRow(sum: PlaceSum, row: PlaceRow): void {
  sum.passing += row.passing;
  sum.degraded += row.degraded;
  sum.failing += row.failing;
  if (row.rtt) decodeSketchesInto(row.rtt, sum.rtt);
  if (row.packets) forEachRtt(row.packets, (rttMs) => addQuickly(sum.rtt, rttMs));
}

/** The last day of each check, place by place. */
export async function readPlaceFigures(
  context: FiguresContext,
  checkIds: readonly string[],
): Promise<Map<string, readonly PlaceFigures[]>> {
  const found = new Map(checkIds.map((id) => [id, new Map<string, PlaceSum>()]));
  if (checkIds.length === 0) return new Map();
  const { dayPieces } = await planWindows(context);
  const { db } = context;
  const add = (rows: readonly PlaceRow[]) => {
    for (const row of rows) {
      const places = found.get(checkIds[row.place - 1] ?? "");
      const sum = places?.get(row.location) ?? {
        passing: 0,
        degraded: 0,
        failing: 0,
        rtt: createSketch(),
      };
      places?.set(row.location, sum);
      addPlaceRow(sum, row);
    }
  };
  // A day that is rolled up whole is still known hour by hour.
  const hours = [...dayPieces.hours, ...dayPieces.days];
  await Promise.all([
    sumPlacesOfHours(db, checkIds, hours).then(add),
    ...dayPieces.raw.map((span) => sumPlacesOfResults(db, checkIds, span).then(add)),
  ]);
  return new Map(
    [...found].map(([id, places]) => [id, [...places].map(describePlace).sort(byLocation)]),
  );
}

function describePlace([location, sum]: [string, PlaceSum]): PlaceFigures {
  const [p95Ms = null, p99Ms = null] = readShares(sum.rtt, [0.95, 0.99]);
  return {
    location,
    availability: computeAvailability(sum),
    avgMs: aggregate(sum.rtt, "avg"),
    p95Ms,
    p99Ms,
  };
}

function byLocation(one: PlaceFigures, other: PlaceFigures): number {
  return one.location < other.location ? -1 : 1;
}
