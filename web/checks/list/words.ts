import type { Column, FacetName } from "./search.ts";

export const words = {
  title: "Checks",
  notLoaded: "The checks could not be loaded",
  search: "Search checks",
  searchHint: "Search name, target or tag  ( / )",
  clearSearch: "Clear search",
  add: "Add a check",
  paste: "Paste a list",
  filters: "Filters",
  clearFilters: "Clear filters",
  showing: (total: number) => (total === 1 ? "1 check" : `${total.toLocaleString()} checks`),
  table: "Checks",
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all that are loaded",
  columns: "Columns",
  views: "Views",
  noViews: "Save the current filters to find them here again.",
  saveView: "Save this view",
  viewName: "Name of the view",
  shareView: "Show it to everybody in the account",
  save: "Save",
  cancel: "Cancel",
  replaceView: (name: string) => `Let the view ${name} show this list`,
  deleteView: (name: string) => `Delete the view ${name}`,
  viewDeleted: (name: string) => `The view “${name}” was deleted.`,
  viewSaved: (name: string) => `The view “${name}” was saved.`,
  sharedViews: "Shared",
  ownViews: "Mine",
  muted: "Muted",
  noGroup: "No group",
  tooNew: "too new",
  tooNewHint: "There are runs of the last two hours only, too few to speak of a day.",
  never: "never ran",
  bar: "Last 24 hours",
  nothingFound: "No check matches",
  nothingFoundHint: "Change the search, or take some filters away.",
  empty: "Nothing is watched yet",
  emptyHint:
    "A check asks a host, a port, a name, a certificate or a page again and again, and says when it no longer answers as it should. Start with one address, or paste a list of hosts and URLs.",
  emptyReadOnly: "Nobody has added a check yet. A colleague who may write can do so.",
  selected: (count: number) => (count === 1 ? "1 selected" : `${count.toLocaleString()} selected`),
  selectFound: (total: number) => `Select all ${total.toLocaleString()}`,
  clearSelection: "Clear selection",
  bulkBar: "Selected checks",
  mute: "Mute",
  unmute: "Unmute",
  activate: "Activate",
  deactivate: "Deactivate",
  tag: "Tag",
  addTags: "Add tags",
  removeTags: "Remove tags",
  tagsField: "Tags, separated by commas",
  move: "Move",
  moveTo: "Move to a group",
  channels: "Channels",
  noChannels: "There is no alert channel yet.",
  addChannels: "Send alerts there",
  removeChannels: "Stop sending there",
  frequency: "Frequency",
  setFrequency: "Set the frequency",
  locations: "Locations",
  setLocations: "Run from these only",
  delete: "Delete",
  undo: "Undo",
  willBeDeleted: (count: number) =>
    `${count === 1 ? "1 check" : `${count.toLocaleString()} checks`} will be deleted in 10 s, with all results and alerts.`,
  deleteUndone: "Nothing was deleted.",
  refused: (count: number, why: string) =>
    `${count === 1 ? "1 check was" : `${count.toLocaleString()} checks were`} not changed: ${why}.`,
  keys: "j and k move, Enter opens, x selects, / searches",
} as const;

export const facetWords: Readonly<Record<FacetName, string>> = {
  state: "State",
  checkType: "Kind",
  tag: "Tag",
  groupId: "Group",
  location: "Location",
};

export const columnWords: Readonly<Record<Column, string>> = {
  kind: "Kind",
  group: "Group",
  tags: "Tags",
  bar: "Last 24 hours",
  availability: "Availability",
  p95: "P95",
  lastRun: "Last run",
};

/** A kind as the API names it; longer names are words. */
export function kindWord(checkType: string): string {
  return checkType.length <= 4
    ? checkType
    : `${checkType.charAt(0)}${checkType.slice(1).toLowerCase()}`;
}
