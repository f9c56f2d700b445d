import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { Database } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid, notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, parseTimestamp } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { LocationsContext } from "./actions.ts";
import { findPrivateLocation } from "./private-locations/private-location-store.ts";
import { deleteQueueSamplesBefore, listQueuePoints, type QueuePoint } from "./store.ts";

const minuteMs = 60_000;
const maxPoints = 360;

const keptDays = 31;
const dayMs = 86_400_000;

export function deleteOldQueueSamples(db: Database, now: Date): Promise<void> {
  return deleteQueueSamplesBefore(db, new Date(now.getTime() - keptDays * dayMs));
}

interface Slots {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Divides a time range into slots of whole minutes, at most as many as a chart can show. */
export function planSlots(fromMs: number, toMs: number): Slots {
  const startMs = Math.floor(fromMs / minuteMs) * minuteMs;
  const minutes = Math.max(1, Math.ceil((toMs - startMs) / minuteMs));
  const stepMinutes = Math.ceil(minutes / maxPoints);
  const count = Math.ceil(minutes / stepMinutes);
  return { fromMs: startMs, stepMs: stepMinutes * minuteMs, count };
}

/** Returns the values of all slots. A slot without samples means that the queue was empty. */
export function fillSlots({ fromMs, stepMs, count }: Slots, points: readonly QueuePoint[]) {
  const bySlot = new Map(points.map((point) => [point.slot, point]));
  const slots = Array.from({ length: count }, (_, slot) => slot);
  return {
    timestamps: slots.map((slot) => new Date(fromMs + slot * stepMs)),
    queueSize: slots.map((slot) => bySlot.get(slot)?.size ?? 0),
    oldestScheduledCheckRun: slots.map((slot) => bySlot.get(slot)?.oldestSeconds ?? 0),
  };
}

async function readQueueSeries(
  { db }: LocationsContext,
  { accountId }: Caller,
  { id, fromMs, toMs }: { readonly id: string; readonly fromMs: number; readonly toMs: number },
) {
  if (toMs - fromMs > keptDays * dayMs) {
    throw invalid("to", `must be at most ${keptDays} days after from`, "querystring");
  }
  if ((await findPrivateLocation(db, accountId, id)) === null) throw notFound();
  const slots = planSlots(fromMs, toMs);
  const points = await listQueuePoints(db, id, {
    ...slots,
    toMs: slots.fromMs + slots.count * slots.stepMs,
  });
  return fillSlots(slots, points);
}

const Params = Type.Object({ id: Described(Guid, "The private location's id.") });
const Moment = Type.String({ anyOf: [{ format: "date-time" }, { format: "date" }] });
const Query = Type.Object({
  from: Described(Moment, "Start of the series.", "2026-11-16T00:00:00Z"),
  to: Described(
    Moment,
    "End of the series; at most 31 days after the start.",
    "2026-11-17T00:00:00Z",
  ),
});
const Counts = (description: string) => Type.Array(Type.Integer(), { description });
const Series = Type.Object(
  {
    timestamps: Type.Array(DateTime, { description: "Start of each slot." }),
    queueSize: Counts("Maximum number of due runs without a result in each slot."),
    oldestScheduledCheckRun: Counts("Maximum age in seconds of the oldest such run in each slot."),
  },
  { title: "PrivateLocationMetrics" },
);

export function addQueueRoutes(server: HttpServer, context: LocationsContext): void {
  server.get(
    "/v1/private-locations/:id/metrics",
    {
      config: { access: "read" },
      schema: {
        tags: ["Private locations"],
        operationId: "getPrivateLocationMetrics",
        summary: "Read the queue size of a private location",
        description:
          "Sampled once a minute and kept for 31 days; at most 360 slots. A growing queue " +
          "means that the location needs another probe.",
        params: Params,
        querystring: Query,
        response: answers({ 200: Series }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const fromMs = parseTimestamp("from", query.from) ?? 0;
      const toMs = parseTimestamp("to", query.to) ?? 0;
      if (toMs <= fromMs) throw invalid("to", "must be after from", "querystring");
      const series = await readQueueSeries(context, caller, { id: params.id, fromMs, toMs });
      return { ...series, timestamps: series.timestamps.map(formatDateTime) };
    },
  );
}
