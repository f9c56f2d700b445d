import { readBlackboxExporter } from "./readers/blackbox-exporter/index.ts";
import { readCheckly } from "./readers/checkly/index.ts";
import { readGatus } from "./readers/gatus/index.ts";
import { readHealthchecks } from "./readers/healthchecks.ts";
import { readHosts } from "./readers/hosts.ts";
import { readOpenstatus } from "./readers/openstatus.ts";
import { readSmokeping } from "./readers/smokeping/index.ts";
import { readUptimeKuma } from "./readers/uptime-kuma/index.ts";
import type { ImportFile, Reading } from "./reading.ts";
import type { ReadOptions } from "./reading-builder.ts";

type Read = (files: readonly ImportFile[], options: ReadOptions) => Reading | Promise<Reading>;

/** The reader of each source. A reader has no side effects apart from reading its files. */
export const readers = {
  "uptime-kuma": readUptimeKuma,
  gatus: readGatus,
  "blackbox-exporter": readBlackboxExporter,
  smokeping: readSmokeping,
  healthchecks: readHealthchecks,
  openstatus: readOpenstatus,
  checkly: readCheckly,
  hosts: readHosts,
} as const satisfies Readonly<Record<string, Read>>;

export type ImportSource = keyof typeof readers;
