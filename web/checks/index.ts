/**
 * Screens of the checks: the list, which can also be shown beside an open check, the page of a
 * check, and the editor.
 */
export { BesideList } from "./list/beside-list.tsx";
