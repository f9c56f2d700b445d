/**
 * Checks: the list, the page of a check and its editor. The shell shows the list beside an
 * open check.
 */
export { BesideList } from "./list/beside-list.tsx";
