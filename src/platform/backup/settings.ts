import { integerBetween, matching } from "../setting-parsers.ts";

/** Settings of backups. src/config.ts includes these settings. */
export const backupSettings = {
  BACKUP_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: undefined,
    allowed: "a folder",
    purpose:
      "Folder for the automatic backups of this server; if not set, `DATA_DIR/backups` for the " +
      "embedded database, and none for `DATABASE_URL`.",
  },
  BACKUP_EVERY_HOURS: {
    parse: integerBetween(0, 8_760),
    fallback: "24",
    allowed: "0 to 8760",
    purpose:
      "Interval between automatic backups of all servers together; 0 creates them only on request.",
  },
  BACKUP_KEEP: {
    parse: integerBetween(1, 1_000),
    fallback: "7",
    allowed: "1 to 1000",
    purpose: "Number of backups to retain in `BACKUP_DIR`.",
  },
  BACKUP_VERIFY_EVERY_HOURS: {
    parse: integerBetween(0, 8_760),
    fallback: "24",
    allowed: "0 to 8760",
    purpose:
      "Interval for verifying a backup by restoring it into a temporary database; 0 for never.",
  },
  BACKUP_PASSPHRASE: {
    parse: matching(/^[^\p{Cc}]{12,200}$/u, "must have 12 to 200 characters"),
    fallback: undefined,
    allowed: "12 to 200 characters",
    purpose:
      "Passphrase for the encryption key in backups; if not set, backups do not include the key.",
    isSecret: true,
  },
} as const;
