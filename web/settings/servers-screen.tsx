import { useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { ScreenBody } from "../parts/layout.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago, formatDuration } from "../parts/time.tsx";
import { serverWords as words } from "./installation-words.ts";
import { serversQuery } from "./queries.ts";
import styles from "./settings.module.css";

type Server = Schemas["Server"];

/**
 * Minimum time without progress of a background loop after which its server is shown as behind.
 * Shorter times are normal.
 */
const shownLagSeconds = 5;

function State({ server }: { readonly server: Server }) {
  if (!server.isLive) return <StateMark state="failing" hasWord word={words.gone} />;
  if (!server.isScheduling) return <StateMark state="degraded" hasWord word={words.resting} />;
  if (server.lagSeconds >= shownLagSeconds) {
    return <StateMark state="degraded" hasWord word={words.behind} />;
  }
  return <StateMark state="passing" hasWord word={words.live} />;
}

function Name({ server }: { readonly server: Server }) {
  return (
    <>
      {server.name ?? `${words.unnamed} ${server.id.slice(0, 8)}`}
      {server.isThis && <span className={textStyles.muted}> {words.answers}</span>}
      {server.address !== null && <div className={textStyles.muted}>{server.address}</div>}
    </>
  );
}

function Clock({ server }: { readonly server: Server }) {
  const seconds = server.clockOffsetSeconds;
  if (seconds === null || !server.isLive) return "–";
  if (!server.isClockWrong) return words.clockRight;
  const word = seconds > 0 ? words.ahead : words.late;
  return (
    <span className={textStyles.bad}>
      {formatDuration(Math.abs(seconds) * 1_000)} {word}
    </span>
  );
}

function Lag({ server }: { readonly server: Server }) {
  if (!server.isLive) return "–";
  if (server.lagSeconds < shownLagSeconds) return words.noLag;
  return (
    <span className={textStyles.bad}>
      {formatDuration(server.lagSeconds * 1_000)}: {server.slowestLoop}
    </span>
  );
}

function ServerTable({
  servers,
  total,
}: {
  readonly servers: readonly Server[];
  readonly total: number;
}) {
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{words.server}</th>
          <th>{words.state}</th>
          <th>{words.version}</th>
          <th>{words.shards}</th>
          <th>{words.since}</th>
          <th>{words.lag}</th>
          <th>{words.clock}</th>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <tr key={server.id}>
            <td>
              <Name server={server} />
            </td>
            <td data-label={words.state}>
              <State server={server} />
              {!server.isLive && (
                <span className={textStyles.muted}>
                  {" "}
                  {words.lastSeen} <Ago at={server.lastSeenAt} />
                </span>
              )}
            </td>
            <td data-label={words.version}>{server.version}</td>
            <td
              className={textStyles.nowrap}
              data-label={words.shards}
            >{`${server.shards} ${words.of} ${total}`}</td>
            <td className={textStyles.nowrap} data-label={words.since}>
              <Ago at={server.startedAt} />
            </td>
            <td data-label={words.lag}>
              <Lag server={server} />
            </td>
            <td data-label={words.clock}>
              <Clock server={server} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Servers({ servers, shards }: Schemas["Servers"]) {
  const live = servers.filter(({ isLive }) => isLive).length;
  return (
    <>
      <p>{live === 1 ? words.oneSentence : words.sentence(live)}</p>
      {shards.free > 0 && <p className={textStyles.bad}>{words.free(shards.free)}</p>}
      <ServerTable servers={servers} total={shards.total} />
      <p className={textStyles.muted}>
        {live === 1 && `${words.alone} `}
        <a href="/docs/many-machines">{words.guide}</a>
      </p>
    </>
  );
}

function ServersScreen() {
  const { data, error, refetch } = useSuspenseQuery(serversQuery);
  return (
    <>
      <PageHeader title={words.title} />
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {!error && <Servers {...data} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/servers")({ component: ServersScreen });
