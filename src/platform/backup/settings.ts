import { integerBetween, matching } from "../setting-parsers.ts";

/** Part of the settings of the product, in src/config.ts. */
export const backupSettings = {
  BACKUP_DIR: {
    parse: matching(/^[^\0]{1,1024}$/, "must be the path of a folder"),
    fallback: undefined,
    allowed: "a folder",
    purpose: "Where this server keeps the backups that it makes by itself; without it, none are.",
  },
  BACKUP_EVERY_HOURS: {
    parse: integerBetween(0, 8_760),
    fallback: "24",
    allowed: "0 to 8760",
    purpose: "How often one is made, over all servers; 0 makes one only when somebody asks.",
  },
  BACKUP_KEEP: {
    parse: integerBetween(1, 1_000),
    fallback: "7",
    allowed: "1 to 1000",
    purpose: "How many of them are kept in `BACKUP_DIR`.",
  },
  BACKUP_VERIFY_EVERY_HOURS: {
    parse: integerBetween(0, 8_760),
    fallback: "24",
    allowed: "0 to 8760",
    purpose: "How often one is restored into a scratch database and compared; 0 for never.",
  },
  BACKUP_PASSPHRASE: {
    parse: matching(/^[^\p{Cc}]{12,200}$/u, "must have 12 to 200 characters"),
    fallback: undefined,
    allowed: "12 to 200 characters",
    purpose:
      "Seals the encryption key that goes with backups, and opens it at a restore; without it, backups have no key.",
    isSecret: true,
  },
} as const;
