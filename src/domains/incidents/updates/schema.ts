import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";
import { type UpdateBody, UpdateSchema } from "../schema.ts";
import type { UpdateEdit } from "./actions.ts";

export const UpdateParams = Type.Object({
  incidentId: Described(Guid, "The incident's id."),
  incidentUpdateId: Described(Guid, "The update's id."),
});
export const UpdateList = Type.Array(UpdateSchema);

/** `notifySubscribers` cannot be changed by an edit. */
export function fromWireEdit(body: UpdateBody): UpdateEdit {
  const { description, status, publicIncidentUpdateDate: date } = body;
  return { description, status, publicAt: date === undefined ? undefined : new Date(date) };
}
