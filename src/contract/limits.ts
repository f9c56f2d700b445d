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
