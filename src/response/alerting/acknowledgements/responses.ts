import { Type } from "typebox";
import { type AuditActor, type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Check, getCheck } from "../../../checks/checks/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { describeStage, orderStages } from "../alert-rules.ts";
import {
  type AlertState,
  hurryNextStage,
  isAlertCurrent,
  postponeNextStage,
  snoozeAlert,
} from "../alert-state.ts";
import type { AlertingContext } from "../context.ts";
import { saveAlertState } from "../decider-store.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import { type ManualPagesContext, pageSomebody } from "../pages/manual-pages.ts";
import { cancelAcknowledged } from "../pages/page-store.ts";
import { type AlertResponse, insertResponse } from "./response-store.ts";
import {
  type AcknowledgeableState,
  insertAcknowledgement,
  listOpenAlertStates,
  lockAlertState,
} from "./store.ts";

export type ResponsesContext = AlertingContext & ManualPagesContext;

const minuteMs = 60_000;
export const snoozeMinutes = { minimum: 15, maximum: 1_440 } as const;
export const noFurtherStep = "the escalation has no further step; page a member instead";

interface Response {
  readonly accountId: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly alertNumber: number;
  readonly snoozedUntil: Date | null;
  /** One sentence that says what happens after the response, for example "Snoozed until 09:00.". */
  readonly summary: string;
}

interface Open {
  readonly db: Database;
  readonly accountId: string;
  readonly checkId: string;
  readonly state: AlertState;
  readonly now: Date;
  /** Display name of the person who responds. */
  readonly by: string;
}

/** The response as stored in the history of the alert. */
type Entry = Pick<AlertResponse, "action" | "until" | "target">;

interface Changed {
  readonly state: AlertState;
  readonly entry: Entry;
  readonly summary: string;
}

interface About {
  readonly checkId: string;
  /**
   * Number of the alert that a link was created for, even if that alert has ended. `null` means the
   * open alert.
   */
  readonly alertNumber: number | null;
}

const createResponseId = createOrderedIds();
const auditActions = { SNOOZED: "alert.snoozed", ESCALATED: "alert.escalated" } as const;

/** Locks the open alert of a check, computes the change, and stores the new state. */
export async function respond(
  context: ResponsesContext,
  { checkId, alertNumber: expected }: About,
  who: (known: AcknowledgeableState) => AuditActor | Promise<AuditActor>,
  /** Computes the change. Returns `null` if the response changes nothing. */
  change: (open: Open) => Promise<Changed | null>,
): Promise<Response> {
  const now = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const known = await lockAlertState(db, null, checkId);
    if (known === null) throw expected === null ? nothingOpen() : notFound();
    const actor = await who(known);
    const { state: before, accountId, checkName } = known;
    if (actor.accountId !== accountId) throw notFound();
    const { alertNumber } = before;
    if (!isAlertCurrent(before) || alertNumber !== (expected ?? alertNumber)) throw nothingOpen();
    const changed = await change({ db, accountId, checkId, state: before, now, by: actor.label });
    const { state, summary } = changed ?? { state: before, summary: "Nothing changed." };
    if (changed !== null) {
      const { entry } = changed;
      await saveAlertState(db, accountId, { checkId, state, now });
      const row = { ...entry, id: createResponseId(), at: now, by: actor.label };
      await insertResponse(db, accountId, { ...row, checkId, alertNumber });
      // A reassignment is already in the audit log, because paging somebody writes an entry.
      if (entry.action !== "REASSIGNED") {
        const action = auditActions[entry.action];
        const changes = { name: checkName, alertNumber, summary };
        await writeAuditEntry(db, actor, { action, targetId: checkId, changes, at: now });
      }
    }
    const { snoozedUntilMs = null } = state;
    const snoozedUntil = snoozedUntilMs === null ? null : new Date(snoozedUntilMs);
    return { checkId, checkName, accountId, alertNumber, snoozedUntil, summary };
  });
}

const nothingOpen = () => conflict("there is no open alert; it may have ended");

async function respondAsCaller(
  context: ResponsesContext,
  caller: Caller,
  id: string,
  change: (open: Open) => Promise<Changed>,
): Promise<Response> {
  const { id: checkId } = await getCheck(context, caller, id);
  return respond(context, { checkId, alertNumber: null }, () => caller, change);
}

async function loadRules(context: ResponsesContext, { db, checkId }: Pick<Open, "db" | "checkId">) {
  const snapshot = await loadDecisionSnapshot({ ...context, db }, [checkId]);
  const watched = snapshot.watched.get(checkId);
  if (watched === undefined) throw conflict("the check is not active");
  return rulesFor(snapshot, watched);
}

/** Snoozes an alert. After the snooze, the alert is sent again and escalated from step 1. */
export async function snooze(
  { db, accountId, checkId, state, now, by: label }: Open,
  minutes: number,
): Promise<Changed> {
  const until = new Date(now.getTime() + minutes * minuteMs);
  const by = `${label}, snoozed until ${formatDateTime(until)}`;
  const times = { atMs: now.getTime(), untilMs: until.getTime() };
  const done = { checkId, alertNumber: state.alertNumber, at: now, by };
  await insertAcknowledgement(db, accountId, { ...done, by: label });
  await cancelAcknowledged(db, [done], done);
  return {
    state: snoozeAlert(state, { ...times, by: label }),
    entry: { action: "SNOOZED", until, target: null },
    summary: `Snoozed until ${formatDateTime(until)}.`,
  };
}

/** Returns the number and description of the next escalation step; `null` if no step is left. */
export async function findNextStage(
  context: ResponsesContext,
  open: Pick<Open, "db" | "checkId" | "state">,
): Promise<{ readonly number: number; readonly name: string } | null> {
  const { escalationStages: stages } = await loadRules(context, open);
  const number = open.state.escalationStage + 1;
  if (orderStages(stages)[number - 1] === undefined) return null;
  return { number, name: describeStage(stages, number) };
}

/** Makes the next escalation step of an alert due immediately. */
export async function escalate(context: ResponsesContext, open: Open): Promise<Changed> {
  const stage = await findNextStage(context, open);
  if (stage === null) {
    throw conflict(noFurtherStep);
  }
  return {
    state: hurryNextStage(open.state, `Escalated by ${open.by}.`),
    entry: { action: "ESCALATED", until: null, target: stage.name },
    summary: `Escalation starts now: ${stage.name}.`,
  };
}

export function snoozeCheck(
  context: ResponsesContext,
  caller: Caller,
  { checkId, minutes }: { readonly checkId: string; readonly minutes: number },
): Promise<Response> {
  return respondAsCaller(context, caller, checkId, (open) => snooze(open, minutes));
}

/** A check and its open alert, shown to a person who may respond. */
export interface PreparedResponse {
  readonly check: Check;
  readonly isAcknowledged: boolean;
  readonly snoozedUntil: Date | null;
  /** Description of the next escalation step; `null` if no step is left. */
  readonly nextStep: string | null;
}

/** Loads the open alert of a check. Throws a conflict if the check has no open alert. */
export async function prepareResponse(
  context: ResponsesContext,
  caller: Caller,
  id: string,
): Promise<PreparedResponse> {
  const { db } = context;
  const check = await getCheck(context, caller, id);
  const [open] = await listOpenAlertStates(db, caller.accountId, { checkId: check.id, limit: 1 });
  if (open === undefined || !isAlertCurrent(open.state)) throw nothingOpen();
  const { state } = open;
  const { acknowledgedAtMs, snoozedUntilMs = null } = state;
  const next = await findNextStage(context, { db, checkId: check.id, state });
  return {
    check,
    isAcknowledged: acknowledgedAtMs !== null,
    snoozedUntil: snoozedUntilMs === null ? null : new Date(snoozedUntilMs),
    nextStep: next?.name ?? null,
  };
}

export function escalateCheck(
  context: ResponsesContext,
  caller: Caller,
  id: string,
): Promise<Response> {
  return respondAsCaller(context, caller, id, (open) => escalate(context, open));
}

interface Assignee {
  readonly checkId: string;
  readonly userId?: string | null | undefined;
  readonly scheduleId?: string | null | undefined;
}

/**
 * Pages another member, cancels the pending messages of earlier pages, and restarts the wait for
 * the next step.
 */
export function reassignCheck(
  context: ResponsesContext,
  caller: Caller,
  { checkId: id, ...target }: Assignee,
): Promise<Response> {
  return respondAsCaller(context, caller, id, async (open) => {
    const { db, checkId, state, now } = open;
    const rules = await loadRules(context, open);
    const next = postponeNextStage(state, { nowMs: now.getTime(), rules });
    // Save the new state before paging: the page depends on whether the alert is acknowledged.
    await saveAlertState(db, caller.accountId, { checkId, state: next, now });
    const { alertNumber } = state;
    const by = `${caller.label}, who reassigned it`;
    await cancelAcknowledged(db, [{ checkId, alertNumber }], { at: now, by });
    const note = "The alert was reassigned to you.";
    const page = await pageSomebody({ ...context, db }, caller, { ...target, checkId, note });
    return {
      state: next,
      entry: { action: "REASSIGNED", until: null, target: page.recipient },
      summary: `Reassigned to ${page.recipient}.`,
    };
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

function toWireResponse({ checkId, alertNumber, snoozedUntil, summary }: Response) {
  return {
    checkId,
    alertNumber,
    summary,
    snoozedUntil: snoozedUntil && formatDateTime(snoozedUntil),
  };
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
