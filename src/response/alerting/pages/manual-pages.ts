import { Type } from "typebox";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import {
  type AlertMessage,
  type ChannelsContext,
  loadReaches,
} from "../../../channels/alert-channels/index.ts";
import { type Check, getCheck } from "../../../checks/checks/index.ts";
import { kinds } from "../../../kinds/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Described, Guid, OrNull } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { listOpenAlertStates, type OpenAlertState } from "../acknowledgements/store.ts";
import { createAcknowledgeUrl, headlines, writeAlertUrl } from "../alert-message.ts";
import { findManualPage, hasManualPageSince, insertManualPage } from "./manual-page-store.ts";
import { describePlan } from "./page.ts";
import { findPaged, nameMethod } from "./paged-members.ts";
import { insertPageMessages } from "./storm-store.ts";

export interface ManualPagesContext
  extends Pick<ChannelsContext, "db" | "clock" | "encryption" | "sendTools"> {
  /** Returns the base URL of links in messages. */
  readonly publicUrl: () => string;
}

const maxNoteLength = 500;
/** Minimum time between pages to a member about an alert. Earlier requests are rejected. */
const repeatMs = 60_000;
const createDeliveryId = createOrderedIds();

export interface PageRequest {
  readonly checkId: string;
  /** Id of the member to page. Exactly one of `userId` and `scheduleId` must be set. */
  readonly userId?: string | null | undefined;
  readonly scheduleId?: string | null | undefined;
  readonly note?: string | undefined;
}

/** The page that a request would send: its check, open alert, member and contact methods. */
export interface PreparedPage {
  readonly check: Check;
  readonly open: OpenAlertState & { readonly alertId: string };
  readonly userId: string;
  readonly name: string;
  /** Description of the steps, such as "push, email; after 5 minutes ntfy". */
  readonly plan: string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly methodId: string;
  readonly channelType: string;
  readonly methodName: string;
  readonly afterMinutes: number;
}

/** Decides whom a request would page. Rejects the request if the page cannot be sent. */
export async function preparePage(
  context: ManualPagesContext,
  caller: Caller,
  { checkId, userId = null, scheduleId = null }: PageRequest,
): Promise<PreparedPage> {
  const { db } = context;
  const { accountId } = caller;
  if ((userId === null) === (scheduleId === null)) {
    throw invalid("userId", "is required, or scheduleId; not both");
  }
  const check = await getCheck(context, caller, checkId);
  const [open] = await listOpenAlertStates(db, accountId, { checkId: check.id, limit: 1 });
  if (open === undefined || open.alertId === null) {
    throw conflict("the check has no open alert to page about");
  }
  const found = await findPaged(context, accountId, { userId, scheduleId });
  if (found.userId === null) throw conflict(`nobody can be paged. ${found.reason}`);
  const reach = (await loadReaches(context, accountId, [found.userId])).get(found.userId);
  if (reach === undefined)
    throw invalid("userId", "is not a member of this account; invite them first");
  // A person requested the page, so apply the notification rules for high urgency.
  const all = reach.plan({ urgency: "HIGH", atMs: context.clock.nowMs() });
  if (all.length === 0)
    throw conflict(
      `${reach.name} has no working contact method; page somebody else, or let them add one`,
    );
  const first = all[0]?.afterMinutes ?? 0;
  const isAcknowledged = open.state.acknowledgedAtMs !== null;
  const steps = all
    .filter(({ afterMinutes }) => !isAcknowledged || afterMinutes === first)
    .map(({ method, afterMinutes }) => ({
      methodId: method.id,
      channelType: method.type,
      methodName: nameMethod(method),
      afterMinutes,
    }));
  const plan = describePlan(
    steps.map(({ methodName: name, afterMinutes }) => ({ name, afterMinutes })),
  );
  const { alertId } = open;
  return { check, open: { ...open, alertId }, userId: reach.userId, name: reach.name, plan, steps };
}

function writeMessage(
  context: ManualPagesContext,
  caller: Caller,
  { check, open, userId }: PreparedPage,
  note: string,
): AlertMessage {
  const { id: checkId, settings } = check;
  const kind = kinds[check.kind];
  const { state, alertId } = open;
  const base = context.publicUrl();
  const alertKind = state.alertedKind ?? "ALERT_FAILURE";
  const by = toShortLine(caller.label, 100);
  const reason = note === "" ? `Paged by ${by}.` : `Paged by ${by}: ${note}`;
  return {
    idempotencyKey: "",
    kind: alertKind,
    title: `${by} pages you: ${settings.name} ${headlines[alertKind]}`,
    reason,
    checkId,
    checkName: settings.name,
    checkType: kind.type,
    target: kind.target(settings),
    groupName: null,
    tags: settings.tags,
    resultId: null,
    resultUrl: null,
    alertUrl: writeAlertUrl(base, alertId),
    location: null,
    responseTimeMs: null,
    facts: [],
    startedAt: new Date(state.troubleStartedAtMs ?? state.sinceMs).toISOString(),
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: createAcknowledgeUrl(context, base, {
      checkId,
      alertNumber: state.alertNumber,
      userId,
    }),
    isPage: true,
  };
}

/**
 * Stores the page and its messages. The caller must open one transaction for both, so that a crash
 * neither loses nor repeats messages.
 */
async function storePage(
  context: ManualPagesContext,
  caller: Caller,
  page: { readonly id: string; readonly prepared: PreparedPage; readonly note: string },
): Promise<void> {
  const { db, clock } = context;
  const { id, prepared, note } = page;
  const { open, userId, name, plan, steps } = prepared;
  const { accountId } = caller;
  const { alertId, checkId } = open;
  const at = clock.now();
  await lockName(db, `manual page ${alertId} ${userId}`);
  const since = new Date(at.getTime() - repeatMs);
  if (await hasManualPageSince(db, accountId, { alertId, userId, since })) {
    throw conflict(`${name} was paged about this alert within the last minute`);
  }
  const message = writeMessage(context, caller, prepared, note);
  const common = { accountId, alertId, checkId, alertChannelId: null, pageId: id, userId };
  const shortName = toShortLine(name, 100);
  await insertManualPage(db, accountId, {
    ...common,
    id,
    recipient: toShortLine(`${shortName} (${plan})`, 300),
    message: { ...message, idempotencyKey: id },
    at,
  });
  const messages = steps.map(({ methodName, ...step }) => {
    const messageId = createDeliveryId();
    return {
      ...common,
      ...step,
      id: messageId,
      recipient: toShortLine(`${shortName}: ${methodName}`, 300),
      message: { ...message, idempotencyKey: messageId },
      isGrouped: false,
    };
  });
  await insertPageMessages(db, messages, at);
  const changes = { checkId, userId, name, note };
  await writeAuditEntry(db, caller, { action: "on-call-page.created", targetId: id, changes, at });
}

export interface ManualPage {
  readonly id: string;
  readonly alertId: string;
  readonly checkId: string;
  readonly userId: string;
  readonly recipient: string;
}

/** Pages a member about the open alert of a check, according to the member's notification rules. */
export async function pageSomebody(
  context: ManualPagesContext,
  caller: Caller,
  request: PageRequest,
  key?: string,
): Promise<ManualPage> {
  const id = createDeliveryId();
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const within = { ...context, db };
    const once = { key, operation: "on-call-page.created", body: request, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      const prepared = await preparePage(within, caller, request);
      await storePage(within, caller, { id, prepared, note: request.note?.trim() ?? "" });
    });
    return getManualPage(db, caller.accountId, targetId);
  });
}

async function getManualPage(db: Database, accountId: string, id: string): Promise<ManualPage> {
  const page = await findManualPage(db, accountId, id);
  if (page === null) throw notFound();
  return page;
}

const PageBody = Type.Object(
  {
    checkId: Described(Guid, "The check whose open alert the page is about."),
    userId: Described(Type.Optional(OrNull(Guid)), "The member to page, unless scheduleId is set."),
    scheduleId: Described(
      Type.Optional(OrNull(Guid)),
      "Pages the person who is on call for this schedule now.",
      null,
    ),
    note: Type.Optional(
      Type.String({
        description: "What the person should know, shown in the message.",
        examples: ["Customers cannot pay"],
        maxLength: maxNoteLength,
      }),
    ),
  },
  { title: "OnCallPageInput" },
);

const PageSchema = Type.Object(
  {
    id: Described(Guid, "Id of the delivery that is the page."),
    alertId: Described(Guid, "The alert, whose history shows the page and its messages."),
    checkId: Described(Guid, "The check."),
    userId: Described(Guid, "The paged member."),
    recipient: Type.String({
      description: "The member, and how they are reached when.",
      examples: ["Anna (push, email; after 5 minutes ntfy)"],
    }),
  },
  { title: "OnCallPage" },
);

export function addManualPageRoutes(server: HttpServer, context: ManualPagesContext): void {
  server.post(
    "/v1/on-call/pages",
    {
      config: { access: "run" },
      schema: {
        tags: ["On call"],
        operationId: "pageMember",
        summary: "Page a member, or who is on call, about an open alert",
        description:
          "The member is reached by their notification rules for urgent pages. Later steps are " +
          "not sent once the alert is acknowledged. If no message reaches them, the next " +
          "escalation stage or the fallback receives it.",
        headers: IdempotencyHeaders,
        body: PageBody,
        response: answers({ 201: PageSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const page = await pageSomebody(context, caller, body, headers["idempotency-key"]);
      return reply.code(201).send(page);
    },
  );
}
