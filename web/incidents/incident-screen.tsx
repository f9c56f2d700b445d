import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { GonePanel } from "../parts/error-panel.tsx";
import { TrashIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { checkStatusQuery } from "../parts/queries.ts";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime, formatDuration, Lasting } from "../parts/time.tsx";
import { UpdateComposer } from "./composer/update-composer.tsx";
import { EditIncident } from "./edit-incident.tsx";
import styles from "./incidents.module.css";
import { SeverityMark } from "./incidents-frame.tsx";
import { NotesPart } from "./notes-part.tsx";
import { PostMortemPart } from "./post-mortem-part.tsx";
import {
  audienceQuery,
  type Incident,
  incidentQuery,
  openingAlertQuery,
  serviceStatusesQuery,
} from "./queries.ts";
import { Timeline } from "./timeline.tsx";
import { words as moduleWords, incidentWords as words } from "./words.ts";

const maxChecks = 10;

function CheckLine({ checkId }: { readonly checkId: string }) {
  const { data } = useQuery(checkStatusQuery(checkId));
  if (data === undefined) return null;
  return (
    <Row as="li" tight className={styles.check}>
      <StateMark state={data.status} size={14} />
      <AddressLink href={`/checks/${checkId}`}>
        <bdi>{data.name}</bdi>
      </AddressLink>
      {data.status !== "passing" && <span className={textStyles.muted}>{data.explanation}</span>}
    </Row>
  );
}

/** Lists the affected services with their current state and their checks. */
function ServicesPart({ incident }: { readonly incident: Incident }) {
  const { data } = useQuery(serviceStatusesQuery);
  const known = new Map((data ?? []).map((status) => [status.serviceId, status]));
  return (
    <Stack as="section" aria-label={words.services}>
      <h2>{words.services}</h2>
      <Stack as="ul">
        {incident.services.map(({ id, name }) => {
          const status = known.get(id);
          const checkIds = status?.checks?.checkIds ?? [];
          return (
            <li key={id}>
              <Row as="span" tight className={textStyles.wrap}>
                {status && <StateMark state={status.status} size={16} />}
                <bdi className={textStyles.strong}>{name}</bdi>
                {status?.isUnderMaintenance && (
                  <span className={textStyles.muted}>{words.maintenance}</span>
                )}
              </Row>
              {status && status.checks === null && (
                <p className={textStyles.muted}>{words.noChecks}</p>
              )}
              {checkIds.length > 0 && (
                <ul className={styles.checks} aria-label={`${words.checksBehind} ${name}`}>
                  {checkIds.slice(0, maxChecks).map((checkId) => (
                    <CheckLine key={checkId} checkId={checkId} />
                  ))}
                  {checkIds.length > maxChecks && (
                    <li className={textStyles.muted}>
                      {words.moreChecks(checkIds.length - maxChecks)}
                    </li>
                  )}
                </ul>
              )}
            </li>
          );
        })}
      </Stack>
    </Stack>
  );
}

const from = "/signed-in/incidents/$incidentId" as const;

function OpenedBy({ checkId }: { readonly checkId: string }) {
  const { data } = useQuery({ ...checkStatusQuery(checkId), retry: false });
  return (
    <AddressLink href={`/checks/${checkId}`}>
      <bdi>{data?.name ?? words.itsCheck(null)}</bdi>
    </AddressLink>
  );
}

interface OpeningAlertProps {
  readonly checkId: string;
  readonly alertNumber: number;
  readonly startedAt: string;
}

function OpeningAlert({ checkId, alertNumber, startedAt }: OpeningAlertProps) {
  const { data } = useQuery(openingAlertQuery(checkId, alertNumber, startedAt));
  if (!data) return null;
  return <AddressLink href={`/alerts/${data.id}`}>{words.openingAlert}</AddressLink>;
}

function Facts({ incident }: { readonly incident: Incident }) {
  const { severity, startedAt, resolvedAt, lastUpdateStatus, checkId, isTakenOver } = incident;
  const isOver = resolvedAt !== null;
  return (
    <Stack gap={1}>
      <Row as="p" gap={4} tight role="status">
        <SeverityMark severity={severity} isOver={isOver} />
        <strong>{moduleWords.statuses[lastUpdateStatus]}</strong>
        <span>
          {words.since} <DateTime at={startedAt} />
        </span>
        <span>
          {isOver ? (
            <>
              {moduleWords.lasted} {formatDuration((incident.duration ?? 0) * 1000)}
            </>
          ) : (
            <>
              {moduleWords.for} <Lasting since={startedAt} />
            </>
          )}
        </span>
        {incident.timeToAcknowledge !== null && (
          <span className={textStyles.muted}>
            {words.acknowledgedAfter} {formatDuration(incident.timeToAcknowledge * 1000)}
          </span>
        )}
      </Row>
      {checkId !== null && (
        <p className={textStyles.muted}>
          {words.openedBy} <OpenedBy checkId={checkId} />.{" "}
          {incident.alertNumber !== null && (
            <OpeningAlert
              checkId={checkId}
              alertNumber={incident.alertNumber}
              startedAt={startedAt}
            />
          )}{" "}
          {!isOver && (isTakenOver ? words.takenOver : words.notTakenOver)}
        </p>
      )}
    </Stack>
  );
}

/** Links to the status pages that show the incident. */
function PublicPages({ incident }: { readonly incident: Incident }) {
  const { data } = useQuery(audienceQuery(incident.services.map(({ id }) => id)));
  if (data === undefined) return null;
  return (
    <Stack as="section" aria-label={words.public}>
      <h2>{words.public}</h2>
      {data.pages.length === 0 && <p className={textStyles.muted}>{words.noPage}</p>}
      <ul className={styles.links}>
        {data.pages.map(({ statusPageId, name, url, isPrivate }) => (
          <li key={statusPageId}>
            <a href={`${url}incidents/${incident.id}`} target="_blank" rel="noreferrer">
              <bdi>{words.onPage(name)}</bdi>
            </a>{" "}
            {isPrivate && <span className={textStyles.muted}>{words.isPrivate}</span>}
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function DeleteIncident({ incident }: { readonly incident: Incident }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [incidentQuery(incident.id).queryKey],
    send: () =>
      send(
        api.DELETE("/v1/status-pages/incidents/{incidentId}", {
          params: { path: { incidentId: incident.id } },
        }),
      ),
    leave: () => {
      setConfirming(false);
      showNotice({ text: words.deleted });
      return navigate({ to: "/incidents" });
    },
    renew: [["incidents"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        aria-label={words.delete}
        title={words.delete}
        onClick={() => setConfirming(true)}
      >
        <TrashIcon size={16} />
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle}
        action={words.delete}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>
          <strong>{incident.name}</strong>
        </p>
        <p>{words.deleteText(incident.incidentUpdates.length)}</p>
      </ConfirmDialog>
    </>
  );
}

function Actions({ incident }: { readonly incident: Incident }) {
  const base = `/incidents/${incident.id}`;
  return (
    <>
      <Button component={AddressLink} href={`${base}?compose=update`}>
        {words.post}
      </Button>
      {incident.resolvedAt === null && (
        <Button component={AddressLink} href={`${base}?compose=resolve`} variant="default">
          {words.resolve}
        </Button>
      )}
      <Button component={AddressLink} href={`${base}?edit=true`} variant="default">
        {words.edit}
      </Button>
      <DeleteIncident incident={incident} />
    </>
  );
}

function IncidentScreen() {
  const { incidentId } = useParams({ from });
  const { compose, edit } = useSearch({ from });
  const mayWrite = useMay("write");
  const { data, error } = useLoaded(incidentQuery(incidentId));
  const { data: incident } = data;
  const isComposing = mayWrite && compose !== undefined;
  const isEditing = mayWrite && edit === true && !isComposing;
  return (
    <>
      <PageHeader
        title={<bdi>{incident.name}</bdi>}
        actions={mayWrite && !isComposing && !isEditing && <Actions incident={incident} />}
      >
        <Link to="/incidents">{words.back}</Link>
        <Facts incident={incident} />
      </PageHeader>
      <GonePanel error={error} />
      {isComposing && (
        <UpdateComposer key={compose} incident={incident} isEnd={compose === "resolve"} />
      )}
      {isEditing && <EditIncident stored={data} />}
      <div className={`${layoutStyles.columns} ${styles.columns}`}>
        <Stack gap={6}>
          <Timeline incident={incident} />
          <PostMortemPart incident={incident} />
        </Stack>
        <Stack gap={6}>
          <ServicesPart incident={incident} />
          <PublicPages incident={incident} />
          <NotesPart incident={incident} />
        </Stack>
      </div>
    </>
  );
}

export const route = createLazyRoute(from)({ component: IncidentScreen });
