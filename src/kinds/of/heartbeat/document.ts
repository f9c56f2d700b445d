import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { DateTime, Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { pingStates } from "../../kit/pings.ts";
import { type HeartbeatMeasurement, maxBodyBytes } from "./measurement.ts";
import type { HeartbeatRequest } from "./request.ts";

const OptionalTime = OrNull(DateTime);
const Text = OrNull(Type.String());

export const DocumentSchema = Type.Object(
  {
    state: Described(
      OrNull(OneOf(pingStates)),
      "EARLY: well before the expected time; RECEIVED: on time; GRACE: within the grace period; " +
        "LATE: after it was reported as missing; FAILING: missing, or the job reported a failure.",
      "RECEIVED",
    ),
    schedule: Type.String({
      description: "When pings were expected.",
      examples: ["every 1 d, grace 30 min"],
    }),
    expectedAt: Described(OptionalTime, "When a ping was expected; `null` if none was."),
    lastPingAt: Described(OptionalTime, "Time of the previous ping; `null` if there was none."),
    startedAt: Described(
      OptionalTime,
      "Start of the job that did not report its end in time; `null` if no end is missing.",
    ),
    resumedAt: Described(
      OptionalTime,
      "End of a service outage that extended the deadline; `null` if there was none.",
    ),
    exitCode: Described(
      OrNull(Type.Integer()),
      "The exit code; `null` if the job reported none.",
      0,
    ),
    duration: Described(
      OrNull(Type.Number()),
      "Duration of the job in milliseconds; `null` if it reported no start.",
      5_204,
    ),
    method: Described(Text, "HTTP method of the ping; `null` if no ping arrived.", "POST"),
    source: Described(Text, "Source address of the ping; `null` if no ping arrived.", "192.0.2.7"),
    userAgent: Described(
      Text,
      "User agent of the client; `null` if no ping arrived.",
      "curl/8.5.0",
    ),
    body: Described(
      Text,
      `The first ${maxBodyBytes} bytes of the body as text. Invalid UTF-8 becomes U+FFFD.`,
      "42 files saved",
    ),
    bodyBytes: Type.Integer({ description: "Length of the whole body in bytes.", examples: [14] }),
    isCut: Type.Boolean({
      description: "Whether the body is longer than `body`.",
      examples: [false],
    }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no result; `null` if there was one.",
      null,
    ),
  },
  { description: "A ping, or a missing ping." },
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
