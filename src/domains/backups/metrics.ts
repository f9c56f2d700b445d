import { Gauge, type Registry } from "prom-client";
import type { BackupKeeper } from "./keeper.ts";

/** The same on every server: all of them read one table. */
export function addBackupMetrics(registry: Registry, keeper: BackupKeeper): void {
  const add = (name: string, help: string, read: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        // A gauge without a value would read as 0, which is a moment in 1970.
        if (value === null) this.remove();
        else this.set(value);
      },
    }).remove();
  const seconds = (at: Date | null | undefined) => (at == null ? null : at.getTime() / 1_000);
  add(
    "vedette_backup_last_success_timestamp_seconds",
    "The moment that the newest whole backup is of.",
    () => seconds(keeper.standing.lastSuccess?.startedAt),
  );
  add(
    "vedette_backup_last_size_bytes",
    "The size of the newest whole backup.",
    () => keeper.standing.lastSuccess?.sizeBytes ?? null,
  );
  add("vedette_backup_last_duration_seconds", "How long the newest whole backup took.", () => {
    const { startedAt, writtenAt } = keeper.standing.lastSuccess ?? {};
    if (startedAt === undefined || writtenAt == null) return null;
    return (writtenAt.getTime() - startedAt.getTime()) / 1_000;
  });
  add("vedette_backup_last_failed", "1 while the newest backup is one that failed.", () =>
    keeper.standing.latest === null ? null : Number(keeper.standing.latest.problem !== null),
  );
  add(
    "vedette_backup_last_verified_timestamp_seconds",
    "When a backup was last restored into a scratch database and found to be the same.",
    () => seconds(keeper.standing.lastVerified?.verifiedAt),
  );
  add("vedette_backup_problem", "1 while something is wrong with backups; see Settings.", () =>
    Number(keeper.findProblem() !== null),
  );
}
