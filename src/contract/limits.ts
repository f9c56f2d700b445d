import { Type } from "typebox";

/** Maximum size of one frame on a link; both ends reject larger frames. */
export const maxFrameBytes = 8 * 1024 * 1024;
/** Size at which a sender starts a new frame; a single larger message still gets its own frame. */
export const fullFrameBytes = 1024 * 1024;
export const maxOrdersInFrame = 1_000;
export const maxResultsInFrame = 500;
export const maxTrialEventsInFrame = 500;
/** Maximum number of orders in progress at one probe, whatever limit the probe requests. */
export const maxOpenOrders = 10_000;
/**
 * Maximum age of a spooled result; older ones are dropped by the probe and rejected by the server.
 */
export const maxSpoolAgeMs = 12 * 3_600_000;

/** Fields shared by several messages. Every field that crosses the boundary is bounded. */
export const Id = Type.String({ pattern: "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
export const Label = Type.String({ minLength: 1, maxLength: 200 });
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
export const Milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 48 });
