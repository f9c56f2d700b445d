import { useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { aboutQuery } from "../api/about.ts";
import type { Schemas } from "../api/client.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatBytes, formatCount } from "../parts/figures.ts";
import { ScreenBody, Stack } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago, formatDuration, Lasting } from "../parts/time.tsx";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.about;
type About = Schemas["About"];

function listFacts(about: About): readonly (readonly [string, ReactNode])[] {
  const { database, disk, retention, counts, canSend } = about;
  const kind = database.isEmbedded ? own.embedded : own.external;
  return [
    [own.version, `Vedette ${about.version}`],
    [own.licence, about.licence],
    [own.uptime, formatDuration(about.uptimeSeconds * 1_000)],
    [own.database, `${kind}, ${database.version}`],
    [own.databaseSize, formatBytes(database.sizeBytes)],
    [own.disk, `${formatBytes(disk.freeBytes)} ${own.free} ${formatBytes(disk.totalBytes)}`],
    [own.backup, describeBackups(about)],
    [own.results, `${formatCount(retention.resultsDays)} ${own.days}`],
    [own.audit, `${formatCount(retention.auditLogDays)} ${own.days}`],
    [own.checks, formatCount(counts.checks)],
    [own.channels, formatCount(counts.channels)],
    [own.probes, formatCount(counts.liveProbes)],
    [own.mail, canSend.mail ? own.set : own.notSet],
    [own.sms, canSend.textMessages ? own.set : own.notSet],
  ];
}

function describeBackups({ backups }: About): ReactNode {
  if (backups.lastSuccessAt === null) return backups.isScheduled ? own.noneYet : own.noBackups;
  return (
    <>
      <Ago at={backups.lastSuccessAt} />
      {backups.lastSizeBytes !== null && `, ${formatBytes(backups.lastSizeBytes)}`}
      {", "}
      {backups.lastVerifiedAt === null ? (
        own.notVerified
      ) : (
        <>
          {own.verified} <Ago at={backups.lastVerifiedAt} />
        </>
      )}
    </>
  );
}

function Loops({ loops }: { readonly loops: About["health"]["loops"] }) {
  return (
    <details>
      <summary>{own.loops}</summary>
      <table className={`${tableStyles.table} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{own.loop}</th>
            <th>{own.state}</th>
            <th>{own.last}</th>
            <th className={textStyles.end}>{own.errors}</th>
          </tr>
        </thead>
        <tbody>
          {loops.map(({ name, stuckSince, lastSuccessAt, errors }) => (
            <tr key={name}>
              <td>{name}</td>
              <td data-label={own.state}>
                {stuckSince === null ? (
                  own.fine
                ) : (
                  <span className={textStyles.bad}>
                    {own.stuck} <Lasting since={stuckSince} />
                  </span>
                )}
              </td>
              <td data-label={own.last}>{lastSuccessAt ? <Ago at={lastSuccessAt} /> : "–"}</td>
              <td className={textStyles.end} data-label={own.errors}>
                {formatCount(errors)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Facts({ about }: { readonly about: About }) {
  const { loops } = about.health;
  const { problem } = about.backups;
  const problems = [...about.health.problems, ...(problem === null ? [] : [problem])];
  return (
    <>
      <FactList>
        {listFacts(about).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </FactList>
      <Stack as="section">
        <h2>{own.health}</h2>
        {problems.length === 0 ? (
          <p>{own.healthy}</p>
        ) : (
          <ul className={textStyles.bad}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        <Loops loops={loops} />
      </Stack>
      <p>
        <a href="/docs/api">{own.reference}</a>
      </p>
    </>
  );
}

function AboutScreen() {
  const { data, error, refetch } = useSuspenseQuery(aboutQuery);
  return (
    <>
      <PageHeader title={own.title} />
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        <Facts about={data} />
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/about")({ component: AboutScreen });
