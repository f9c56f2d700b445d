import { Type } from "typebox";
import type { Run } from "../../../kinds/definition.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { KnownError } from "../../../platform/errors.ts";
import { answers, Described, Guid, Matching } from "../../../platform/http/schema.ts";
import { sendEvents } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import { AnyCheckBody, readUnsaved } from "../../checks/index.ts";
import type { ScheduleContext } from "../context.ts";
import { openTrial, type TrialEvent } from "./actions.ts";

const TrialQuery = Type.Object({
  location: Described(
    Type.Optional(
      Matching(
        "^[A-Za-z0-9][A-Za-z0-9-]{0,63}$",
        "must be a location, such as eu-central-1, or the slug of a private location",
      ),
    ),
    "Location of the run; defaults to the first location of the check.",
    "eu-central-1",
  ),
  checkId: Described(
    Type.Optional(Guid),
    "The check that the body changes: omitted fields and masked secrets are taken " +
      "from it. If omitted, the body is a new check.",
  ),
});

/** OpenAPI describes one response in two formats; streams are not validated. */
const TrialAnswer = Type.Unsafe<string>({
  description:
    "Events as they happen: `ordered`, `started`, `progress` for each step, `waiting` every five " +
    "seconds, `result` with the verdict, its reasons and the document of the kind, `end`. The " +
    "document contains the header fields and the body of an HTTP response even if the run " +
    "passes. `probeId` is the probe that executed the run, which is the server's own if " +
    "`runLocation` has none. A `progress` event has `elapsedMs` since the start, the name of " +
    "the `step` and details of the kind such as an address, a status, `bytes` or `durationMs`. " +
    "Steps are `resolved`, `connected`, `secured`, `sent`, `asked`, `answered`, `received` and " +
    "others specific to the kind, at most 200.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "One line per event; `event` is its name." }),
    },
  },
});

const writeMoment = (ms: number) => formatDateTime(new Date(ms));

/** Returns the name and the data of an event. */
function toWireEvent(event: TrialEvent): readonly [string, object] {
  switch (event.event) {
    case "ordered": {
      const { runId, kind, location, dueAtMs, deadlineAtMs } = event.order;
      const times = { orderedAt: writeMoment(dueAtMs), deadlineAt: writeMoment(deadlineAtMs) };
      return ["ordered", { runId, checkType: kind, target: event.target, location, ...times }];
    }
    case "started":
      return ["started", { probeId: event.probeId, startedAt: writeMoment(event.startedAtMs) }];
    case "progress":
      return ["progress", { elapsedMs: event.elapsedMs, ...event.progress }];
    case "waiting":
      return ["waiting", { elapsedMs: event.elapsedMs }];
    case "result":
      return ["result", toWireResult(event)];
    case "end":
      return ["end", { reason: event.reason }];
  }
}

function toWireResult(event: Extract<TrialEvent, { event: "result" }>): object {
  const { kind, result, judgement, reasons } = event;
  const { outcome, startedAtMs } = result;
  const run: Run = { request: result.request, startedAtMs, outcome };
  const responseMs =
    outcome.kind === "measured" ? kind.figures(outcome.measurement).responseMs : null;
  return {
    checkType: kind.type,
    runLocation: result.location,
    probeId: result.probeId,
    startedAt: writeMoment(startedAtMs),
    stoppedAt: writeMoment(result.stoppedAtMs),
    verdict: judgement.verdict,
    explanation: event.explanation,
    reasons: judgement.reasons.map((reason, place) => ({ ...reason, sentence: reasons[place] })),
    assertions: event.assertions,
    responseTime: responseMs,
    [kind.documentField]: kind.document(run),
  };
}

/** Concurrent trials per account, trials per minute and account, and concurrent trials in total. */
const perAccount = 5;
const perMinute = 30;
const total = 100;

async function* toWire(events: AsyncIterable<TrialEvent>) {
  for await (const event of events) yield toWireEvent(event);
}

export function addTrialRoutes(server: HttpServer, context: ScheduleContext): void {
  const { clock, servers } = context;
  const slots = new StreamSlots({ perAccount, total, servers });
  const rate = new RateLimit({ limit: perMinute, windowMs: 60_000, clock, servers });
  server.addHook("preClose", (done) => {
    slots.close();
    done();
  });
  server.post(
    "/v1/checks/try",
    {
      config: { access: "write" },
      schema: {
        tags: ["Checks"],
        operationId: "tryCheck",
        summary: "Run a check once without saving it, with a stream of events",
        description:
          "The body is that of `POST /v1/checks`, or with `checkId` that of `PUT /v1/checks/{id}`. " +
          "Nothing is stored and nobody is alerted. " +
          `An account may have ${perAccount} concurrent trials and ${perMinute} per minute. ` +
          "Server-sent events by default; NDJSON with `Accept: application/x-ndjson`.",
        querystring: TrialQuery,
        body: AnyCheckBody,
        response: answers({ 200: TrialAnswer }, "notFound", "unavailable"),
      },
    },
    async ({ caller, body, query, headers }, reply) => {
      const { location = null, checkId = null } = query;
      const tried = await readUnsaved(context, caller, { body, checkId });
      const { allowed, resetSeconds } = rate.take(caller.accountId);
      if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
      const controller = slots.take(caller.accountId);
      const request = { ...tried, location };
      const opened = await openTrial(context, caller, request, controller.signal).catch((error) => {
        slots.release(controller);
        throw error;
      });
      // A run continues after its client has disconnected, and counts until it ends.
      opened.trial.once("over", () => slots.release(controller));
      reply.raw.once("close", () => controller.abort("closed"));
      return sendEvents(reply, toWire(opened.events), headers.accept);
    },
  );
}
