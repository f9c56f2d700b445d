import { Type } from "typebox";
import type { Run } from "../../../kinds/kind.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { Described, Guid, Matching } from "../../../platform/http/schema.ts";
import type { TrialEvent } from "./actions.ts";

export const TrialQuery = Type.Object({
  location: Described(
    Type.Optional(
      Matching(
        "^[A-Za-z0-9][A-Za-z0-9-]{0,63}$",
        "must be a location, such as eu-central-1, or the slug of a private location",
      ),
    ),
    "Where it runs; by default the first location of the check.",
    "eu-central-1",
  ),
  checkId: Described(
    Type.Optional(Guid),
    "The check that the body would change: what it leaves out, and secrets that it sends back " +
      "masked, are those of this check. By default a new one.",
  ),
});

/** OpenAPI knows one answer in two forms; the validator has no part in a stream. */
export const TrialAnswer = Type.Unsafe<string>({
  description:
    "Events as they happen: `ordered`, `started`, `progress` for each step that is done, " +
    "`waiting` every five seconds, `result` with the verdict, its reasons and the document of " +
    "the kind, `end`. The document has the header fields and the body of an HTTP answer also " +
    "when nothing is wrong with it; `probeId` names the probe that really ran it, which is the " +
    "server's own where `runLocation` has none. A `progress` has `elapsedMs` since the start, the name of the `step` and " +
    "what the kind knows of it, such as an address, a status, `bytes` or `durationMs`: " +
    "`resolved`, `connected`, `secured`, `sent`, `asked`, `answered`, `received`, and what else a " +
    "kind does, once for each time. At most 200.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "A line for each; `event` is its name." }),
    },
  },
});

const writeMoment = (ms: number) => formatDateTime(new Date(ms));

/** The name of an event, and what it says. */
export function toWireEvent(event: TrialEvent): readonly [string, object] {
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
