import { Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";
import { type DataOf, shape, text } from "./shape.ts";

/** Result of a tool that cannot answer. */
export const ToolFailureSchema = shape({
  error: OneOf(["not-found", "invalid", "forbidden", "too-many", "failed"]),
  message: text("one sentence; for `invalid` it names the field"),
});
export type ToolFailure = DataOf<typeof ToolFailureSchema>;

/**
 * Result of a write tool that was not confirmed: nothing was done. The token that confirms it is
 * never part of this; the caller receives it separately, so that no model can send it.
 */
export const NeedsConfirmationSchema = shape({
  needsConfirmation: Type.Literal(true, { description: "nothing was done; a person must confirm" }),
  action: text("the tool"),
  summary: text("one sentence that describes exactly what would be done"),
  proposal: Type.Unknown({ description: "the input as it would be executed" }),
});
export type NeedsConfirmationData = DataOf<typeof NeedsConfirmationSchema>;

/** Result of a write tool after confirmation. */
export interface WriteDoneData {
  readonly done: true;
  readonly action: string;
  readonly summary: string;
  /** Id of the created or changed object: a check, an update, a check session. */
  readonly targetId: string;
}
