/** What one message over a link may hold; both ends refuse more. */
export const maxFrameBytes = 8 * 1024 * 1024;
/** Whoever sends puts no more together, unless one message alone is larger. */
export const fullFrameBytes = 1024 * 1024;
export const maxOrdersInFrame = 1_000;
export const maxResultsInFrame = 500;
export const maxTrialEventsInFrame = 500;
/** So many orders may wait at one probe for their results, whatever the probe asks for. */
export const maxOpenOrders = 10_000;
/** A result that waited at its probe for longer than this is given up there, and refused here. */
export const maxSpoolAgeMs = 12 * 3_600_000;
