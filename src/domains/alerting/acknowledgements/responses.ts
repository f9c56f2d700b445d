import { Type } from "typebox";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { conflict } from "../../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { type Check, getCheck } from "../../checks/index.ts";
import { describeStage, orderStages } from "../alert-rules.ts";
import {
  type AlertState,
  hurryNextStage,
  isAlertCurrent,
  postponeNextStage,
  snoozeAlert,
} from "../alert-state.ts";
import type { AlertingContext } from "../context.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { type ManualPagesContext, pageSomebody } from "../pages/manual-pages.ts";
import { cancelAcknowledged } from "../pages/page-store.ts";
import {
  insertAcknowledgement,
  listOpenAlertStates,
  lockAlertState,
  saveAlertState,
} from "./store.ts";

export type ResponsesContext = AlertingContext & ManualPagesContext;

const minuteMs = 60_000;
export const snoozeMinutes = { minimum: 15, maximum: 1_440 } as const;
export const noFurtherStep = "the escalation has no further step; page a member instead";
const noOpenAlert = "there is no open alert; it may have ended";

interface Response {
  readonly checkId: string;
  readonly alertNumber: number;
  readonly snoozedUntil: Date | null;
  /** What follows, as a sentence. */
  readonly summary: string;
}

interface Open {
  readonly db: Database;
  readonly checkId: string;
  readonly state: AlertState;
  readonly now: Date;
}

/** Locks the open alert of a check, lets a function respond to it, and stores the new state. */
async function respond(
  context: ResponsesContext,
  caller: Caller,
  id: string,
  change: (open: Open) => Promise<{
    readonly state: AlertState;
    /** `null` if the change is in the audit log already. */
    readonly action: string | null;
    readonly summary: string;
  }>,
): Promise<Response> {
  const { id: checkId } = await getCheck(context, caller, id);
  const now = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const known = await lockAlertState(db, caller.accountId, checkId);
    if (known === null || !isAlertCurrent(known.state)) {
      throw conflict(noOpenAlert);
    }
    const { state, action, summary } = await change({ db, checkId, state: known.state, now });
    await saveAlertState(db, caller.accountId, { checkId, state, now });
    const { alertNumber, snoozedUntilMs = null } = state;
    const changes = { alertNumber, summary };
    if (action !== null) {
      await writeAuditEntry(db, caller, { action, targetId: checkId, changes, at: now });
    }
    const snoozedUntil = snoozedUntilMs === null ? null : new Date(snoozedUntilMs);
    return { checkId, alertNumber, snoozedUntil, summary };
  });
}

async function loadRules(context: ResponsesContext, { db, checkId }: Pick<Open, "db" | "checkId">) {
  const snapshot = await loadDecisionSnapshot({ ...context, db }, [checkId]);
  const watched = snapshot.watched.get(checkId);
  if (watched === undefined) throw conflict("the check is not active");
  return rulesFor(snapshot, watched);
}

/** Acknowledges the alert for a time, after which it is sent and escalated again. */
export function snoozeCheck(
  context: ResponsesContext,
  caller: Caller,
  { checkId: id, minutes }: { readonly checkId: string; readonly minutes: number },
): Promise<Response> {
  return respond(context, caller, id, async ({ db, checkId, state, now }) => {
    const until = new Date(now.getTime() + minutes * minuteMs);
    const by = `${caller.label}, snoozed until ${formatDateTime(until)}`;
    const atMs = now.getTime();
    const next = snoozeAlert(state, { atMs, untilMs: until.getTime(), by: caller.label });
    const done = { checkId, alertNumber: state.alertNumber, at: now, by };
    await insertAcknowledgement(db, caller.accountId, done);
    await cancelAcknowledged(db, [done], done);
    const summary = `Snoozed until ${formatDateTime(until)}.`;
    return { state: next, action: "alert.snoozed", summary };
  });
}

/** What a response would be about: the check, and its open alert. */
export interface PreparedResponse {
  readonly check: Check;
  readonly isAcknowledged: boolean;
  readonly snoozedUntil: Date | null;
  /** Describes the next step of the escalation; `null` if there is none. */
  readonly nextStep: string | null;
}

/** Rejects a check without an open alert. */
export async function prepareResponse(
  context: ResponsesContext,
  caller: Caller,
  id: string,
): Promise<PreparedResponse> {
  const { db } = context;
  const check = await getCheck(context, caller, id);
  const [open] = await listOpenAlertStates(db, caller.accountId, { checkId: check.id, limit: 1 });
  if (open === undefined || !isAlertCurrent(open.state)) throw conflict(noOpenAlert);
  const { acknowledgedAtMs, snoozedUntilMs = null, escalationStage } = open.state;
  const { escalationStages: stages } = await loadRules(context, { db, checkId: check.id });
  const number = escalationStage + 1;
  return {
    check,
    isAcknowledged: acknowledgedAtMs !== null,
    snoozedUntil: snoozedUntilMs === null ? null : new Date(snoozedUntilMs),
    nextStep: orderStages(stages)[number - 1] === undefined ? null : describeStage(stages, number),
  };
}

/** Sends the next step of the escalation now. */
export function escalateCheck(
  context: ResponsesContext,
  caller: Caller,
  id: string,
): Promise<Response> {
  return respond(context, caller, id, async (open) => {
    const { escalationStages: stages } = await loadRules(context, open);
    const number = open.state.escalationStage + 1;
    if (orderStages(stages)[number - 1] === undefined) throw conflict(noFurtherStep);
    const next = hurryNextStage(open.state, `Escalated by ${caller.label}.`);
    const summary = `Escalation starts now: ${describeStage(stages, number)}.`;
    return { state: next, action: "alert.escalated", summary };
  });
}

interface Assignee {
  readonly checkId: string;
  readonly userId?: string | null | undefined;
  readonly scheduleId?: string | null | undefined;
}

/** Pages somebody instead of those who are paged so far. Later steps follow after their minutes. */
export function reassignCheck(
  context: ResponsesContext,
  caller: Caller,
  { checkId: id, ...target }: Assignee,
): Promise<Response> {
  return respond(context, caller, id, async (open) => {
    const { db, checkId, state, now } = open;
    const rules = await loadRules(context, open);
    const next = postponeNextStage(state, { nowMs: now.getTime(), rules });
    // The steps of the page depend on whether the alert is acknowledged.
    await saveAlertState(db, caller.accountId, { checkId, state: next, now });
    const { alertNumber } = state;
    const by = `${caller.label}, who reassigned it`;
    await cancelAcknowledged(db, [{ checkId, alertNumber }], { at: now, by });
    const note = "The alert was reassigned to you.";
    const page = await pageSomebody({ ...context, db }, caller, { ...target, checkId, note });
    const summary = `Reassigned to ${page.recipient}.`;
    return { state: next, action: null, summary };
  });
}

const CheckParams = Type.Object({ checkId: Described(Guid, "The check's id.") });

const ResponseSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    alertNumber: Type.Integer({
      description: "Sequence number of the alert within its check.",
      examples: [3],
    }),
    snoozedUntil: Described(
      OrNull(DateTime),
      "When the alert is sent again; `null` if it is not snoozed.",
      null,
    ),
    summary: Type.String({
      description: "What follows, as a sentence.",
      examples: ["Reassigned to Anna (push, email)."],
    }),
  },
  { title: "AlertResponse" },
);

function toWireResponse({ snoozedUntil, ...response }: Response) {
  return { ...response, snoozedUntil: snoozedUntil && formatDateTime(snoozedUntil) };
}

const path = "/v1/check-alerts/:checkId";
const common = {
  tags: ["Alerts"],
  params: CheckParams,
  response: answers({ 200: ResponseSchema }, "notFound", "conflict"),
};

export function addResponseRoutes(server: HttpServer, context: ResponsesContext): void {
  server.post(
    `${path}/snooze`,
    {
      config: { access: "run" },
      schema: {
        ...common,
        operationId: "snoozeCheckAlert",
        summary: "Snooze a check's open alert",
        description:
          "Stops reminders and escalation until then. If the problem still exists, the alert is " +
          "sent again, and its escalation starts with the first step.",
        body: Type.Object(
          {
            minutes: Type.Integer({
              description: "How long it is snoozed.",
              ...snoozeMinutes,
              examples: [60],
            }),
          },
          { title: "SnoozeInput" },
        ),
      },
    },
    async ({ caller, params, body }) => {
      const snooze = { checkId: params.checkId, minutes: body.minutes };
      return toWireResponse(await snoozeCheck(context, caller, snooze));
    },
  );
  server.post(
    `${path}/escalate`,
    {
      config: { access: "run" },
      schema: {
        ...common,
        operationId: "escalateCheckAlert",
        summary: "Escalate a check's open alert now",
        description:
          "Sends the next step of the escalation without waiting for its minutes. Ends an " +
          "acknowledgement. Returns 409 if there is no further step.",
      },
    },
    async ({ caller, params }) =>
      toWireResponse(await escalateCheck(context, caller, params.checkId)),
  );
  server.post(
    `${path}/reassign`,
    {
      config: { access: "run" },
      schema: {
        ...common,
        operationId: "reassignCheckAlert",
        summary: "Reassign a check's open alert to a member or a schedule",
        description:
          "Pages the member, or who is on call, and cancels the waiting messages of earlier " +
          "pages. Ends an acknowledgement. Later steps follow after their own minutes from now.",
        body: Type.Object(
          {
            userId: Described(Type.Optional(OrNull(Guid)), "The member, unless scheduleId is set."),
            scheduleId: Described(
              Type.Optional(OrNull(Guid)),
              "The schedule whose person on call is paged.",
              null,
            ),
          },
          { title: "ReassignInput" },
        ),
      },
    },
    async ({ caller, params, body }) => {
      const { userId, scheduleId } = body;
      const assignee = { checkId: params.checkId, userId, scheduleId };
      return toWireResponse(await reassignCheck(context, caller, assignee));
    },
  );
}
