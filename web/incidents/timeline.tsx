import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import blockStyles from "../parts/blocks.module.css";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { toIsoTime, toLocalText } from "./composer/values.ts";
import styles from "./incidents.module.css";
import type { Incident, IncidentUpdate } from "./queries.ts";
import { statuses } from "./search.ts";
import { words as moduleWords, incidentWords as words } from "./words.ts";

interface UpdateProps {
  readonly incident: Incident;
  readonly update: IncidentUpdate;
}

function usePath({ incident, update }: UpdateProps) {
  return { path: { incidentId: incident.id, incidentUpdateId: update.id } };
}

const updatePath =
  "/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}" as const;

type EditUpdateProps = UpdateProps & { readonly onEnd: () => void };

function useUpdateEdit(props: EditUpdateProps) {
  const { update, onEnd } = props;
  const params = usePath(props);
  const queryClient = useQueryClient();
  const start = {
    status: update.status,
    description: update.description,
    at: toLocalText(update.publicIncidentUpdateDate),
  };
  const [edit, setEdit, forget] = useDraft(`incident.edit-update.${update.id}`, start);
  const end = () => {
    forget();
    onEnd();
  };
  const save = useMutation({
    mutationFn: () => {
      const { status, description } = edit;
      // An unchanged date is not sent. The field has no seconds, so sending its value would round
      // the date.
      const at = edit.at === start.at ? undefined : toIsoTime(edit.at);
      const body = { status, description, ...(at && { publicIncidentUpdateDate: at }) };
      return send(api.PUT(updatePath, { params, body }));
    },
    onSuccess: () => {
      end();
      showNotice({ text: words.updateSaved });
      return renewQueries(queryClient, ["incidents"]);
    },
  });
  return { edit, setEdit, end, save };
}

function EditUpdate(props: EditUpdateProps) {
  const { edit, setEdit, end, save } = useUpdateEdit(props);
  const beside = getFormError(save.error, ["description", "publicIncidentUpdateDate"]);
  return (
    <form
      className={styles.editUpdate}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <NativeSelect
        label={words.status}
        value={edit.status}
        data={statuses.map((value) => ({ value, label: moduleWords.statuses[value] }))}
        onChange={(event) => {
          const status = statuses.find((one) => one === event.currentTarget.value);
          if (status !== undefined) setEdit({ ...edit, status });
        }}
      />
      <TextInput
        type="datetime-local"
        label={words.when}
        required
        value={edit.at}
        error={getFieldError(save.error, "publicIncidentUpdateDate")}
        onChange={(event) => setEdit({ ...edit, at: event.currentTarget.value })}
      />
      <Textarea
        className={styles.whole ?? ""}
        label={words.message}
        required
        autosize
        minRows={3}
        maxLength={20_000}
        value={edit.description}
        error={getFieldError(save.error, "description")}
        onChange={(event) => setEdit({ ...edit, description: event.currentTarget.value })}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row gap={3} className={styles.whole}>
        <Button type="submit" loading={save.isPending} disabled={edit.description.trim() === ""}>
          {words.saveUpdate}
        </Button>
        <Button variant="default" onClick={end}>
          {words.cancel}
        </Button>
        <span className={textStyles.muted}>{words.editNote}</span>
      </Row>
    </form>
  );
}

function DeleteUpdate(props: UpdateProps & { readonly onEnd: () => void }) {
  const { update, onEnd } = props;
  const params = usePath(props);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => send(api.DELETE(updatePath, { params })),
    onSuccess: () => {
      onEnd();
      showNotice({ text: words.updateDeleted });
      return renewQueries(queryClient, ["incidents"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.deleteUpdateTitle}
      action={words.deleteUpdate}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onEnd}
    >
      <p>{words.deleteUpdateText}</p>
      <p className={`${styles.quoted} ${blockStyles.quote} ${textStyles.lines}`}>
        {update.description}
      </p>
    </ConfirmDialog>
  );
}

function UpdateItem({ incident, update }: UpdateProps) {
  const mayWrite = useMay("write");
  const [mode, setMode] = useState<"shown" | "edited" | "deleted">("shown");
  const { status, publicIncidentUpdateDate: at, author, notifySubscribers } = update;
  const end = () => setMode("shown");
  const buttons: ReactNode = mayWrite && mode === "shown" && (
    <span className={styles.updateActions}>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={words.editUpdateOf(moduleWords.statuses[status])}
        onClick={() => setMode("edited")}
      >
        {words.editUpdate}
      </Button>
      {incident.incidentUpdates.length > 1 && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={words.deleteUpdateOf(moduleWords.statuses[status])}
          onClick={() => setMode("deleted")}
        >
          {words.deleteUpdate}
        </Button>
      )}
    </span>
  );
  return (
    <li className={styles.update} data-status={status}>
      <Row gap={3} tight className={styles.updateHead}>
        <strong>{moduleWords.statuses[status]}</strong>
        <span className={textStyles.muted}>
          <DateTime at={at} /> {words.by} <bdi>{author ?? words.automation}</bdi>
          {notifySubscribers && ` · ${words.notified(update.notifiedCount)}`}
        </span>
        {buttons}
      </Row>
      {mode === "edited" ? (
        <EditUpdate incident={incident} update={update} onEnd={end} />
      ) : (
        <div className={styles.updateText}>
          <Markdown source={update.description} />
        </div>
      )}
      {mode === "deleted" && <DeleteUpdate incident={incident} update={update} onEnd={end} />}
    </li>
  );
}

/** Lists the published updates of an incident, newest first. */
export function Timeline({ incident }: { readonly incident: Incident }) {
  return (
    <Stack as="section" aria-label={words.timeline}>
      <h2>{words.timeline}</h2>
      <ol className={styles.timeline}>
        {incident.incidentUpdates.map((update) => (
          <UpdateItem key={update.id} incident={incident} update={update} />
        ))}
      </ol>
    </Stack>
  );
}
