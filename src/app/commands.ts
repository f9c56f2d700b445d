import type { Config } from "../config.ts";
import type { Bootstrapped } from "../domains/accounts/index.ts";
import { startEmbeddedPostgres } from "../platform/embedded-postgres/index.ts";
import { createLog } from "../platform/log.ts";
import { migrate } from "../platform/migrations.ts";
import { examplePaths } from "./example.ts";
import { addressOf } from "./foundation.ts";

/** Secrets that came from the environment are known already, and logs are the wrong place. */
export function announceFirstAccount(created: Bootstrapped, config: Config): string {
  const address = config.PUBLIC_URL ?? addressOf(config);
  const password = config.BOOTSTRAP_PASSWORD ? "as set by BOOTSTRAP_PASSWORD" : created.password;
  const apiKey = config.BOOTSTRAP_API_KEY ? "as set by BOOTSTRAP_API_KEY" : created.apiKey;
  const shownKey = config.BOOTSTRAP_API_KEY ? "$BOOTSTRAP_API_KEY" : created.apiKey;
  const { statusPage, dashboard } = examplePaths;
  const example =
    config.EXAMPLE === "true"
      ? `\n  Example      ${address}${statusPage}\n               ${address}${dashboard}`
      : "";
  return `
  Address      ${address}
  API guide    ${address}/docs/api${example}
  Account id   ${created.accountId}
  Sign-in      ${created.email}
  Password     ${password}
  API key      ${apiKey}

  This is shown once: keep it. Then try
  curl -H "Authorization: Bearer ${shownKey}" ${address}/v1/accounts/me
`;
}

export async function runMigrations(config: Config): Promise<string> {
  const log = createLog(config.LOG_LEVEL);
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbeddedPostgres({
          dataDir: config.DATA_DIR,
          log,
          onRestart: () => {},
          onGivenUp: (error) => log.fatal({ err: error }, "PostgreSQL keeps dying"),
        })
      : null;
  try {
    const connection = embedded?.connection ?? { connectionString: config.DATABASE_URL ?? "" };
    const applied = await migrate(connection);
    if (applied.length === 0) return "The database is up to date.";
    return `Applied ${applied.length === 1 ? "one migration" : `${applied.length} migrations`}: ${applied.join(", ")}`;
  } finally {
    await embedded?.stop();
  }
}
