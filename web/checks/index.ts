/**
 * Screens of the checks: the check list, the page of a check and the check editor. The shell shows
 * the check list beside an open check.
 */
export { BesideList } from "./list/beside-list.tsx";
