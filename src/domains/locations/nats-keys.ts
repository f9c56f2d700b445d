import { deriveNatsLogin, deriveProofKey, type NatsLogin } from "../../contract/nats-key.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { News } from "../../platform/news.ts";
import type { AdmittedKey } from "./probe-key.ts";
import { listKeyHashes } from "./probe-key-store.ts";

/** A key as a user of NATS. */
export interface NatsKey extends AdmittedKey {
  readonly proofKey: Uint8Array;
}

/** Every probe key that there is and how its probes sign in to NATS, those of a route together. */
export async function listNatsLogins(db: Database): Promise<(NatsLogin & AdmittedKey)[]> {
  const keys = await listKeyHashes(db);
  return keys.map(({ keyHash, ...key }) => ({ ...key, ...deriveNatsLogin(keyHash) }));
}

/**
 * The keys by their user of NATS, from memory: each result names the user that sent it. NATS lets
 * a revoked key in until its own list of users is changed; here it is unknown within a second.
 */
export class NatsKeys {
  readonly #db: Database;
  #byUser: ReadonlyMap<string, NatsKey> = new Map();

  constructor(db: Database) {
    this.#db = db;
  }

  find(user: string): NatsKey | null {
    return this.#byUser.get(user) ?? null;
  }

  async refresh(): Promise<void> {
    const byUser = new Map<string, NatsKey>();
    for (const { keyHash, ...key } of await listKeyHashes(this.#db)) {
      const { user } = deriveNatsLogin(keyHash);
      byUser.set(user, { ...key, proofKey: deriveProofKey(keyHash) });
    }
    this.#byUser = byUser;
  }

  watch(keyNews: News, log: Log): Loop {
    return startLoop({
      name: "follow the keys of probes on NATS",
      everyMs: 5_000,
      restMs: 50,
      onWork: (wake) => keyNews.onChange(wake),
      log,
      turn: () => this.refresh(),
    });
  }
}
