import { randomUUIDv7 } from "node:crypto";
import { on } from "node:events";
import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import {
  checkBodies,
  prepareUnsaved,
  readUnsaved,
  type UnsavedCheck,
} from "../../../checks/checks/index.ts";
import type { Order } from "../../../contract/order.ts";
import type { Outcome, Result, RunStep } from "../../../contract/result.ts";
import { kinds } from "../../../kinds/index.ts";
import type { Run } from "../../../kinds/kit/definition.ts";
import type { Kind } from "../../../kinds/kit/kind.ts";
import {
  describeReason,
  explainVerdict,
  type Judgement,
  judgeRun,
} from "../../../kinds/kit/verdict.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid, KnownError } from "../../../platform/errors.ts";
import { answers, Described, Guid, Matching } from "../../../platform/http/schema.ts";
import { sendEvents } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { StreamSlots } from "../../../platform/http/stream-slots.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import type { ScheduleContext } from "../context.ts";
import { createOrder, sendOrders } from "../orders.ts";
import type { Watched } from "../watch-list.ts";
import type { Trial, TrialMessage } from "./open-trials.ts";

interface TrialRequest extends UnsavedCheck {
  /** Location of the run; `null` uses the first location of the check. */
  readonly location: string | null;
  /** Whether the caller writes an audit entry itself, so that `openTrial` writes none. */
  readonly isUnaudited?: boolean;
}

/**
 * An assertion of the check and its outcome. `passed` is `null` if the assertion was not evaluated.
 */
interface TriedAssertion {
  readonly assertion: object;
  readonly passed: boolean | null;
  readonly actual?: unknown;
  readonly message?: string;
}

export type TrialEvent =
  | { readonly event: "ordered"; readonly order: Order; readonly target: string }
  | { readonly event: "started"; readonly probeId: string; readonly startedAtMs: number }
  | { readonly event: "progress"; readonly elapsedMs: number; readonly progress: RunStep }
  | { readonly event: "waiting"; readonly elapsedMs: number }
  | {
      readonly event: "result";
      readonly kind: Kind;
      readonly result: Result;
      readonly judgement: Judgement;
      readonly explanation: string;
      readonly reasons: readonly string[];
      readonly assertions: readonly TriedAssertion[];
    }
  | { readonly event: "end"; readonly reason: "complete" | "timed-out" };

/** Additional time for the result of a trial after the deadline of the run. */
const graceMs = 2_000;

interface OpenedTrial {
  readonly trial: Trial;
  readonly events: AsyncGenerator<TrialEvent>;
}

/**
 * Runs unsaved settings at one location. The run is not recorded: it has no result or statistics,
 * does not change the status and sends no alert. The request is audited, because it can send the
 * account's secrets to any host.
 */
export async function openTrial(
  context: ScheduleContext,
  caller: Caller,
  request: TrialRequest,
  signal: AbortSignal,
): Promise<OpenedTrial> {
  const { type, input, changed, location, group, isUnaudited = false } = request;
  const kind = kinds[type];
  if (!kind.isOrdered) {
    const rule = `must be of a kind that a probe executes; runs of ${kind.words.aCheck} are reported by the job itself`;
    throw invalid("checkType", rule);
  }
  const unsaved = await prepareUnsaved(context, caller, { type, input, changed, group });
  const checkId = changed?.id ?? randomUUIDv7();
  const watched = context.watchList.watchUnsaved({ ...unsaved, checkId, kind }, caller.accountId);
  const [first = ""] = watched.places;
  const now = context.clock.now();
  const dueAtMs = now.getTime();
  const when = { location: location ?? first, dueAtMs, attempt: 1, startAtMs: dueAtMs };
  const { serverId: tellServer } = context;
  const order: Order = { ...createOrder(watched, when), isTrial: true, tellServer };
  const target = kind.target(watched.settings);
  if (!isUnaudited) {
    const changes = { checkType: type, target, location: order.location };
    const action = "check.tried";
    await writeAuditEntry(context.db, caller, { action, targetId: order.runId, changes, at: now });
  }
  const trial = context.trials.open(order.runId, kind.deadlineMs(watched.settings) + graceMs);
  // Listens before the order is sent, so that no event is missed.
  const messages = on(trial, "message", { signal });
  await sendOrders(context, [order], dueAtMs, [watched]);
  return { trial, events: streamTrial({ watched, order, target, messages }) };
}

interface FollowedTrial {
  readonly watched: Watched;
  readonly order: Order;
  readonly target: string;
  readonly messages: AsyncIterable<unknown[]>;
}

async function* streamTrial(followed: FollowedTrial): AsyncGenerator<TrialEvent> {
  const { watched, order, target, messages } = followed;
  const startedMs = performance.now();
  yield { event: "ordered", order, target };
  for await (const [one] of messages) {
    const message = one as TrialMessage;
    switch (message.kind) {
      case "started":
        yield { event: "started", ...message.start };
        break;
      case "progress":
        yield { event: "progress", ...message.progress };
        break;
      case "waiting":
        yield { event: "waiting", elapsedMs: Math.round(performance.now() - startedMs) };
        break;
      case "timed-out":
        yield { event: "end", reason: "timed-out" };
        return;
      case "result":
        yield describeResult(watched, message.result);
        yield { event: "end", reason: "complete" };
        return;
    }
  }
}

/** Checks that a measurement is valid for the kind, because probes are not trusted. */
function validateOutcome(kind: Kind, outcome: Outcome): Outcome {
  if (outcome.kind !== "measured" || kind.isMeasurement(outcome.measurement)) return outcome;
  return { kind: "interrupted", message: "The measurement of the probe is invalid." };
}

function describeResult({ kind, settings }: Watched, received: Result): TrialEvent {
  const result = { ...received, outcome: validateOutcome(kind, received.outcome) };
  const judgement = judgeRun(kind, settings, result);
  const { reasons } = judgement;
  return {
    event: "result",
    kind,
    result,
    judgement,
    explanation: explainVerdict(kind, reasons),
    reasons: reasons.map((reason) => describeReason(kind, reason)),
    assertions: listAssertions(kind, settings, result),
  };
}

type Failed = { readonly index?: number; readonly actual?: unknown; readonly message?: string };

/**
 * Returns the outcome of each assertion. After a network error, no assertion was evaluated.
 * Otherwise an assertion passed if it is not among the reasons of the failure.
 */
function listAssertions(kind: Kind, settings: Watched["settings"], run: Run): TriedAssertion[] {
  const assertions = kind.listAssertions(settings);
  const isMeasured = run.outcome.kind === "measured";
  const judgement = isMeasured ? kind.judge(settings, run) : null;
  if (judgement === null || judgement.isNetworkError) {
    return assertions.map((assertion) => ({ assertion, passed: null }));
  }
  const failed = new Map(
    judgement.reasons
      .filter(({ name }) => name === "assertion-failed")
      .map((reason) => [(reason as Failed).index, reason as Failed]),
  );
  return assertions.map((assertion, index) => {
    const { actual, message } = failed.get(index) ?? {};
    if (!failed.has(index)) return { assertion, passed: true };
    return { assertion, passed: false, actual, ...(message !== undefined && { message }) };
  });
}

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

/** Schema of the response, only for OpenAPI. The stream has two formats and is not validated. */
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

/**
 * Limits of trials: concurrent trials per account, trials per minute and account, and concurrent
 * trials in total.
 */
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
      bodyLimit: checkBodies.maxBytes,
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
        body: checkBodies.any,
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
      // The trial counts until its run ends, because the run continues after the client
      // disconnects.
      opened.trial.once("over", () => slots.release(controller));
      reply.raw.once("close", () => controller.abort("closed"));
      return sendEvents(reply, toWire(opened.events), headers.accept);
    },
  );
}
