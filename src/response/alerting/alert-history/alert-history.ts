import { Type } from "typebox";
import type { Caller } from "../../../access/accounts/index.ts";
import type { PathReport } from "../../../kinds/kit/paths/compare-paths.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { notFound } from "../../../platform/errors.ts";
import {
  answers,
  DateTime,
  Described,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  findPathBetween,
  PathReportSchema,
  toWirePathReport,
} from "../../../runs/results/index.ts";
import {
  type AlertResponse,
  listResponses,
  responseActions,
} from "../acknowledgements/response-store.ts";
import { findHold, type HoldReason } from "../alert-rules.ts";
import { type AlertState, findNextSteps, isAlertCurrent } from "../alert-state.ts";
import type { AlertingContext } from "../context.ts";
import { loadDecisionSnapshot, rulesFor } from "../decision-snapshot.ts";
import {
  AlertRecordSchema,
  ReceiptSchema,
  toWireAlertRecord,
  toWireReceipt,
} from "../notifications/schema.ts";
import { type AlertRecord, listReceiptsOf, type Receipt } from "../notifications/store.ts";
import {
  decideStatus,
  findAcknowledgement,
  findAlertRecord,
  findAlertState,
  findTimes,
  isHeld,
  listStory,
  type StoredAcknowledgement,
  type StoryStatus,
  type StoryTimes,
} from "./history-store.ts";

const maxMessages = 500;

/** Next reminder and escalation, unless the alert is acknowledged or the check recovers. */
export interface ComingSteps {
  readonly reminderAtMs: number | null;
  readonly escalation: {
    readonly atMs: number;
    readonly stage: number;
    readonly alertChannelIds: readonly number[];
  } | null;
  /** Why due messages are held; `null` if they are not held. */
  readonly heldReason: HoldReason | null;
}

export interface AlertStory extends StoryTimes {
  readonly id: string;
  readonly checkId: string;
  readonly checkName: string | null;
  readonly status: StoryStatus;
  readonly acknowledgement: StoredAcknowledgement | null;
  /** Responses of people to the alert, such as a snooze. Acknowledgements are not included. */
  readonly responses: readonly AlertResponse[];
  readonly decisions: readonly AlertRecord[];
  readonly decisionsTotal: number;
  readonly messages: readonly Receipt[];
  /** Network path that was traced when the problem began; `null` if none was traced. */
  readonly path: PathReport | null;
  /** Next steps of the open alert; `null` if no reminder or escalation follows. */
  readonly next: ComingSteps | null;
}

async function findComingSteps(
  context: AlertingContext,
  checkId: string,
  state: AlertState,
): Promise<ComingSteps | null> {
  if (!isAlertCurrent(state) || state.acknowledgedAtMs !== null) return null;
  const snapshot = await loadDecisionSnapshot(context, [checkId]);
  const watched = snapshot.watched.get(checkId);
  if (watched === undefined) return null;
  const rules = rulesFor(snapshot, watched);
  const { reminderAtMs, escalation } = findNextSteps(state, rules);
  if (reminderAtMs === null && escalation === null) return null;
  const stages = rules.escalationStages.toSorted(
    (one, other) => one.afterMinutes - other.afterMinutes,
  );
  const alertChannelIds = stages[(escalation?.stage ?? 0) - 1]?.channelIds ?? [];
  const hold = findHold(rules, [context.clock.now().getTime()]) ?? state.heldReason;
  return {
    reminderAtMs,
    escalation: escalation && { ...escalation, alertChannelIds },
    heldReason: hold ?? (state.isFlapping ? "flapping" : null),
  };
}

/** Finds the network path that was traced when the problem began. */
function findStoryPath(
  { db, clock }: AlertingContext,
  checkId: string,
  { startedAt, recoveredAt }: StoryTimes,
): Promise<PathReport | null> {
  if (startedAt === null) return Promise.resolve(null);
  const toMs = (recoveredAt ?? clock.now()).getTime() + 1;
  return findPathBetween(db, checkId, { fromMs: startedAt.getTime(), toMs });
}

/** Loads the history of the problem to which an alert belongs. */
export async function readStory(
  context: AlertingContext,
  { accountId }: Pick<Caller, "accountId">,
  id: string,
): Promise<AlertStory> {
  const { db } = context;
  const alert = await findAlertRecord(db, accountId, id);
  if (alert === null) throw notFound();
  const { checkId, checkName } = alert;
  const { decisions, total } = await listStory(db, accountId, alert);
  const opening = decisions.find((one) => !isHeld(one)) ?? null;
  const state = opening === null ? null : await findAlertState(db, accountId, checkId);
  const isOpen = state?.alertedKind != null && state.alertNumber === opening?.alertNumber;
  const alertIds = decisions.map((one) => one.id);
  const times = findTimes(decisions);
  return {
    id: (opening ?? decisions[0] ?? alert).id,
    checkId,
    checkName,
    status: decideStatus(decisions, isOpen),
    ...times,
    acknowledgement: opening === null ? null : await findAcknowledgement(db, accountId, opening),
    responses: opening === null ? [] : await listResponses(db, accountId, opening),
    decisions,
    decisionsTotal: total,
    messages: await listReceiptsOf(db, accountId, { alertIds, limit: maxMessages }),
    path: await findStoryPath(context, checkId, times),
    next: isOpen ? await findComingSteps(context, checkId, state) : null,
  };
}

const StoryParams = Type.Object({
  id: Described(Guid, "The id of any alert of the problem."),
});

const Acknowledged = Type.Object(
  {
    at: Described(DateTime, "When it was acknowledged."),
    by: Type.String({ description: "Who did.", examples: ["ada@example.com"] }),
  },
  { description: "The newest acknowledgement or snooze; `null` if there is none." },
);

const Responded = Type.Object(
  {
    id: Described(Guid, "Its id."),
    at: Described(DateTime, "When it happened."),
    by: Type.String({ description: "Who did it.", examples: ["ada@example.com"] }),
    action: Described(OneOf(responseActions), "What was done."),
    until: Described(OrNull(DateTime), "The end of a snooze; `null` for other actions.", null),
    target: Described(
      OrNull(Type.String()),
      "Who is paged instead, or the step that was sent; `null` for a snooze.",
      "Anna (push, email)",
    ),
  },
  { title: "AlertStoryResponse" },
);

const Escalation = Type.Object(
  {
    at: Described(DateTime, "When the stage is reached."),
    stage: Type.Integer({ description: "Which stage, from 1.", examples: [1] }),
    alertChannelIds: Type.Array(Type.Integer(), {
      description: "The channels that the stage alerts.",
      examples: [[7]],
    }),
  },
  { description: "The next escalation stage; `null` if there is none." },
);

const Coming = Type.Object(
  {
    reminderAt: Described(OrNull(DateTime), "When the next reminder is due; `null` if none is."),
    escalation: OrNull(Escalation),
    heldReason: Described(
      OrNull(Type.String()),
      "Why due messages are held, such as `muted`; `null` if they are not held.",
      null,
    ),
  },
  {
    description:
      "Steps that follow unless it is acknowledged or the check recovers; `null` if none do.",
  },
);

const StorySchema = Type.Object(
  {
    id: Described(Guid, "The first alert that was sent, or the first held alert if none was sent."),
    checkId: Described(Guid, "The check's id."),
    name: Described(
      OrNull(Type.String()),
      "The check's name; `null` if the check was deleted.",
      "Router",
    ),
    status: Described(
      OneOf(["open", "recovered", "ended", "held", "notice"]),
      "open: no recovery yet. recovered: a recovery was sent. ended: the check was deleted. " +
        "held: no alert was sent. notice: about a certificate, which has no recovery.",
    ),
    startedAt: Described(OrNull(DateTime), "When the problem began; `null` if unknown."),
    openedAt: Described(OrNull(DateTime), "When the first alert was sent; `null` if none was."),
    recoveredAt: Described(OrNull(DateTime), "When the recovery was sent; `null` if it was not."),
    acknowledgement: OrNull(Acknowledged),
    responses: Type.Array(Responded, {
      description: "When somebody snoozed, reassigned or escalated it, oldest first, at most 200.",
    }),
    decisions: Type.Array(AlertRecordSchema, {
      description:
        "Decisions, oldest first: the alert, reminders, escalation stages, held alerts and the " +
        "recovery. If there are more than 200, the first 50 and the last 150.",
    }),
    decisionsTotal: Type.Integer({ description: "Total number of decisions.", examples: [2] }),
    messages: Type.Array(ReceiptSchema, {
      description: "Messages of the listed decisions, oldest first, at most 500.",
    }),
    path: Described(
      OrNull(PathReportSchema),
      "The path to the target when the problem began; `null` if it was not traced.",
    ),
    next: OrNull(Coming),
  },
  { title: "AlertStory" },
);

const writeMs = (ms: number) => formatDateTime(new Date(ms));

function toWireNext({ reminderAtMs, escalation, heldReason }: ComingSteps) {
  return {
    reminderAt: reminderAtMs === null ? null : writeMs(reminderAtMs),
    escalation: escalation && {
      at: writeMs(escalation.atMs),
      stage: escalation.stage,
      alertChannelIds: [...escalation.alertChannelIds],
    },
    heldReason,
  };
}

function toWireStory(story: AlertStory) {
  const { startedAt, openedAt, recoveredAt, acknowledgement } = story;
  return {
    id: story.id,
    checkId: story.checkId,
    name: story.checkName,
    status: story.status,
    startedAt: startedAt && formatDateTime(startedAt),
    openedAt: openedAt && formatDateTime(openedAt),
    recoveredAt: recoveredAt && formatDateTime(recoveredAt),
    acknowledgement: acknowledgement && {
      at: formatDateTime(acknowledgement.at),
      by: acknowledgement.by,
    },
    responses: story.responses.map(({ at, until, ...response }) => {
      return { ...response, at: formatDateTime(at), until: until && formatDateTime(until) };
    }),
    decisions: story.decisions.map(toWireAlertRecord),
    decisionsTotal: story.decisionsTotal,
    messages: story.messages.map(toWireReceipt),
    path: story.path && toWirePathReport(story.path),
    next: story.next && toWireNext(story.next),
  };
}

export function addStoryRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/alert-stories/:id",
    {
      config: { access: "read" },
      schema: {
        tags: ["Alerts"],
        operationId: "getAlertStory",
        summary: "Get the whole history of an alert",
        description:
          "From the first alert of a problem to its recovery: every decision with its reason, every " +
          "message with its attempts, the acknowledgement, and the steps that follow.",
        params: StoryParams,
        response: answers({ 200: StorySchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireStory(await readStory(context, caller, params.id)),
  );
}
