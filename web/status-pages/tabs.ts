import { words } from "./words.ts";

/** Tabs of a status page, in order; each is a route. */
export const tabs = [
  { to: "/status-pages/$statusPageId/editor", label: words.tab.editor },
  { to: "/status-pages/$statusPageId/access", label: words.tab.access },
  { to: "/status-pages/$statusPageId/domain", label: words.tab.domain },
  { to: "/status-pages/$statusPageId/subscribers", label: words.tab.subscribers },
  { to: "/status-pages/$statusPageId/snapshots", label: words.tab.snapshots },
] as const;
