import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { machineQuery, runtimesQuery } from "../kinds/scripts/queries.ts";
import { FactList } from "../parts/blocks.tsx";
import { formatBytes, formatCount } from "../parts/figures.ts";
import { ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { runtimeWords as words } from "./installation-words.ts";
import styles from "./settings.module.css";

type Runtime = Schemas["Runtime"];
type InstallProgress = Schemas["RuntimeInstallProgress"];

const marks = {
  installed: "passing",
  installing: "unknown",
  missing: "inactive",
  failed: "failing",
  unavailable: "inactive",
} as const;

/** Returns the state of a runtime. A missing runtime that cannot be installed is "unavailable". */
function findState({ installation }: Runtime): keyof typeof marks {
  const { state, canInstall } = installation;
  return state === "missing" && !canInstall ? "unavailable" : state;
}

function formatPhase({ phase, packagesDone, packagesTotal }: InstallProgress): string {
  return phase === "packages"
    ? words.phases.packages(packagesDone, packagesTotal)
    : words.phases[phase];
}

function ProgressOf({ name, progress }: { name: string; progress: InstallProgress }) {
  const { packagesDone, packagesTotal } = progress;
  return (
    <>
      <span className={textStyles.muted}> {formatPhase(progress)}</span>
      <progress
        className={styles.progress}
        max={Math.max(1, packagesTotal)}
        value={packagesDone}
        aria-label={words.progressOf(name)}
      />
    </>
  );
}

function State({ runtime }: { readonly runtime: Runtime }) {
  const { name, installation } = runtime;
  const { message, progress } = installation;
  const state = findState(runtime);
  return (
    <>
      <StateMark state={marks[state]} hasWord word={words.states[state]} />
      {progress !== null && <ProgressOf name={name} progress={progress} />}
      {message !== null && state !== "missing" && (
        <div
          className={`${textStyles.wrap} ${state === "failed" ? textStyles.bad : textStyles.muted}`}
        >
          {message}
        </div>
      )}
    </>
  );
}

function InstallButton({ runtime }: { readonly runtime: Runtime }) {
  const { name, installation } = runtime;
  const queryClient = useQueryClient();
  const install = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/runtimes/{id}/install", { params: { path: { id: name } } })),
    onSuccess: async () => {
      showNotice({ text: words.started(name) });
      await renewQueries(queryClient, ["runtimes"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  if (!installation.canInstall) return null;
  const hasFailed = installation.state === "failed";
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => install.mutate()}
      loading={install.isPending}
      aria-label={hasFailed ? words.retryOf(name) : words.installOf(name)}
    >
      {hasFailed ? words.retry : words.install}
    </Button>
  );
}

function Packages({ runtime }: { readonly runtime: Runtime }) {
  const { dependencies, installation } = runtime;
  const leftOut = Object.entries(installation.leftOut);
  return (
    <>
      {formatCount(Object.keys(dependencies).length - leftOut.length)}
      {leftOut.length > 0 && (
        <details>
          <summary className={textStyles.muted}>{words.leftOut(leftOut.length)}</summary>
          {leftOut.map(([name, version]) => (
            <div key={name} className={textStyles.wrap}>
              <code>{`${name} ${version}`}</code>
            </div>
          ))}
        </details>
      )}
    </>
  );
}

/** Lists the runtimes, with those that this machine cannot install folded. */
function RuntimeList({ runtimes }: { readonly runtimes: readonly Runtime[] }) {
  const others = runtimes.filter((runtime) => findState(runtime) === "unavailable");
  return (
    <>
      <RuntimeTable runtimes={runtimes.filter((runtime) => !others.includes(runtime))} />
      {others.length > 0 && (
        <details>
          <summary>{words.unavailable(others.length)}</summary>
          <RuntimeTable runtimes={others} />
        </details>
      )}
    </>
  );
}

function RuntimeTable({ runtimes }: { readonly runtimes: readonly Runtime[] }) {
  const isAdmin = useMay("admin");
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{words.runtime}</th>
          <th>{words.state}</th>
          <th>{words.node}</th>
          <th>{words.packages}</th>
          <th className={textStyles.end}>{words.size}</th>
          {isAdmin && (
            <th>
              <span className="unseen">{words.install}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {runtimes.map((runtime) => {
          const { name, stage, nodeJsVersion, installation } = runtime;
          return (
            <tr key={name}>
              <td className={textStyles.nowrap}>
                {name} <span className={textStyles.muted}>{words.stages[stage]}</span>
              </td>
              <td data-label={words.state}>
                <State runtime={runtime} />
              </td>
              <td className={textStyles.nowrap} data-label={words.node}>
                {installation.nodeJsVersion ?? nodeJsVersion}
              </td>
              <td data-label={words.packages}>
                <Packages runtime={runtime} />
              </td>
              <td className={`${textStyles.end} ${textStyles.nowrap}`} data-label={words.size}>
                {installation.sizeBytes === null ? "–" : formatBytes(installation.sizeBytes)}
              </td>
              {isAdmin && (
                <td className={textStyles.end}>
                  <InstallButton runtime={runtime} />
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/**
 * Shows the isolation level and the browser of the server's machine. Both load after the list,
 * because the server may have to try a sandbox first.
 */
function MachineFacts({ runtime }: { readonly runtime: string }) {
  const { data, error } = useQuery(machineQuery(runtime));
  if (error !== null) return <p className={textStyles.muted}>{words.machineNotLoaded}</p>;
  if (data === undefined) return <p className={textStyles.muted}>{words.machineLoading}</p>;
  if (data.machine === null) return <p className={textStyles.muted}>{words.noChecks}</p>;
  const { isolation, isolationMessage, browser, browserMessage } = data.machine;
  return (
    <FactList>
      <div>
        <dt>{words.isolation}</dt>
        <dd>
          <StateMark
            state={isolation === null ? "failing" : "passing"}
            hasWord
            word={isolation === null ? words.noIsolation : words.sandboxed}
          />
          {isolation !== null && <Message text={words.isolations[isolation]} />}
          {isolationMessage !== null && <Message text={isolationMessage} />}
        </dd>
      </div>
      <div>
        <dt>{words.browser}</dt>
        <dd>
          <StateMark
            state={browser === null ? "inactive" : "passing"}
            hasWord
            word={browser === null ? words.noBrowser : words.chromium(browser.version)}
          />
          <Message text={browser?.path ?? browserMessage ?? ""} />
        </dd>
      </div>
    </FactList>
  );
}

function Message({ text }: { readonly text: string }) {
  return <div className={`${textStyles.wrap} ${textStyles.muted}`}>{text}</div>;
}

function RuntimesScreen() {
  const { data } = useSuspenseQuery(runtimesQuery);
  const current = data.find(({ stage }) => stage === "CURRENT");
  return (
    <>
      <PageHeader title={words.title} />
      <ScreenBody className={styles.body}>
        <p className={textStyles.muted}>{words.intro}</p>
        <RuntimeList runtimes={data} />
        <p className={textStyles.muted}>
          {words.onUse} <a href="/docs/runtimes">{words.guide}</a>
        </p>
        <h2>{words.machine}</h2>
        {current && <MachineFacts runtime={current.name} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/runtimes")({ component: RuntimesScreen });
