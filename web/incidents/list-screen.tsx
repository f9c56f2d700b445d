import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { pageNamesQuery } from "../parts/queries.ts";
import textStyles from "../parts/text.module.css";
import { Ago, DateTime, formatDuration, Lasting } from "../parts/time.tsx";
import styles from "./incidents.module.css";
import { IncidentsFrame, SeverityMark } from "./incidents-frame.tsx";
import { type Incident, incidentsQuery } from "./queries.ts";
import { type IncidentFilter, severities } from "./search.ts";
import { words } from "./words.ts";

const from = "/signed-in/incidents" as const;

function Filters({ filter }: { readonly filter: IncidentFilter }) {
  const navigate = useNavigate();
  const { data: pages } = useQuery(pageNamesQuery);
  const set =
    (key: "state" | "severity" | "page") => (event: { currentTarget: { value: string } }) => {
      const { [key]: _was, from: _from, ...rest } = filter;
      const { value } = event.currentTarget;
      const search = (value === "" ? rest : { ...rest, [key]: value }) as IncidentFilter;
      void navigate({ to: "/incidents", search, replace: true });
    };
  const own = words.filters;
  return (
    <Row gap={3} align="end" className={styles.filters}>
      <NativeSelect
        label={own.state}
        value={filter.state ?? ""}
        onChange={set("state")}
        data={[
          { value: "", label: own.anyState },
          { value: "ongoing", label: own.ongoing },
          { value: "resolved", label: own.resolved },
        ]}
      />
      <NativeSelect
        label={own.severity}
        value={filter.severity ?? ""}
        onChange={set("severity")}
        data={[
          { value: "", label: own.anySeverity },
          ...severities.map((value) => ({ value, label: words.severities[value] })),
        ]}
      />
      <NativeSelect
        label={own.page}
        className={styles.pageFilter ?? ""}
        value={filter.page ?? ""}
        onChange={set("page")}
        data={[
          { value: "", label: own.anyPage },
          ...(pages ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </Row>
  );
}

function IncidentRow({ incident }: { readonly incident: Incident }) {
  const { id, name, severity, services, lastUpdateStatus, startedAt, resolvedAt } = incident;
  const isOver = resolvedAt !== null;
  return (
    <li className={`${listStyles.row} ${styles.row}`}>
      <SeverityMark severity={severity} isOver={isOver} />
      <Row as="span" gap={3} tight align="baseline" className={styles.rowMain}>
        <Link
          to="/incidents/$incidentId"
          params={{ incidentId: id }}
          className={`${textStyles.plain} ${textStyles.strong} ${textStyles.clampOnPhone}`}
        >
          <bdi>{name}</bdi>
        </Link>
        <span className={textStyles.muted}>
          {services.map((service) => service.name).join(", ")}
          {incident.checkId !== null && ` · ${words.automatic}`}
        </span>
      </Row>
      <span>{words.statuses[lastUpdateStatus]}</span>
      <span className={`${styles.began} ${textStyles.muted} ${textStyles.nowrap}`}>
        {isOver ? <DateTime at={startedAt} /> : <Ago at={startedAt} />}
      </span>
      <span className={`${textStyles.muted} ${textStyles.nowrap} ${textStyles.end}`}>
        {isOver ? (
          <>
            {words.lasted} {formatDuration((incident.duration ?? 0) * 1000)}
          </>
        ) : (
          <>
            {words.for} <Lasting since={startedAt} />
          </>
        )}
      </span>
    </li>
  );
}

interface PartProps {
  readonly filter: IncidentFilter;
  readonly state: "ongoing" | "resolved";
  /** Text that is shown if the list is empty. */
  readonly none: string;
}

function Part({ filter, state, none }: PartProps) {
  const { data, error, refetch } = useQuery(incidentsQuery(state, filter));
  const { from: start, ...rest } = filter;
  return (
    <Stack as="section">
      <h2>{state === "ongoing" ? words.open : words.past}</h2>
      {error && data === undefined && (
        <ErrorPanel error={error} title={words.loadFailed} onRetry={() => void refetch()} />
      )}
      {!error && data === undefined && <Skeleton rows={state === "ongoing" ? 2 : 6} />}
      {data?.length === 0 && <p className={textStyles.muted}>{none}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className={listStyles.list}>
          {data.entries.map((incident) => (
            <IncidentRow key={incident.id} incident={incident} />
          ))}
        </ul>
      )}
      {state === "resolved" &&
        data !== undefined &&
        (start !== undefined || data.nextId !== null) && (
          <Row as="nav" gap={4} align="end" aria-label={words.past}>
            {start !== undefined && (
              <Link to="/incidents" search={rest}>
                {words.newest}
              </Link>
            )}
            {data.nextId !== null && (
              <Link to="/incidents" search={{ ...rest, from: data.nextId }}>
                {words.older}
              </Link>
            )}
          </Row>
        )}
    </Stack>
  );
}

function CreateButton() {
  return (
    <Button component={AddressLink} href="/incidents/new" leftSection={<PlusIcon size={16} />}>
      {words.create}
    </Button>
  );
}

/** Returns whether the account has no incidents at all; false if a filter is set. */
function useIsNew(filter: IncidentFilter): boolean {
  const isFiltered = Object.keys(filter).length > 0;
  const open = useQuery({ ...incidentsQuery("ongoing", {}), enabled: !isFiltered });
  const past = useQuery({ ...incidentsQuery("resolved", {}), enabled: !isFiltered });
  return !isFiltered && open.data?.length === 0 && past.data?.length === 0;
}

function IncidentsScreen() {
  const filter = useSearch({ from });
  const mayWrite = useMay("write");
  const isNew = useIsNew(filter);
  const isFiltered = filter.severity !== undefined || filter.page !== undefined;
  if (isNew) {
    return (
      <IncidentsFrame>
        <EmptyState title={words.empty}>
          <p>{words.emptyText}</p>
          {mayWrite && <CreateButton />}
        </EmptyState>
      </IncidentsFrame>
    );
  }
  return (
    <IncidentsFrame actions={mayWrite && <CreateButton />}>
      <Filters filter={filter} />
      {filter.state !== "resolved" && (
        <Part filter={filter} state="ongoing" none={isFiltered ? words.noneFit : words.noneOpen} />
      )}
      {filter.state !== "ongoing" && (
        <Part filter={filter} state="resolved" none={isFiltered ? words.noneFit : words.nonePast} />
      )}
    </IncidentsFrame>
  );
}

export const route = createLazyRoute(from)({ component: IncidentsScreen });
