import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Schemas } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { Ago, Lasting } from "../parts/time.tsx";
import { useTypedText } from "../parts/use-typed-text.ts";
import { AcknowledgeButton, AlertKind, AlertRow } from "./alert-parts.tsx";
import { type AlertFilter, type By, decideBy } from "./alert-search.ts";
import styles from "./alerts.module.css";
import { AlertsFrame } from "./alerts-frame.tsx";
import { type Group, GroupBySelect, ProblemGroups } from "./problem-groups.tsx";
import { alertPageSize, alertsQuery, openAlertsQuery, problemGroupsQuery } from "./queries.ts";
import { RespondMenu } from "./respond-menu.tsx";
import { words } from "./words.ts";

const own = words.list;
type Open = Schemas["OpenAlert"];

/**
 * Keeps only the checks of a group that have open alerts. Returns a list with the reduced group, or
 * an empty list if no check of the group has an open alert.
 */
function pickAlerted(group: Group): Group[] {
  const checks = group.checks.filter(({ isAlerted }) => isAlerted);
  if (checks.length === 0) return [];
  const failing = checks.filter(({ status }) => status === "failing").length;
  return [{ ...group, checks, failing, degraded: checks.length - failing }];
}

function OpenName({ alert }: { readonly alert: Schemas["OpenAlert"] }) {
  const { alertId, checkId, name } = alert;
  const text = <bdi>{name}</bdi>;
  // If the details of the alert are no longer stored, the name links to the check instead.
  return alertId === null ? (
    <Link to="/checks/$checkId" params={{ checkId }} className={textStyles.clampOnPhone}>
      {text}
    </Link>
  ) : (
    <Link to="/alerts/$alertId" params={{ alertId }} className={textStyles.clampOnPhone}>
      {text}
    </Link>
  );
}

function OpenAlert({ alert }: { readonly alert: Schemas["OpenAlert"] }) {
  const mayRun = useMay("run");
  return (
    <Row as="li" gap={4} tight className={`${listStyles.item} ${styles.row}`}>
      <AlertKind type={alert.alertType} />
      <span className={styles.main}>
        <OpenName alert={alert} />{" "}
        <span className={textStyles.muted}>
          {own.for} <Lasting since={alert.openedAt} />
        </span>
      </span>
      {alert.acknowledgedAt !== null ? (
        <span className={textStyles.muted}>
          {own.acknowledged} <Ago at={alert.acknowledgedAt} />
        </span>
      ) : (
        <>
          <span className={textStyles.muted}>{own.nobody}</span>
          {mayRun && <AcknowledgeButton checkId={alert.checkId} name={alert.name} />}
        </>
      )}
      {mayRun && <RespondMenu checkId={alert.checkId} name={alert.name} />}
    </Row>
  );
}

/** Shows the open alerts in groups, followed by the alerts that belong to no group. */
function GroupedAlerts({ alerts, by }: { readonly alerts: readonly Open[]; readonly by: By }) {
  const { data, error, refetch } = useQuery(problemGroupsQuery(by));
  if (error) return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const groups = data.flatMap((group) => pickAlerted(group));
  const grouped = new Set(groups.flatMap(({ checks }) => checks.map(({ checkId }) => checkId)));
  const rest = alerts.filter(({ checkId }) => !grouped.has(checkId));
  return (
    <>
      <ProblemGroups groups={groups} by={by} />
      {rest.length > 0 && (
        <>
          <h3>{words.groups.others}</h3>
          <OpenList alerts={rest} />
        </>
      )}
    </>
  );
}

function OpenList({ alerts }: { readonly alerts: readonly Open[] }) {
  return (
    <ul className={listStyles.list}>
      {alerts.map((alert) => (
        <OpenAlert key={alert.checkId} alert={alert} />
      ))}
    </ul>
  );
}

function NoneOpen() {
  const { data } = useQuery({ ...alertsQuery({}), refetchInterval: false });
  if (data === undefined) return null;
  return <p className={textStyles.muted}>{data.total === 0 ? own.neverFired : own.noneOpen}</p>;
}

function OpenAlerts() {
  const { data, error, refetch } = useQuery(openAlertsQuery);
  const filter = useSearch({ from: "/signed-in/alerts" });
  const navigate = useNavigate();
  const by = decideBy(filter.by, data?.length ?? 0);
  return (
    <Stack as="section">
      <Row gap={4} justify="between">
        <h2>{own.open}</h2>
        {data !== undefined && data.length > 1 && (
          <GroupBySelect
            by={by}
            onChange={(next) =>
              void navigate({ to: "/alerts", search: { ...filter, by: next }, replace: true })
            }
          />
        )}
      </Row>
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={2} />}
      {data?.length === 0 && <NoneOpen />}
      {data !== undefined && data.length > 0 && by === "none" && <OpenList alerts={data} />}
      {data !== undefined && data.length > 0 && by !== "none" && (
        <GroupedAlerts alerts={data} by={by} />
      )}
    </Stack>
  );
}

interface FiltersProps {
  readonly filter: AlertFilter;
  readonly onChange: (filter: AlertFilter) => void;
}

const typingMs = 300;

function Filters({ filter, onChange }: FiltersProps) {
  const [text, setText] = useTypedText(filter.search ?? "", typingMs, (search) => {
    const { search: _search, page: _page, ...rest } = filter;
    onChange(search === "" ? rest : { ...rest, search });
  });
  const set = (key: "alertType" | "show") => (event: { currentTarget: { value: string } }) => {
    const { [key]: _was, page: _page, ...rest } = filter;
    const { value } = event.currentTarget;
    onChange(value === "" ? rest : { ...rest, [key]: value });
  };
  return (
    <Row gap={3} align="end">
      <TextInput
        className={layoutStyles.grow}
        label={own.search}
        type="search"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <NativeSelect
        label={own.type}
        value={filter.alertType ?? ""}
        onChange={set("alertType")}
        data={[
          { value: "", label: own.anyType },
          ...Object.entries(words.alertTypes)
            .filter(([value]) => value !== "ALERT_TEST" && value !== "ALERT_DEGRADED_RECOVERY")
            .map(([value, label]) => ({ value, label })),
        ]}
      />
      <NativeSelect
        label={own.show}
        value={filter.show ?? ""}
        onChange={set("show")}
        data={[
          { value: "", label: own.both },
          { value: "sent", label: own.sent },
          { value: "held", label: own.held },
        ]}
      />
    </Row>
  );
}

interface PagesProps {
  readonly filter: AlertFilter;
  readonly total: number;
}

function Pages({ filter, total }: PagesProps) {
  const { page = 1, ...rest } = filter;
  const last = Math.max(1, Math.ceil(total / alertPageSize));
  if (last === 1) return null;
  return (
    <Row as="nav" aria-label={own.history}>
      {page > 1 && (
        <Link to="/alerts" search={page === 2 ? rest : { ...rest, page: page - 1 }}>
          {own.newer}
        </Link>
      )}
      <span className={textStyles.muted}>
        {page} {own.of} {last}
      </span>
      {page < last && (
        <Link to="/alerts" search={{ ...rest, page: page + 1 }}>
          {own.older}
        </Link>
      )}
    </Row>
  );
}

function History() {
  const filter = useSearch({ from: "/signed-in/alerts" });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(alertsQuery(filter));
  const { by: _by, ...narrowing } = filter;
  const isFiltered = Object.keys(narrowing).length > 0;
  return (
    <Stack as="section">
      <h2>{own.history}</h2>
      <Filters
        filter={filter}
        onChange={(search) => void navigate({ to: "/alerts", search, replace: true })}
      />
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={8} />}
      {data?.data.length === 0 && (
        <EmptyState title={own.empty}>
          <p>{isFiltered ? own.emptyFilter : own.emptyText}</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <ul className={listStyles.list}>
          {data.data.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {data !== undefined && <Pages filter={filter} total={data.total ?? 0} />}
    </Stack>
  );
}

function AlertsScreen() {
  return (
    <AlertsFrame>
      <OpenAlerts />
      <History />
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts")({ component: AlertsScreen });
