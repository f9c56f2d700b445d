import { Type } from "typebox";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { type Badge, badgeStyles, badgeThemes } from "../../../pages/badge.ts";
import { checkWords, stateTones } from "../../../pages/states.ts";
import { notFound } from "../../../platform/errors.ts";
import { Described, Guid } from "../../../platform/http/schema.ts";
import { formatMs } from "../../../platform/text/figures.ts";
import { expireOldState, type StatesContext } from "../current-status.ts";
import { findPublicState } from "../state-store.ts";

export const BadgeParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
export const BadgeQuery = Type.Object({
  style: Type.Enum([...badgeStyles], {
    description: "The shape of the badge.",
    type: "string",
    default: "flat",
  }),
  theme: Type.Enum([...badgeThemes], {
    description: "Its colours.",
    type: "string",
    default: "default",
  }),
  responseTime: Type.Boolean({
    description: "Whether the response time is shown.",
    default: false,
  }),
});
export type BadgeQuery = Type.Static<typeof BadgeQuery>;

export function toBadge(facts: BadgeFacts, query: BadgeQuery): Badge {
  const { name, status, responseMs } = facts;
  const time = query.responseTime && responseMs !== null ? ` ${formatMs(responseMs)}` : "";
  return {
    label: name,
    value: `${checkWords[status].toLowerCase()}${time}`,
    tone: stateTones[status],
    style: query.style,
    theme: query.theme,
  };
}

interface BadgeFacts {
  readonly name: string;
  readonly status: Verdict;
  readonly responseMs: number | null;
}

/** Loads the data of a badge by check id only: an image in a README cannot send an API key. */
export async function getBadgeFacts(context: StatesContext, checkId: string): Promise<BadgeFacts> {
  const facts = await findPublicState(context.db, checkId);
  if (facts === null) throw notFound();
  const watched = (await context.watchList.find([checkId])).get(checkId);
  const { lastDueAt } = facts;
  return expireOldState({ ...facts, since: null }, watched, {
    lastDueAt,
    now: context.clock.now(),
  });
}
