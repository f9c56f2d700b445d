/**
 * On-call schedules: current and later shifts, overrides, swaps, calendars and the schedule editor.
 * Also contains the escalation policies.
 */
export { OnCallLine } from "./on-call-line.tsx";
export { PolicySelect } from "./policy-select.tsx";
export { usePolicySentences } from "./policy-sentences.ts";
export { peopleQuery, policiesQuery } from "./queries.ts";
