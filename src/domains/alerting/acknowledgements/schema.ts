import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import type { Acknowledgement, ManyAcknowledged } from "./actions.ts";
import type { OpenAlertState } from "./store.ts";

export const CheckParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
export const TokenParams = Type.Object({
  token: Type.String({ description: "The token of the link.", minLength: 20, maxLength: 500 }),
});

export const AcknowledgementSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["Router"] }),
    alertNumber: Type.Integer({
      description: "Sequence number of the alert within its check.",
      examples: [3],
    }),
    acknowledgedAt: Described(DateTime, "When it was acknowledged."),
  },
  { title: "Acknowledgement" },
);

export const ManyAcknowledgedBody = Type.Object(
  {
    checkIds: Type.Array(Guid, {
      description: "The checks whose open alerts are acknowledged.",
      minItems: 1,
      maxItems: 1_000,
      examples: [[exampleId]],
    }),
  },
  { title: "AcknowledgeManyInput" },
);

export const ManyAcknowledgedSchema = Type.Object(
  {
    acknowledged: Type.Integer({
      description: "Number of alerts acknowledged by this request.",
      examples: [54],
    }),
    checks: Type.Array(
      Type.Object({
        checkId: Described(Guid, "The check's id."),
        outcome: Described(
          OneOf(["acknowledged", "unchanged", "notOpen"]),
          "`unchanged` if it was already acknowledged; `notOpen` if the check has no open alert.",
        ),
      }),
      { description: "The outcome of each check." },
    ),
  },
  { title: "AcknowledgedAlerts" },
);

export function toWireManyAcknowledged(checks: readonly ManyAcknowledged[]) {
  const acknowledged = checks.filter(({ outcome }) => outcome === "acknowledged").length;
  return { acknowledged, checks: [...checks] };
}

export const OpenAlertQuery = Type.Object({
  limit: Type.Integer({
    description: "Maximum number of alerts to return.",
    minimum: 1,
    maximum: 1_000,
    default: 100,
  }),
});
export const OpenAlertList = Type.Array(
  Type.Object(
    {
      checkId: Described(Guid, "The check's id."),
      alertId: Described(
        OrNull(Guid),
        "Id of the first alert, for reading its history; `null` if it is no longer stored.",
      ),
      name: Type.String({ description: "The check's name.", examples: ["Router"] }),
      alertNumber: Type.Integer({
        description: "Sequence number of the alert within its check.",
        examples: [3],
      }),
      alertType: Type.String({
        description: "Kind of the newest alert.",
        examples: ["ALERT_FAILURE"],
      }),
      openedAt: Described(DateTime, "When the first alert was sent."),
      remindersSent: Type.Integer({ description: "Number of reminders sent.", examples: [0] }),
      acknowledgedAt: Described(
        OrNull(DateTime),
        "When it was acknowledged; `null` if it was not.",
        null,
      ),
    },
    { title: "OpenAlert" },
  ),
);

export function toWireOpenAlert({ checkId, alertId, checkName, state }: OpenAlertState) {
  const { acknowledgedAtMs, openedAtMs } = state;
  return {
    checkId,
    alertId,
    name: checkName,
    alertNumber: state.alertNumber,
    alertType: state.alertedKind ?? "",
    openedAt: formatDateTime(new Date(openedAtMs ?? state.sinceMs)),
    remindersSent: state.remindersSent,
    acknowledgedAt: acknowledgedAtMs === null ? null : formatDateTime(new Date(acknowledgedAtMs)),
  };
}

export function toWireAcknowledgement(done: Acknowledgement) {
  return {
    checkId: done.checkId,
    name: done.checkName,
    alertNumber: done.alertNumber,
    acknowledgedAt: formatDateTime(done.acknowledgedAt),
  };
}
