import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { useMay } from "../api/session.ts";
import { ConflictPanel } from "../checks/editor/conflict-panel.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { faultBeside } from "../parts/field-fault.ts";
import { Skeleton } from "../parts/loading.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import { Occurrences } from "./occurrences.tsx";
import { Preview } from "./preview.tsx";
import { calendarQuery, checkNameQuery, type StoredWindow, windowQuery } from "./queries.ts";
import { shownFaults } from "./shown-faults.ts";
import { useWindowEditor } from "./use-window-editor.ts";
import { newValues, toValues, type WindowValues } from "./values.ts";
import { WindowActions } from "./window-actions.tsx";
import { labels } from "./window-conflict.ts";
import { WindowForm } from "./window-form.tsx";
import type { MaintenanceWindow, WindowInput } from "./wire.ts";
import { words } from "./words.ts";

interface EditorProps {
  /** Null: a new window. */
  readonly stored: StoredWindow | null;
  readonly start: WindowValues;
}

/** A new rhythm makes other occurrences, and forgets what was decided about the old ones. */
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

function Editor({ stored, start }: EditorProps) {
  const mayWrite = useMay("write");
  const editor = useWindowEditor(stored, start);
  const { window, values, setValues, input, save, conflict } = editor;
  // Typing stays quick: the preview follows when there is time.
  const previewed = useDeferredValue(input === null ? "" : JSON.stringify(input));
  const isOther = window !== null && input !== null && hasOtherTimes(window, input);
  const beside = faultBeside(save.error, shownFaults);
  return (
    <div className={styles.editor} data-known={window !== null || undefined}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (input !== null && !save.isPending) save.mutate(input);
        }}
      >
        {conflict && (
          <ConflictPanel
            title={words.form.conflict}
            conflict={conflict}
            labels={labels}
            onSettle={editor.settle}
          />
        )}
        <WindowForm
          values={values}
          isReadOnly={!mayWrite}
          error={save.error}
          onChange={(change) => setValues((before) => ({ ...before, ...change }))}
        />
        {isOther && window.repeatUnit !== null && (
          <p className={styles.warning}>{words.form.forgets}</p>
        )}
        {save.error && beside && <ErrorPanel error={beside} />}
        {mayWrite ? (
          <div>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={input === null || input.name === ""}
            >
              {window === null ? words.form.create : words.form.save}
            </Button>
          </div>
        ) : (
          <p className={styles.faint}>{words.may}</p>
        )}
      </form>
      <aside className={styles.aside}>
        <Preview text={previewed} hasNext={window === null || isOther} />
        {window !== null && <Occurrences window={window} />}
      </aside>
    </div>
  );
}

function NewWindow() {
  const { checkId, date } = route.useSearch();
  const { data: name } = useQuery(checkNameQuery(checkId));
  if (checkId !== undefined && name === undefined) return <Skeleton rows={10} />;
  const empty = newValues(Date.now(), date);
  const checks = checkId === undefined ? [] : [{ id: checkId, name: name ?? null }];
  return (
    <>
      <PageHeader title={words.newWindow}>
        <Link to="/alerts/maintenance">{words.back}</Link>
      </PageHeader>
      <Editor stored={null} start={{ ...empty, checks }} />
    </>
  );
}

function KnownWindow({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const { data: stored, error, refetch } = useQuery(windowQuery(id));
  const { data: calendar } = useQuery(calendarQuery("month", toDay(new Date())));
  if (error && stored === undefined) {
    return (
      <ErrorPanel error={error} title={words.windowNotLoaded} onRetry={() => void refetch()} />
    );
  }
  if (stored === undefined || calendar === undefined) return <Skeleton rows={12} />;
  const { window, etag } = stored;
  const entry = calendar.windows.find((one) => one.window.id === id);
  const names = new Map(entry?.silences.checks.map((check) => [check.id, check.name]));
  return (
    <>
      <PageHeader
        title={<bdi>{window.name}</bdi>}
        actions={mayWrite && <WindowActions window={window} etag={etag} entry={entry} />}
      >
        <Link to="/alerts/maintenance">{words.back}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <Editor key={id} stored={stored} start={toValues(window, names)} />
    </>
  );
}

function WindowScreen() {
  const { windowId } = route.useParams();
  return (
    <div className={styles.screen}>
      {windowId === "new" ? <NewWindow /> : <KnownWindow id={Number(windowId)} />}
    </div>
  );
}

export const route = createLazyRoute("/signed-in/alerts/maintenance/$windowId")({
  component: WindowScreen,
});
