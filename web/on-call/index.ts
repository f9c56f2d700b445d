/** On-call schedules: who is on call now and later, overrides, swaps, calendars, the editor. */
export { OnCallLine } from "./on-call-line.tsx";
export { PolicySelect } from "./policy-select.tsx";
