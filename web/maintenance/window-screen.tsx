import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import {
  type Editor,
  EditorNotices,
  getFormError,
  ifMatch,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { useChosenChecks } from "../parts/check-picker.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { EditorForm, EditorLayout, FormActions } from "../parts/form.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { groupNamesQuery } from "../parts/queries.ts";
import textStyles from "../parts/text.module.css";
import { ownZone } from "../parts/time-zones.ts";
import { toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import { Occurrences } from "./occurrences.tsx";
import {
  calendarQuery,
  fetchWindow,
  type MaintenanceWindow,
  previewQuery,
  type WindowInput,
  windowQuery,
} from "./queries.ts";
import { formatCoverage, formatParts, formatRule, formatSpan, isSameClock } from "./sentences.ts";
import { newValues, silencesNothing, toInput, toValues, type WindowValues } from "./values.ts";
import { WindowActions } from "./window-actions.tsx";
import { WindowForm } from "./window-form.tsx";
import { words } from "./words.ts";

/** Parses a preview's input. An empty name is replaced, because the API would reject it. */
function readInput(text: string): WindowInput | null {
  if (text === "") return null;
  const input = JSON.parse(text) as WindowInput;
  return { ...input, name: input.name || words.title };
}

function Rule({ input }: { readonly input: WindowInput }) {
  const { startsAt, endsAt, timezone = "UTC" } = input;
  const { repeatUnit = null, repeatInterval = null, repeatEndsAt = null } = input;
  return (
    <p>{formatRule({ startsAt, endsAt, timezone, repeatUnit, repeatInterval, repeatEndsAt })}.</p>
  );
}

interface PreviewProps {
  readonly text: string;
  /**
   * Whether the preview lists the next occurrences. The screen of a saved window lists them in a
   * separate section.
   */
  readonly hasNext: boolean;
}

/** Shows the server's preview of the window while the user edits it. */
function Preview({ text, hasNext }: PreviewProps) {
  const input = readInput(text);
  const { data, error, isFetching } = useQuery(previewQuery(input));
  const zone = input?.timezone ?? "UTC";
  return (
    <Stack as="section" className={styles.preview} aria-labelledby="preview" aria-busy={isFetching}>
      <h2 id="preview">{words.preview.title}</h2>
      {input === null && <p className={styles.faint}>{words.preview.waiting}</p>}
      {input !== null && <Rule input={input} />}
      {input !== null && error instanceof ApiError && (
        <p className={textStyles.fair} role="alert">
          {words.preview.refused}: {error.message}
        </p>
      )}
      {input !== null && data === undefined && !error && <Skeleton rows={4} />}
      {input !== null && data !== undefined && !error && (
        <>
          <p title={formatParts(data.silences)}>
            {formatCoverage(data.silences) === "nothing" ? (
              words.preview.silencesNothing
            ) : (
              <>
                It {words.silences(formatCoverage(data.silences))}
                {formatParts(data.silences) !== "" && `: ${formatParts(data.silences)}`}.
              </>
            )}
          </p>
          {hasNext && <h3>{words.preview.next}</h3>}
          {data.occurrences.length === 0 && <p>{words.preview.isOver}</p>}
          <Stack as="ol" gap={2} className={styles.nextList} hidden={!hasNext}>
            {data.occurrences.map(({ startsAt, endsAt }) => (
              <li key={startsAt}>
                <span>{formatSpan(startsAt, endsAt, zone)}</span>
                {!isSameClock(zone, startsAt) && (
                  <span className={styles.faint}>
                    {formatSpan(startsAt, endsAt)} ({ownZone})
                  </span>
                )}
              </li>
            ))}
          </Stack>
        </>
      )}
    </Stack>
  );
}

const own = words.form;

const labels: ReadonlyMap<string, string> = new Map([
  ["name", own.name],
  ["description", own.description],
  ["startsAt", own.start],
  ["minutes", own.minutes],
  ["timezone", own.timezone],
  ["repeatUnit", own.repeats],
  ["repeatInterval", own.interval],
  ["repeatUntil", own.until],
  ["silencesAll", own.all],
  ["tags", own.tags],
  ["groupIds", own.groups],
  ["checkIds", own.checks],
  ["visibility.enabled", own.show],
  ["visibility.statusPageIds", own.whichPages],
  ["visibility.serviceIds", own.services],
  ["visibility.affectAllServices", own.allServices],
  ["visibility.severity", own.severity],
  ["visibility.notifyOnStart", `${own.tell} ${own.notifyOnStart}`],
  ["visibility.notifyOnEnd", `${own.tell} ${own.notifyOnEnd}`],
  ["visibility.reminderMinutesBefore", own.reminders],
  ["visibility.suppressAutoIncidents", own.suppress],
]);

/** Paths of the fields that show their own validation errors. */
const shownFaults = [
  "name",
  "description",
  "startsAt",
  "endsAt",
  "timezone",
  "repeatInterval",
  "repeatEndsAt",
  "tags",
  "groupIds",
  "checkIds",
] as const;

interface EditorProps {
  readonly draftKey: string;
  /** Stored window to edit; `null` for a new window. */
  readonly stored: Version<MaintenanceWindow> | null;
  /** Initial values of a new window. */
  readonly initial?: WindowValues;
  /** Known names of checks, by id. */
  readonly checkNames: ReadonlyMap<string, string | null>;
  /** Actions on the stored window. */
  readonly actions?: ReactNode;
}

function sendWindow(
  values: WindowValues,
  version: Version<MaintenanceWindow> | null,
): Promise<Version<MaintenanceWindow>> {
  const body = toInput(values, version?.data ?? null);
  if (body === null) throw new Error("The times of the window are incomplete.");
  if (version === null) return sendFull(api.POST("/v1/maintenance-windows", { body }));
  const params = { path: { id: version.data.id }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/maintenance-windows/{id}", { params, body }));
}

function useWindowEditor({ draftKey, stored, initial }: EditorProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useEditor({
    draftKey,
    stored,
    ...(initial && { initial }),
    toValues,
    send: sendWindow,
    refetch: ({ id }) => fetchWindow(id),
    onSaved: (saved, isNew) => {
      const { id, name } = saved.data;
      client.setQueryData(windowQuery(id).queryKey, saved);
      showNotice({ text: words.form.saved(name) });
      void renewQueries(client, ["maintenance"]);
      if (!isNew) return;
      void navigate({
        to: "/alerts/maintenance/$windowId",
        params: { windowId: String(id) },
        replace: true,
        ignoreBlocker: true,
      });
    },
  });
}

/** Returns the names of checks and groups, and a formatter that shows these names in conflicts. */
function useNames(
  { values, conflict }: Editor<MaintenanceWindow, WindowValues>,
  known: EditorProps["checkNames"],
) {
  const ids = new Set([...values.checkIds, ...(conflict?.theirs.checkIds ?? [])]);
  const checks = useChosenChecks([...ids], known);
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const checkNames = new Map(checks.map(({ id, name }) => [id, name]));
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  const format = (path: string, value: unknown) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const names = { checkIds: checkNames, groupIds: groupNames }[path] as
      | ReadonlyMap<unknown, string | null>
      | undefined;
    return names && value.map((id) => names.get(id) ?? id).join(", ");
  };
  return { checkNames, format };
}

/**
 * Returns whether the schedule has changed. Saving a changed schedule recreates the occurrences,
 * and changes to single occurrences are lost.
 */
function hasOtherTimes(window: MaintenanceWindow, input: WindowInput): boolean {
  return (
    window.startsAt !== input.startsAt ||
    window.endsAt !== input.endsAt ||
    window.timezone !== input.timezone ||
    window.repeatUnit !== input.repeatUnit ||
    window.repeatEndsAt !== input.repeatEndsAt ||
    (window.repeatInterval ?? 1) !== (input.repeatInterval ?? 1)
  );
}

/** Asks whether to schedule a window that silences nothing. */
function SilenceQuestion(props: {
  readonly isOpen: boolean;
  readonly onAnswer: (isYes: boolean) => void;
}) {
  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      title={words.form.silenceNothingTitle}
      action={words.form.silenceNothing}
      onConfirm={() => props.onAnswer(true)}
      onCancel={() => props.onAnswer(false)}
    >
      <p>{words.form.silenceNothingText}</p>
    </ConfirmDialog>
  );
}

function WindowEditor(props: EditorProps) {
  const mayWrite = useMay("write");
  const editor = useWindowEditor(props);
  const [isAsking, setAsking] = useState(false);
  const { checkNames, format } = useNames(editor, props.checkNames);
  const { values, error } = editor;
  const window = editor.version?.data ?? null;
  const input = toInput(values, window);
  // The preview input is deferred, so that typing stays responsive.
  const previewed = useDeferredValue(input === null ? "" : JSON.stringify(input));
  const isOther = window !== null && input !== null && hasOtherTimes(window, input);
  const beside = getFormError(error, shownFaults);
  return (
    <EditorLayout>
      <EditorForm
        onSubmit={(event) => {
          event.preventDefault();
          if (input === null) return;
          if (window === null && silencesNothing(values)) setAsking(true);
          else editor.save();
        }}
      >
        <EditorNotices
          editor={editor}
          owned={window && { type: "maintenance-window", id: window.id }}
          subject={words.form.subject}
          labels={labels}
          format={format}
        />
        <WindowForm
          values={values}
          checkNames={checkNames}
          isReadOnly={!mayWrite}
          error={error}
          onChange={editor.change}
        />
        {isOther && window.repeatUnit !== null && (
          <p className={textStyles.fair}>{words.form.forgets}</p>
        )}
        {beside && <ErrorPanel error={beside} />}
        {mayWrite ? (
          <FormActions atEnd={props.actions}>
            <Button
              type="submit"
              loading={editor.isSaving}
              disabled={input === null || input.name === ""}
            >
              {window === null ? words.form.create : words.form.save}
            </Button>
          </FormActions>
        ) : (
          <p className={styles.faint}>{words.may}</p>
        )}
      </EditorForm>
      <SilenceQuestion
        isOpen={isAsking}
        onAnswer={(isYes) => {
          setAsking(false);
          if (isYes) editor.save();
        }}
      />
      <Stack as="aside" gap={6} data-first={window !== null || undefined}>
        <Preview text={previewed} hasNext={window === null || isOther} />
        {window !== null && <Occurrences window={window} />}
      </Stack>
    </EditorLayout>
  );
}

function NewWindow() {
  const { checkId, date } = route.useSearch();
  const empty = newValues(Date.now(), date);
  const checkIds = checkId === undefined ? [] : [checkId];
  return (
    <>
      <PageHeader title={words.newWindow}>
        <Link to="/alerts/maintenance">{words.back}</Link>
      </PageHeader>
      <WindowEditor
        draftKey={`maintenance.new.${checkId ?? date ?? ""}`}
        stored={null}
        initial={{ ...empty, checkIds }}
        checkNames={new Map()}
      />
    </>
  );
}

function KnownWindow({ id }: { readonly id: number }) {
  const { data: stored, error } = useLoaded(windowQuery(id));
  // The editor shows the names of the selected checks. The window contains only the ids of these
  // checks, so their names are taken from the calendar.
  const { data: calendar } = useQuery(calendarQuery("month", toDay(new Date())));
  const { data: window, etag } = stored;
  const entry = calendar?.windows.find((one) => one.window.id === id);
  const names = new Map(entry?.silences.checks.map((check) => [check.id, check.name]));
  return (
    <>
      <PageHeader title={<bdi>{window.name}</bdi>}>
        <Link to="/alerts/maintenance">{words.back}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <WindowEditor
        key={id}
        draftKey={`maintenance.${id}`}
        stored={stored}
        checkNames={names}
        actions={<WindowActions window={window} etag={etag} entry={entry} />}
      />
    </>
  );
}

function WindowScreen() {
  const { windowId } = route.useParams();
  return (
    <Stack gap={0}>
      {windowId === "new" ? <NewWindow /> : <KnownWindow id={Number(windowId)} />}
    </Stack>
  );
}

export const route = createLazyRoute("/signed-in/alerts/maintenance/$windowId")({
  component: WindowScreen,
});
