import { cp } from "node:fs/promises";
import { baselineFile, migrationsFolder } from "../../../src/platform/migrations.ts";

/** Copies the migrations without the baseline, so that each is applied by itself. */
export async function copyMigrations(folder: string): Promise<string> {
  await cp(migrationsFolder, folder, {
    recursive: true,
    filter: (path) => !path.endsWith(baselineFile),
  });
  return folder;
}
