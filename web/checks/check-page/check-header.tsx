import { Button, Menu } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { MuteDialog, MuteNotes } from "../../alerts/index.ts";
import { api, send } from "../../api/client.ts";
import { useDeletion } from "../../api/deletion.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { groupQuery } from "../../groups/index.ts";
import { findKind, nameKind } from "../../kinds/index.ts";
import { useNamedLocations } from "../../locations/index.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { MoreIcon, MuteIcon, PlayIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { checkStatusQuery } from "../../parts/queries.ts";
import { type ShownState, StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { Lasting } from "../../parts/time.tsx";
import { deleteCheck, listCheckKeys } from "../delete-check.ts";
import { nameFields } from "../field-words.ts";
import styles from "./check-page.module.css";
import { type AnyCheck, ruledCheckQuery } from "./queries.ts";
import { words } from "./words.ts";

function formatError(error: unknown): void {
  showNotice({ text: error instanceof Error ? error.message : String(error), tone: "bad" });
}

const listPath: string = "/checks";

/**
 * Returns the state of the check. `null` means that the state is loading; "unknown" means that
 * there is no data.
 */
function findState(check: AnyCheck, status: string | undefined): ShownState | null {
  if (check.activated === false) return "inactive";
  if (status === undefined) return null;
  if (status === "passing" || status === "degraded" || status === "failing") return status;
  return "unknown";
}

/**
 * Returns a function that re-fetches the queries about checks, including lists of checks, and the
 * queries about the runs of this check.
 */
function useRenewal(checkId: string) {
  const client = useQueryClient();
  return () =>
    Promise.all([renewQueries(client, ["checks"]), renewQueries(client, ["runs", checkId])]);
}

function RunNow({ check }: { readonly check: AnyCheck }) {
  const renew = useRenewal(check.id);
  const navigate = useNavigate();
  const showRun = (id: string) =>
    void navigate({ to: "/checks/$checkId", params: { checkId: check.id }, search: { run: id } });
  const run = useMutation({
    mutationFn: async () => {
      const body = { target: { checkId: [check.id] } };
      const { sessions } = await send(api.POST("/v2/check-sessions/trigger", { body }));
      const checkSessionId = sessions[0]?.checkSessionId ?? "";
      const session = await send(
        api.GET("/v2/check-sessions/{checkSessionId}/completion", {
          params: { path: { checkSessionId }, query: { maxWaitSeconds: 25 } },
        }),
      );
      return session;
    },
    onSuccess: ({ stoppedAt, results }) => {
      const id = results[0]?.checkResultId;
      const action = { label: words.showRun, run: () => showRun(id ?? "") };
      showNotice({
        text: stoppedAt === null ? words.stillRunning : words.ran,
        ...(id != null && { action }),
      });
    },
    onError: formatError,
    onSettled: renew,
  });
  return (
    <Button
      variant="default"
      leftSection={<PlayIcon size={14} />}
      loading={run.isPending}
      onClick={() => run.mutate()}
    >
      {words.runNow}
    </Button>
  );
}

interface Change {
  readonly muted?: boolean;
  readonly activated?: boolean;
}

function useChange(check: AnyCheck) {
  const renew = useRenewal(check.id);
  return useMutation({
    mutationFn: (change: Change) =>
      send(
        api.PUT("/v1/checks/{id}", {
          params: { path: { id: check.id } },
          body: change,
        }),
      ),
    onSuccess: (_check, { muted, activated }) => {
      if (muted !== undefined) showNotice({ text: muted ? words.muted : words.unmuted });
      else showNotice({ text: activated ? words.activated : words.deactivated });
    },
    onError: formatError,
    onSettled: renew,
  });
}

function Remove({ check, onCancel }: { readonly check: AnyCheck; readonly onCancel: () => void }) {
  const navigate = useNavigate();
  const remove = useDeletion({
    of: listCheckKeys(check.id),
    send: () => deleteCheck(check.id),
    leave: () => {
      showNotice({ text: words.removed });
      return navigate({ to: listPath });
    },
    renew: [["checks"]],
    onError: formatError,
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.removeTitle}
      action={words.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onCancel}
    >
      <p>
        <strong>{check.name}</strong>
      </p>
      <p>{words.removeLoss}</p>
    </ConfirmDialog>
  );
}

function Actions({ check }: { readonly check: AnyCheck }) {
  const mayRun = useMay("run");
  const mayWrite = useMay("write");
  const change = useChange(check);
  const [isRemoving, setRemoving] = useState(false);
  const [isMuting, setMuting] = useState(false);
  const isOrdered = findKind(check.checkType)?.isOrdered ?? true;
  return (
    <Row className={styles.actions}>
      {mayRun && isOrdered && <RunNow check={check} />}
      {mayWrite && (
        <>
          <Button
            variant="default"
            leftSection={<MuteIcon size={14} />}
            loading={change.isPending}
            onClick={() => change.mutate({ muted: !check.muted })}
          >
            {check.muted ? words.unmute : words.mute}
          </Button>
          <Button component={AddressLink} href={`/checks/${check.id}/edit`} variant="default">
            {words.edit}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" aria-label={words.more}>
                <MoreIcon size={16} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setMuting(true)}>{words.muteUntil}</Menu.Item>
              <Menu.Item onClick={() => change.mutate({ activated: !check.activated })}>
                {check.activated ? words.deactivate : words.activate}
              </Menu.Item>
              <Menu.Item component={AddressLink} href={`/incidents/new?checkId=${check.id}`}>
                {words.createIncident}
              </Menu.Item>
              <Menu.Item
                component={AddressLink}
                href={`/alerts/maintenance/new?checkId=${check.id}`}
              >
                {words.planMaintenance}
              </Menu.Item>
              <Menu.Item color="red" onClick={() => setRemoving(true)}>
                {words.remove}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      <MuteDialog
        isOpen={isMuting}
        title={words.muteUntil}
        listTargets={() => Promise.resolve([{ type: "CHECK", checkId: check.id }])}
        onClose={() => setMuting(false)}
      />
      {isRemoving && <Remove check={check} onCancel={() => setRemoving(false)} />}
    </Row>
  );
}

const ruled = [
  "locations",
  "privateLocations",
  "runParallel",
  "retryStrategy",
  "alertSettings",
  "muted",
  "activated",
];

/** Shows the group of the check and lists the settings that the group overrides. */
function GroupLine({ check, groupId }: { readonly check: AnyCheck; readonly groupId: number }) {
  const { data: stored } = useQuery(groupQuery(groupId));
  const { data: shown } = useQuery(ruledCheckQuery(check.id));
  if (stored === undefined || shown === undefined) return null;
  const own = check as Readonly<Record<string, unknown>>;
  const applied = shown as Readonly<Record<string, unknown>>;
  const differing = ruled.filter(
    (field) => JSON.stringify(own[field]) !== JSON.stringify(applied[field]),
  );
  return (
    <p className={textStyles.muted}>
      {differing.length > 0 ? words.ruledBy : words.group}{" "}
      <Link to="/groups/$groupId" params={{ groupId: `${groupId}` }}>
        <bdi>{stored.data.name}</bdi>
      </Link>
      {differing.length > 0 && `: ${nameFields(differing)}`}
    </p>
  );
}

/** Shows the name, state, state reason and actions of a check. */
export function CheckHeader({ check }: { readonly check: AnyCheck }) {
  const { data: status, error } = useQuery(checkStatusQuery(check.id));
  const nameLocations = useNamedLocations();
  const kind = findKind(check.checkType);
  const target = kind?.target?.write({ ...check }) ?? "";
  const state = findState(check, status?.status);
  const groupId = "groupId" in check ? check.groupId : null;
  return (
    <Stack as="header" gap={2}>
      <Row gap={4} align="start" className={styles.title}>
        <h1 className={textStyles.clampOnPhone}>{check.name}</h1>
        <Actions check={check} />
      </Row>
      <p className={styles.target}>
        {nameKind(check.checkType)} {target === check.name ? "" : target}
      </p>
      <Row as="p" gap={3} tight className={textStyles.wrap} role="status">
        {state !== null && <StateMark state={state} size={20} hasWord />}
        {state === null && <span>{error ? words.stateNotLoaded : words.stateLoading}</span>}
        {state === "inactive" ? (
          <span>{words.isInactive}</span>
        ) : status ? (
          <>
            {status.lastCheckRunId !== null && (
              <span className={textStyles.nowrap}>
                {words.since} <Lasting since={status.since} />
              </span>
            )}
            {state !== "passing" && <span>{nameLocations(status.explanation)}</span>}
          </>
        ) : null}
        {check.muted && state !== "inactive" && (
          <span className={textStyles.muted}>{words.isMuted}</span>
        )}
      </Row>
      {check.description && <p className={styles.description}>{check.description}</p>}
      <MuteNotes scope={{ checkId: check.id }} />
      {typeof groupId === "number" && <GroupLine check={check} groupId={groupId} />}
    </Stack>
  );
}
