import type { DatabaseConnection } from "../database-pool.ts";
import type { BackupOptions, WrittenBackup } from "./write-backup.ts";

/** Messages between a server and its backup thread. */
export type WriteTask = Omit<BackupOptions, "onProgress" | "signal">;

export interface VerifyTask {
  readonly connection: DatabaseConnection;
  readonly dataDir: string | null;
  readonly path: string;
}

export type BackupTask =
  | { readonly kind: "write"; readonly task: WriteTask }
  | { readonly kind: "verify"; readonly task: VerifyTask };

export type BackupAnswer =
  | { readonly written: WrittenBackup | null }
  | { readonly fault: string; readonly kind: "explained" | "cannot-verify" | "bug" };
