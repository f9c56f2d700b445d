import { Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";
import { type DataOf, shape, text } from "./shape.ts";

/** What a tool gives back that cannot answer. */
export const ToolFailureSchema = shape({
  error: OneOf(["not-found", "invalid", "forbidden", "too-many", "failed"]),
  message: text("one sentence; for `invalid` it names the field"),
});
export type ToolFailure = DataOf<typeof ToolFailureSchema>;

/**
 * Any write tool that has not been confirmed: nothing was done. The token that confirms it is
 * never part of this; the caller gets it another way, so that no model can send it.
 */
export const NeedsConfirmationSchema = shape({
  needsConfirmation: Type.Literal(true, { description: "nothing was done; a person must confirm" }),
  action: text("the tool"),
  summary: text("one sentence that says exactly what would be done"),
  proposal: Type.Unknown({ description: "the input as it would be carried out" }),
});
export type NeedsConfirmationData = DataOf<typeof NeedsConfirmationSchema>;

/** A write tool once it was confirmed. */
export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  /** The id of what was made or changed: a check, an update, a check session. */
  readonly targetId: string;
}
