import { Gauge, type Registry } from "prom-client";
import type { BackupKeeper } from "./keeper.ts";

/** The same on every server, because all of them read one table. */
export function addBackupMetrics(registry: Registry, keeper: BackupKeeper): void {
  const add = (name: string, help: string, read: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        // A gauge without a value would be 0, which is a time in 1970.
        if (value === null) this.remove();
        else this.set(value);
      },
    }).remove();
  const seconds = (at: Date | null | undefined) => (at == null ? null : at.getTime() / 1_000);
  add(
    "vedette_backup_last_success_timestamp_seconds",
    "Time of the data in the newest complete backup.",
    () => seconds(keeper.standing.lastSuccess?.startedAt),
  );
  add(
    "vedette_backup_last_size_bytes",
    "Size of the newest complete backup.",
    () => keeper.standing.lastSuccess?.sizeBytes ?? null,
  );
  add("vedette_backup_last_duration_seconds", "Duration of the newest complete backup.", () => {
    const { startedAt, writtenAt } = keeper.standing.lastSuccess ?? {};
    if (startedAt === undefined || writtenAt == null) return null;
    return (writtenAt.getTime() - startedAt.getTime()) / 1_000;
  });
  add("vedette_backup_last_failed", "1 if the newest backup failed.", () =>
    keeper.standing.latest === null ? null : Number(keeper.standing.latest.problem !== null),
  );
  add(
    "vedette_backup_last_verified_timestamp_seconds",
    "Time of the last successful verification: a restore into a scratch database.",
    () => seconds(keeper.standing.lastVerified?.verifiedAt),
  );
  add("vedette_backup_problem", "1 if there is a problem with backups; see Settings.", () =>
    Number(keeper.findProblem() !== null),
  );
}
