/** Maps screens to the objects they show, and API addresses to the screens that show them. */
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

/** Returns the object that a screen shows, or `null` for a list. */
export function readScreen(pathname: string): AgentContext | null {
  for (const [kind, address] of screens) {
    const id = address.exec(pathname)?.[1];
    if (id !== undefined) return { kind, id };
  }
  return null;
}

/** API paths and the screens that show these objects. */
const shown: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^/v1/check-results/(${uuid})/(${uuid})$`), "/checks/$1?run=$2"],
  [new RegExp(`^/v1/checks/(${uuid})$`), "/checks/$1"],
  [/^\/v1\/check-groups\/(\d+)$/, "/groups/$1"],
  [new RegExp(`^/v1/status-pages/incidents/(${uuid})$`), "/incidents/$1"],
  [new RegExp(`^/v1/status-pages/services/(${uuid})$`), "/status-pages"],
  [new RegExp(`^/v1/status-pages/(${uuid})$`), "/status-pages/$1"],
  [/^\/v1\/alert-channels\/(\d+)$/, "/alerts/channels/$1"],
  [/^\/v1\/alert-notifications\/[\w-]+$/, "/alerts"],
  [/^\/v1\/maintenance-windows\/(\d+)$/, "/alerts/maintenance/$1"],
  [/^\/v1\/accounts\/me\/members$/, "/settings/members"],
  [/^\/v1\/dashboards\/([a-z0-9]+)$/, "/edit-dashboard/$1"],
];

export interface Target {
  readonly href: string;
  /** Whether the address is a screen of this application. */
  readonly isOwn: boolean;
}

/** Maps an API address to its screen. Addresses on other hosts are returned unchanged. */
export function findTarget(url: string, origins: readonly string[]): Target {
  const parsed = URL.parse(url, origins[0]);
  if (parsed === null || !origins.includes(parsed.origin)) return { href: url, isOwn: false };
  const { pathname } = parsed;
  for (const [address, screen] of shown) {
    if (address.test(pathname)) return { href: pathname.replace(address, screen), isOwn: true };
  }
  return { href: url, isOwn: false };
}
