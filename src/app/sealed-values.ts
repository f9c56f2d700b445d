import type pg from "pg";
import { type ChannelType, channelKinds, listSecrets } from "../domains/alert-channels/index.ts";

/** The newest of each kind: one that opens is proof enough. */
const maxOfEach = 100;

/** Values that were sealed under the key of this database, as they lie there. */
export async function listSealedValues(pool: pg.Pool): Promise<string[]> {
  const channels = await pool.query<{ type: ChannelType; config: Record<string, unknown> }>(
    "select type, config from alert_channels order by id desc limit $1",
    [maxOfEach],
  );
  const others = await pool.query<{ sealed: string }>(
    `(select address as sealed from subscribers where type <> 'EMAIL' order by id desc limit $1)
      union all
      (select secret from subscribers where secret is not null order by id desc limit $1)
      union all
      (select variable ->> 'value' from checks, jsonb_path_query(private_settings,
        '$.environmentVariables[*] ? (@.isSealed == true)') as variable
        order by id desc limit $1)`,
    [maxOfEach],
  );
  return [
    ...channels.rows.flatMap(({ type, config }) => listSecrets(channelKinds[type], config)),
    ...others.rows.map(({ sealed }) => sealed),
  ];
}
