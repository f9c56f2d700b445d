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
