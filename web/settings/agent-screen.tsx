import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { aboutQuery } from "../api/about.ts";
import type { Schemas } from "../api/client.ts";
import { useMay, useSession } from "../api/session.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatBytes } from "../parts/figures.ts";
import { ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { exchangesQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.agent;

function describe({ isBuiltIn }: Schemas["About"]["agent"], isAdmin: boolean): string {
  if (isBuiltIn) return own.builtIn;
  return isAdmin ? own.outside : own.outsideHidden;
}

/** Formats a request with indentation if the request is valid JSON. */
function layOut(request: string): string {
  try {
    return JSON.stringify(JSON.parse(request), null, 2);
  } catch {
    return request;
  }
}

function Exchanges() {
  const { account } = useSession();
  const { data, error, refetch } = useQuery(exchangesQuery(account.id));
  if (error) return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.entries.length === 0) return <p className={textStyles.muted}>{own.nothingLeft}</p>;
  return (
    <Stack as="ul">
      {data.entries.map((one) => (
        <li key={one.id}>
          <details>
            <summary>
              <DateTime at={one.sentAt} /> · {one.model} · {formatBytes(one.requestBytes)}{" "}
              {own.bytes} ·{" "}
              {one.failure === null
                ? (one.status ?? own.noAnswer)
                : `${own.failed}: ${one.failure}`}
            </summary>
            <pre className={textStyles.code}>{layOut(one.request)}</pre>
          </details>
        </li>
      ))}
    </Stack>
  );
}

function AgentScreen() {
  const isAdmin = useMay("admin");
  const { data, error, refetch } = useQuery(aboutQuery);
  return (
    <>
      <PageHeader title={own.title} />
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {!error && data === undefined && <Skeleton rows={3} />}
        {data && (
          <Stack as="section">
            <h2>{own.who}</h2>
            <p>{describe(data.agent, isAdmin)}</p>
            {data.agent.model !== null && (
              <FactList>
                <dt>{own.model}</dt>
                <dd>{data.agent.model}</dd>
                <dt>{own.host}</dt>
                <dd>{data.agent.host}</dd>
              </FactList>
            )}
            {data.agent.isBuiltIn && isAdmin && <p className={textStyles.muted}>{own.how}</p>}
          </Stack>
        )}
        {isAdmin && (
          <Stack as="section">
            <h2>{own.left}</h2>
            <Exchanges />
          </Stack>
        )}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/agent")({ component: AgentScreen });
