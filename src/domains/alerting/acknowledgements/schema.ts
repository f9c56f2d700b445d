import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid } from "../../../platform/http/schema.ts";
import type { Acknowledgement } from "./actions.ts";

export const CheckParams = Type.Object({ checkId: Guid });
export const TokenParams = Type.Object({ token: Type.String({ minLength: 20, maxLength: 500 }) });

export const AcknowledgementSchema = Type.Object({
  checkId: Guid,
  name: Type.String(),
  alertNumber: Type.Integer(),
  acknowledgedAt: DateTime,
});

export function toWireAcknowledgement(done: Acknowledgement) {
  return {
    checkId: done.checkId,
    name: done.checkName,
    alertNumber: done.alertNumber,
    acknowledgedAt: formatDateTime(done.acknowledgedAt),
  };
}
