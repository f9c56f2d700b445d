import type { Filled } from "./fill.ts";

export interface Screen {
  readonly name: string;
  readonly path: string;
}

const fixed: readonly Screen[] = [
  { name: "now", path: "/" },
  { name: "checks", path: "/checks" },
  { name: "new-check", path: "/checks/new" },
  { name: "groups", path: "/groups" },
  { name: "alerts", path: "/alerts" },
  { name: "channels", path: "/alerts/channels" },
  ...["profile", "security", "api-keys", "members", "audit", "alerts", "agent", "about"].map(
    (room) => ({ name: `settings-${room}`, path: `/settings/${room}` }),
  ),
];

/** Every address of the application. Those that sign out come last. */
export function listScreens({ checkId }: Filled): readonly Screen[] {
  const ofCheck = checkId === null ? [] : listCheckScreens(checkId);
  return [...fixed, ...ofCheck, { name: "sign-in", path: "/sign-in" }];
}

function listCheckScreens(checkId: string): readonly Screen[] {
  return [
    { name: "check", path: `/checks/${checkId}` },
    { name: "edit-check", path: `/checks/${checkId}/edit` },
  ];
}
