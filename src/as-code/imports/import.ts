import type { ImportReport, Installation } from "./reading.ts";
import type { ImportSource } from "./sources.ts";

/** Display name of each source, and the files that users must upload. */
export const sources: Readonly<
  Record<ImportSource, { readonly label: string; readonly files: string }>
> = {
  "uptime-kuma": {
    label: "Uptime Kuma",
    files: "kuma.db, a dump of MariaDB, or the JSON backup of version 1",
  },
  gatus: { label: "Gatus", files: "config.yaml, or all files of its folder" },
  "blackbox-exporter": {
    label: "Prometheus blackbox_exporter",
    files: "blackbox.yml, prometheus.yml, their lists of targets and alert rules",
  },
  smokeping: { label: "SmokePing", files: "its configuration, with the files that it includes" },
  healthchecks: { label: "Healthchecks", files: "the answer of GET /api/v3/checks/" },
  openstatus: { label: "openstatus", files: "openstatus.yaml" },
  checkly: { label: "Checkly", files: "answers of the lists of its API, as JSON" },
  hosts: { label: "List of hosts", files: "one host or URL per line, or CSV with a header" },
};

export const importSources = Object.keys(sources) as ImportSource[];

/** Options that the user selects for an import run. */
export interface RunOptions {
  /** Origins of the objects that the user excludes from the import. */
  readonly exclude: readonly string[];
  /** Whether imported checks are created muted. */
  readonly muted: boolean;
  /** Whether checks accept pings to the push addresses of the old monitor. */
  readonly keepAddresses: boolean;
  readonly withHistory: boolean;
}

/** Result of an import run. */
export interface RunOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly addresses: number;
  /** Number of checks with imported history. */
  readonly histories: number;
  /** Messages about steps that failed, such as a push address that another check already uses. */
  readonly notes: readonly string[];
}

/**
 * Scope of an import. The import changes only objects that were imported from the same
 * installation.
 */
export interface ImportScope {
  readonly source: ImportSource;
  /** Name of the installation; empty for the first installation of the source. */
  readonly name: string;
}

/**
 * Name of an installation in an earlier import, and the id of the installation. The id is `null` if
 * the files did not contain an id.
 */
export interface UsedName {
  readonly name: string;
  readonly installationId: string | null;
}

/**
 * Returns the name of the installation that wrote a file. An installation keeps the name from its
 * earlier files. The name is empty for the first installation, and if the file does not identify
 * its installation. Any other installation gets a different name, so that its import cannot change
 * the objects of the first one.
 */
export function decideName(
  installation: Installation | undefined,
  used: readonly UsedName[],
): string {
  if (installation === undefined) return "";
  const { id, label } = installation;
  const own = used.find(({ installationId }) => installationId === id);
  if (own !== undefined) return own.name;
  const isFree = (name: string) =>
    !used.some((one) => one.name === name && one.installationId !== null);
  return ["", label].find(isFree) ?? `${label} ${id.slice(0, 6)}`;
}

/** An uploaded file and its report. `finishedAt` is `null` until the import is run. */
export interface Import {
  readonly id: string;
  readonly source: ImportSource;
  readonly name: string;
  readonly fileName: string;
  readonly report: ImportReport;
  readonly addresses: number;
  readonly historyChecks: number;
  /** Start of the history in the file; `null` if the file contains no history. */
  readonly historyFrom: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
}
