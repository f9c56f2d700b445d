/** Maps screens to the objects that they show, and links in answers to screens. */
import type { AgentContext } from "../api/agent-event.ts";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const screens: readonly (readonly [AgentContext["kind"], RegExp])[] = [
  ["check", new RegExp(`^/checks/(${uuid})(?:/|$)`)],
  ["group", /^\/groups\/(\d{1,9})(?:\/|$)/],
  ["channel", /^\/alerts\/channels\/(\d{1,9})(?:\/|$)/],
  ["window", /^\/alerts\/maintenance\/(\d{1,9})(?:\/|$)/],
  ["incident", new RegExp(`^/incidents/(${uuid})(?:/|$)`)],
  ["page", new RegExp(`^/status-pages/(${uuid})(?:/|$)`)],
  ["dashboard", /^\/edit-dashboard\/([a-z0-9]{1,16})(?:\/|$)/],
];

/** Returns the object that a screen shows, or `null` if it does not show a single object. */
export function readScreen(pathname: string): AgentContext | null {
  for (const [kind, address] of screens) {
    const id = address.exec(pathname)?.[1];
    if (id !== undefined) return { kind, id };
  }
  return null;
}

/** Screens that links in an answer may open. */
const linkedScreens =
  /^\/(?:checks|groups|incidents|status-pages|alerts|locations|settings|edit-dashboard)(?:\/|$)/;

export interface Target {
  readonly href: string;
  /** Whether the link leads to a screen of this application. */
  readonly isOwn: boolean;
}

/**
 * Resolves a link. A link to a screen becomes a path within the application; other links stay
 * unchanged.
 */
export function findTarget(url: string, origins: readonly string[]): Target {
  const parsed = URL.parse(url, origins[0]);
  if (parsed === null || !origins.includes(parsed.origin)) return { href: url, isOwn: false };
  const { pathname, search } = parsed;
  if (!linkedScreens.test(pathname)) return { href: url, isOwn: false };
  return { href: `${pathname}${search}`, isOwn: true };
}
