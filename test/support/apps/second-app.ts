import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, type AppOptions, startApp } from "../../../src/app/app.ts";
import { parseConfig } from "../../../src/config.ts";
import { send, type TestApp } from "./app.ts";
import { captureLog } from "./log.ts";

export interface SecondApp extends Pick<TestApp, "url" | "call" | "dataDir" | "stop"> {
  readonly app: App;
}

/**
 * Starts another server that shares the database of the first server but has its own data folder.
 */
export async function startSecondApp(
  first: Pick<TestApp, "dataDir" | "databaseUrl" | "clock">,
  environment: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
): Promise<SecondApp> {
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-second-app-"));
  const config = parseConfig({
    PORT: "0",
    DATABASE_URL: first.databaseUrl,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: await readFile(join(first.dataDir, "encryption.key"), "utf8"),
    RATE_LIMIT_PER_MINUTE: "0",
    EXAMPLE: "false",
    DOMAIN_PROOF: "off",
    DRAIN_SECONDS: "0",
    PROBE_IPV6: "2001:db8::2",
    PROBE_IPV4: "192.0.2.2",
    ...environment,
  });
  const app = await startApp(config, {
    clock: first.clock,
    log: captureLog().log,
    runsNewChecks: false,
    ...options,
  });
  return {
    app,
    url: app.url,
    dataDir,
    call: (method, path, options = {}) => send(`${app.url}${path}`, method, options),
    stop: async () => {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
