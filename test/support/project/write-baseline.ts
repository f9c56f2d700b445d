/** `npm run baseline` writes the baseline from a database with all migrations. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../../src/platform/log.ts";
import { baselineFile, migrate, migrationsFolder } from "../../../src/platform/migrations.ts";
import { copyMigrations } from "../database/migrations.ts";
import { writeBaseline } from "./baseline.ts";

const folder = await mkdtemp(join(tmpdir(), "vedette-baseline-"));
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, "data"),
  log: createLog("silent"),
  onRestart: () => {},
  onAbandoned: (error) => {
    throw error;
  },
});
const client = new pg.Client(postgres.connection);
await migrate(postgres.connection, await copyMigrations(join(folder, "migrations")));
await client.connect();
await writeFile(join(migrationsFolder, baselineFile), await writeBaseline(client));
await client.end();
await postgres.stop();
await rm(folder, { recursive: true });
process.exit();
