import { type Database, runSql } from "../../platform/database.ts";
import { listSecrets } from "./config-secrets.ts";
import { type ChannelType, channelKinds } from "./kinds/index.ts";
import { listSealedInPush } from "./push/push-store.ts";

/** Lists encrypted values of the newest channels and devices of all accounts. */
export async function listSealedInChannels(db: Database, maxChannels: number): Promise<string[]> {
  const rows = await runSql<{ type: ChannelType; config: Record<string, unknown> }>(
    db,
    "select type, config from alert_channels order by id desc limit $1",
    [maxChannels],
  );
  const ofChannels = rows.flatMap(({ type, config }) => listSecrets(channelKinds[type], config));
  return [...ofChannels, ...(await listSealedInPush(db, maxChannels))];
}
