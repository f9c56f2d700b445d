import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid } from "../../../platform/http/schema.ts";
import type { Acknowledgement } from "./actions.ts";

export const CheckParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
export const TokenParams = Type.Object({
  token: Type.String({ description: "The token of the link.", minLength: 20, maxLength: 500 }),
});

export const AcknowledgementSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["Router"] }),
    alertNumber: Type.Integer({ description: "Counts the alerts of the check.", examples: [3] }),
    acknowledgedAt: Described(DateTime, "When it was acknowledged."),
  },
  { title: "Acknowledgement" },
);

export function toWireAcknowledgement(done: Acknowledgement) {
  return {
    checkId: done.checkId,
    name: done.checkName,
    alertNumber: done.alertNumber,
    acknowledgedAt: formatDateTime(done.acknowledgedAt),
  };
}
