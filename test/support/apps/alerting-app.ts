import { waitUntil } from "../time/wait-until.ts";
import type { ServedApp } from "./served-app.ts";

/**
 * Inserts a run as if a probe had reported it, and waits until the product's alert loop has
 * processed the run.
 */
export async function reportRun(
  app: ServedApp,
  checkId: string,
  verdict: "passing" | "failing",
): Promise<void> {
  app.clock.advance(1_000);
  const now = app.clock.now();
  await app.query(
    `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
      recorded_at) values ($1, $2, gen_random_uuid(), 'home', $3, $4, $4)`,
    [app.owner.accountId, checkId, verdict, now],
  );
  await waitUntil("the run was decided on", async () => {
    const { rows } = await app.query("select 1 from notable_runs where check_id = $1", [checkId]);
    return rows.length === 0;
  });
}

/** Returns the acknowledgement link in the newest message about a check. */
export async function findAcknowledgePath(app: ServedApp, checkId: string): Promise<string> {
  const { rows } = await app.query(
    `select message ->> 'acknowledgeUrl' as url from deliveries
      where check_id = $1 and message ->> 'acknowledgeUrl' is not null order by id desc limit 1`,
    [checkId],
  );
  return new URL(rows[0]?.url ?? "").pathname;
}
