/** Screens of the checks: the list, also shown beside an open check, the page and the editor. */
export { BesideList } from "./list/beside-list.tsx";
