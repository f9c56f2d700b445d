/** Finds out whether a request had an effect that only an ADMIN or OWNER may have. */
import assert from "node:assert/strict";
import type { Answer, TestApp } from "../apps/app.ts";

/**
 * Everything that only administrators may add or change. Rows of other roles are left out, such as
 * their own API keys.
 */
const restrictedState = `
  select 'members' as kind, concat_ws(' ', account_id, user_id, role) as entry from members
  union all select 'invites', concat_ws(' ', id, role) from invites
  union all select 'accounts', (accounts.*)::text from accounts
  union all select 'account_alert_settings', (account_alert_settings.*)::text
    from account_alert_settings
  union all select 'private_locations', id::text from private_locations
  union all select 'probe_keys', id::text from probe_keys
  union all select 'api_keys', concat_ws(' ', id, role) from api_keys
    where role in ('ADMIN', 'OWNER') or user_id is null
  union all select 'alert_channels', concat_ws(' ', id, lan_allowed_by, config ->> 'url')
    from alert_channels where lan_allowed_by is not null
  union all select 'contact_methods', concat_ws(' ', id, lan_allowed_by, config ->> 'url')
    from contact_methods where lan_allowed_by is not null
  union all select 'backups', id::text from backups`;

/** Kinds of which lower roles may remove entries: their routes need READ_WRITE. */
const removable = new Set([
  "private_locations",
  "probe_keys",
  "api_keys",
  "alert_channels",
  "contact_methods",
]);

async function readState({ query }: TestApp): Promise<Set<string>> {
  const { rows } = await query(restrictedState);
  return new Set(rows.map(({ kind, entry }) => `${kind}: ${entry}`));
}

/** Texts that only the restricted reads show: audit log, exchanges and backups. */
const canaries = ["canary-of-the-audit-log", "canary-of-an-exchange", "canary-of-a-backup"];
const diagnosis = /"lookedAt\W+2026/;

/** Stores texts that no response to a lower role may contain. */
export async function plantCanaries({ query, owner }: TestApp): Promise<void> {
  const [audit, exchange, backup] = canaries;
  await query(
    `insert into audit_entries (id, at, account_id, actor_type, actor_name, request_id, action,
        target_type, target_id, changes)
      values ('00000000-0000-7000-8000-000000000000', now(), $1::uuid, 'SYSTEM', $2, $2, 'account.updated', 'account',
        $1::text, jsonb_build_object('name', $2::text))`,
    [owner.accountId, audit],
  );
  await query(
    `insert into agent_exchanges (id, account_id, host, model, request, request_bytes, status,
        sent_at)
      values (gen_random_uuid(), $1, $2, $2, '{}', 2, 200, now())`,
    [owner.accountId, exchange],
  );
  await query(
    `insert into backups (id, server_id, reason, file, started_at, alive_at, finished_at)
      values (gen_random_uuid(), 'canary', 'SCHEDULE', $1, now(), now(), now())`,
    [backup],
  );
}

/** Returns what of the restricted reads a text shows. */
function listShown(text: string): string[] {
  const shown = canaries.filter((canary) => text.includes(canary));
  return diagnosis.test(text) ? [...shown, "the diagnosis"] : shown;
}

/** Returns the audited actions of a request. */
export async function listActionsOf({ query }: TestApp, answer: Answer): Promise<string[]> {
  const text = "select action from audit_entries where request_id = $1 order by id";
  const { rows } = await query(text, [answer.headers.get("x-request-id")]);
  return rows.map(({ action }) => action);
}

/**
 * Runs a request of a lower role, and returns what it added or changed of the restricted state, or
 * showed of the restricted reads.
 */
async function watchEffects<Outcome extends Answer>(
  app: TestApp,
  run: () => Promise<Outcome>,
): Promise<{ readonly answer: Outcome; readonly effects: readonly string[] }> {
  const before = await readState(app);
  const answer = await run();
  const after = await readState(app);
  const added = [...after.difference(before)].map((entry) => `added ${entry}`);
  const removed = [...before.difference(after)]
    .filter((entry) => !removable.has(entry.split(":")[0] ?? ""))
    .map((entry) => `removed ${entry}`);
  return { answer, effects: [...added, ...removed, ...listShown(answer.text)] };
}

/** Fails if a request of a lower role had a restricted effect. */
export async function assertNoEffect<Outcome extends Answer>(
  app: TestApp,
  name: string,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const { answer, effects } = await watchEffects(app, run);
  assert.deepEqual(effects, [], name);
  return answer;
}
