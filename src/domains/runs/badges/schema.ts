import { Type } from "typebox";
import { type Badge, badgeStyles, badgeThemes } from "../../../pages/badge.ts";
import { Guid } from "../../../platform/http/schema.ts";
import type { BadgeFacts } from "./actions.ts";

export const BadgeParams = Type.Object({ checkId: Guid });
export const BadgeQuery = Type.Object({
  style: Type.Enum([...badgeStyles], { type: "string", default: "flat" }),
  theme: Type.Enum([...badgeThemes], { type: "string", default: "default" }),
  responseTime: Type.Boolean({ default: false }),
});
export type BadgeQuery = Type.Static<typeof BadgeQuery>;

const tones = { passing: "good", degraded: "fair", failing: "bad", unknown: "unknown" } as const;

export function toBadge(facts: BadgeFacts, query: BadgeQuery): Badge {
  const { name, status, responseMs } = facts;
  const time = query.responseTime && responseMs !== null ? ` ${responseMs.toFixed(1)} ms` : "";
  return {
    label: name,
    value: `${status === "unknown" ? "no data" : status}${time}`,
    tone: tones[status],
    style: query.style,
    theme: query.theme,
  };
}
