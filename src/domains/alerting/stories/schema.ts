import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import {
  AlertRecordSchema,
  ReceiptSchema,
  toWireAlertRecord,
  toWireReceipt,
} from "../notifications/schema.ts";
import type { AlertStory, ComingSteps } from "./actions.ts";

export const StoryParams = Type.Object({
  id: Described(Guid, "The id of any alert that is part of it."),
});

const Acknowledged = Type.Object(
  {
    at: Described(DateTime, "When it was acknowledged."),
    by: Type.String({ description: "Who did.", examples: ["ada@example.com"] }),
  },
  { description: "The acknowledgement; null: nobody has." },
);

const Escalation = Type.Object(
  {
    at: Described(DateTime, "When the stage is reached."),
    stage: Type.Integer({ description: "Which stage, from 1.", examples: [1] }),
    alertChannelIds: Type.Array(Type.Integer(), {
      description: "The channels that are told then.",
      examples: [[7]],
    }),
  },
  { description: "The next stage of escalation; null: there is none." },
);

const Coming = Type.Object(
  {
    reminderAt: Described(OrNull(DateTime), "When the next reminder is due; null: there is none."),
    escalation: OrNull(Escalation),
    heldReason: Described(
      OrNull(Type.String()),
      "Why nothing is sent although it is due, such as muted; null: nothing holds it.",
      null,
    ),
  },
  {
    description:
      "What follows unless somebody acknowledges it or the check recovers; null: nothing does.",
  },
);

export const StorySchema = Type.Object(
  {
    id: Described(Guid, "The first alert that was sent, or the first that was held."),
    checkId: Described(Guid, "The check's id."),
    name: Described(
      OrNull(Type.String()),
      "The check's name; null: the check was deleted.",
      "Router",
    ),
    status: Described(
      OneOf(["open", "recovered", "ended", "held", "notice"]),
      "open: no recovery so far. recovered: a recovery was told. ended: the check was deleted. " +
        "held: nobody was told. notice: about a certificate, which has no recovery.",
    ),
    startedAt: Described(OrNull(DateTime), "When the trouble began; null: it is not known."),
    openedAt: Described(OrNull(DateTime), "When it was first told; null: it was not."),
    recoveredAt: Described(OrNull(DateTime), "When the recovery was told; null: it was not."),
    acknowledgement: OrNull(Acknowledged),
    decisions: Type.Array(AlertRecordSchema, {
      description:
        "What was decided, oldest first: the alert, reminders, stages of escalation, what was " +
        "held, the recovery. Of more than 200 the first 50 and the last 150.",
    }),
    decisionsTotal: Type.Integer({ description: "How many there are.", examples: [2] }),
    messages: Type.Array(ReceiptSchema, {
      description: "The messages of these decisions, oldest first, at most 500.",
    }),
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

export function toWireStory(story: AlertStory) {
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
    decisions: story.decisions.map(toWireAlertRecord),
    decisionsTotal: story.decisionsTotal,
    messages: story.messages.map(toWireReceipt),
    next: story.next && toWireNext(story.next),
  };
}
