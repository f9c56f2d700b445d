import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { DateTime, Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { Run } from "../kind.ts";
import { pingStates } from "../pings.ts";
import { type HeartbeatMeasurement, maxBodyBytes } from "./measurement.ts";
import type { HeartbeatRequest } from "./request.ts";

const Moment = OrNull(DateTime);
const Text = OrNull(Type.String());

export const DocumentSchema = Type.Object(
  {
    state: Described(
      OrNull(OneOf(pingStates)),
      "EARLY: well before it was expected; RECEIVED: on time; GRACE: late, within the grace; " +
        "LATE: after it was missed; FAILING: missed, or the job told that it failed.",
      "RECEIVED",
    ),
    schedule: Type.String({
      description: "When pings were expected.",
      examples: ["every 1 d, grace 30 min"],
    }),
    expectedAt: Described(Moment, "When a ping was expected; null: none was yet."),
    lastPingAt: Described(Moment, "When the ping before this came; null: there was none."),
    startedAt: Described(
      Moment,
      "When the job began that did not report its end in time; null: it is not about one.",
    ),
    resumedAt: Described(
      Moment,
      "The service took no pings until then, which gave the job more time; null: it did.",
    ),
    exitCode: Described(OrNull(Type.Integer()), "The exit code; null: none was told.", 0),
    duration: Described(
      OrNull(Type.Number()),
      "Milliseconds from the start of the job to its end; null: it told no start.",
      5_204,
    ),
    method: Described(Text, "The method of the ping; null: none came.", "POST"),
    source: Described(Text, "The address it came from; null: none came.", "192.0.2.7"),
    userAgent: Described(Text, "What the client calls itself; null: none came.", "curl/8.5.0"),
    body: Described(
      Text,
      `What came with it, as text: its first ${maxBodyBytes} bytes. Bytes that are no UTF-8 show as U+FFFD.`,
      "42 files saved",
    ),
    bodyBytes: Type.Integer({ description: "How long the whole body was.", examples: [14] }),
    isCut: Type.Boolean({ description: "True: more came than `body` shows.", examples: [false] }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why nothing was learned; null: no such trouble.",
      null,
    ),
  },
  { description: "A ping, or one that did not come." },
);

function writeMoment(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

export function buildDocument({
  request,
  outcome,
}: Run<HeartbeatRequest, HeartbeatMeasurement>): Type.Static<typeof DocumentSchema> {
  const event = outcome.kind === "measured" ? outcome.measurement : null;
  const sender = event?.sender ?? null;
  return {
    state: event?.state ?? null,
    schedule: request.schedule,
    expectedAt: writeMoment(event?.expectedMs),
    lastPingAt: writeMoment(event?.lastPingMs),
    startedAt: writeMoment(event?.unendedMs),
    resumedAt: writeMoment(event?.resumedMs),
    exitCode: event?.exitCode ?? null,
    duration: event?.durationMs ?? null,
    method: sender?.method ?? null,
    source: sender?.address ?? null,
    userAgent: sender?.userAgent ?? null,
    body: sender?.body ?? null,
    bodyBytes: sender?.bodyBytes ?? 0,
    isCut: sender !== null && sender.bodyBytes > maxBodyBytes,
    error: toTrouble(outcome),
  };
}
