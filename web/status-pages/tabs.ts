import { words } from "./words.ts";

/** The parts of a status page, in order; each is a route of its own. */
export const tabs = [
  { to: "/status-pages/$statusPageId/editor", label: words.tab.editor },
] as const;
