import type { Database } from "../../platform/database.ts";
import { listFollowedChecks, listTroubles } from "../runs/index.ts";
import { mapFollows, type Service } from "../status-pages/index.ts";
import { combineFollowed, type Followed } from "./service-state.ts";

/** Maps services to the checks they follow and to the state changes since a given time. */
export async function mapFollowed(
  db: Database,
  accountId: string,
  query: {
    readonly services: readonly Pick<Service, "id">[];
    readonly from: Date;
    readonly to: Date;
  },
): Promise<Map<string, Followed>> {
  const ids = query.services.map(({ id }) => id);
  const follows = await mapFollows(db, accountId, ids);
  const all = [...follows.values()].flat();
  const checks = await listFollowedChecks(db, accountId, {
    ids: [...new Set(all.flatMap(({ checkId }) => checkId ?? []))],
    tags: [...new Set(all.flatMap(({ tag }) => tag ?? []))],
  });
  const found = await listTroubles(db, accountId, {
    checkIds: checks.map(({ id }) => id),
    from: query.from,
    to: query.to,
  });
  const troubles = Map.groupBy(found, ({ checkId }) => checkId);
  return new Map(ids.map((id) => [id, combineFollowed(follows.get(id) ?? [], checks, troubles)]));
}
