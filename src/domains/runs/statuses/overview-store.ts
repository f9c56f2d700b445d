import { type Database, runPrepared } from "../../../platform/database.ts";
import { checkRows } from "../../checks/index.ts";
import type { StateRow } from "../state-store.ts";

export interface NamedState {
  readonly checkId: string;
  readonly name: string;
  /** `null` for a check that has not run yet. */
  readonly state: StateRow | null;
}

type Named = { readonly id: string; readonly name: string };

/**
 * Lists states, worst first: failing, degraded, unknown, passing; optionally only the given checks.
 */
export async function listWorstStates(
  db: Database,
  accountId: string,
  query: {
    readonly checkIds: readonly string[] | null;
    /** Checks without recent results; their stored status is ignored. */
    readonly silentIds: readonly string[];
    readonly limit: number;
  },
): Promise<NamedState[]> {
  const rows = await runPrepared<Named & { state: StateRow | null }>(db, {
    name: "list-worst-states",
    text: `select c.id, c.name, case when s.check_id is null then null else to_jsonb(s) end as state
      from ${checkRows} c left join check_states s on s.check_id = c.id
      where c.account_id = $1 and ($2::uuid[] is null or c.id = any($2))
      order by case case when c.id = any($4::uuid[]) then 'unknown' else c.status end
        when 'failing' then 0 when 'degraded' then 1 when 'unknown' then 2
        else 3 end, c.id limit $3`,
    values: [accountId, query.checkIds, query.limit, query.silentIds],
  });
  return rows.map(({ id, name, state }) => ({
    checkId: id,
    name,
    state: state === null ? null : parseDates(state),
  }));
}

/** Dates inside JSON are text and must be parsed. */
function parseDates(state: StateRow): StateRow {
  const { since, last_due_at, created_at, updated_at } = state;
  return {
    ...state,
    since: new Date(since),
    last_due_at: new Date(last_due_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}
