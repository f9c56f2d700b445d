import type { ImportReport, Installation } from "./reading.ts";
import type { ImportSource } from "./sources.ts";

/** Names of the sources and what to upload, for people. */
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

/** Choices of a run. */
export interface RunOptions {
  /** Origins that are not imported. */
  readonly exclude: readonly string[];
  /** Whether all checks are imported muted. */
  readonly muted: boolean;
  /** Whether old push addresses stay valid. */
  readonly keepAddresses: boolean;
  readonly withHistory: boolean;
}

/** What a run did. */
export interface RunOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly addresses: number;
  /** Checks with imported history. */
  readonly histories: number;
  /** What a run could not do, such as an address that is in use elsewhere. */
  readonly notes: readonly string[];
}

/** Which objects an import knows: those of one installation of a source. */
export interface ImportScope {
  readonly source: ImportSource;
  /** Name of the installation; empty for the first one. */
  readonly name: string;
}

/** A name and the id of the installation that used it last; `null` if its files had none. */
export interface UsedName {
  readonly name: string;
  readonly installationId: string | null;
}

/**
 * Names the installation of a file. It keeps the name of its earlier files. The first installation
 * has no name, and another one must not change the objects of the first.
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

/** An uploaded file and its report; `finishedAt` is null until it is run. */
export interface Import {
  readonly id: string;
  readonly source: ImportSource;
  readonly name: string;
  readonly fileName: string;
  readonly report: ImportReport;
  readonly addresses: number;
  readonly historyChecks: number;
  /** Start of the history; `null` if there is none. */
  readonly historyFrom: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
}
