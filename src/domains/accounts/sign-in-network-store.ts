/** Networks from which users have signed in. */
import { sql } from "kysely";
import type { AddressKey } from "../../platform/address-key.ts";
import type { Database } from "../../platform/database.ts";

const maxNetworksPerUser = 20;

/** Runs the same query for an unknown email address, so that timing reveals nothing. */
export async function isFamiliarNetwork(
  db: Database,
  email: string,
  network: AddressKey,
): Promise<boolean> {
  const { rows } = await sql`select from sign_in_networks n join users u on u.id = n.user_id
    where lower(u.email) = lower(${email}) and n.network = ${network}`.execute(db);
  return rows.length > 0;
}

export async function saveNetwork(
  db: Database,
  userId: string,
  sighting: { readonly network: AddressKey; readonly at: Date },
): Promise<void> {
  const { network, at } = sighting;
  await sql`insert into sign_in_networks (user_id, network, last_sign_in_at)
    values (${userId}, ${network}, ${at})
    on conflict (user_id, network) do update set last_sign_in_at = excluded.last_sign_in_at`.execute(
    db,
  );
  await sql`delete from sign_in_networks where user_id = ${userId} and network not in (
    select network from sign_in_networks where user_id = ${userId}
    order by last_sign_in_at desc, network limit ${maxNetworksPerUser})`.execute(db);
}
