/**
 * Who is on call. A *schedule* has *layers*, in which *participants* take *turns*; a higher layer
 * wins where it has somebody. An *override* puts one person, or nobody, above all layers for a
 * time, and a *swap* is a pair of overrides that another person accepts. A *shift* is a rendered
 * part of a turn, and a *gap* a time when nobody is on call.
 * Tables: on_call_schedules, on_call_overrides, on_call_swaps.
 */
export { listNow } from "./actions.ts";
export { describeGap, type OnCallContext } from "./plans.ts";
export { renderShifts } from "./rendering.ts";
export { addOnCallRoutes } from "./routes.ts";
export { onCallAt, type Plan, type Shift } from "./schedule.ts";
