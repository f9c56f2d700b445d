import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { api, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { faultBeside } from "../parts/field-fault.ts";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { toDay } from "./days.ts";
import styles from "./maintenance.module.css";
import { Occurrences } from "./occurrences.tsx";
import { Preview } from "./preview.tsx";
import { calendarQuery, checkNameQuery, windowQuery } from "./queries.ts";
import { shownFaults } from "./shown-faults.ts";
import { newValues, toInput, toValues, type WindowValues } from "./values.ts";
import { WindowActions } from "./window-actions.tsx";
import { WindowForm } from "./window-form.tsx";
import type { MaintenanceWindow, WindowInput } from "./wire.ts";
import { words } from "./words.ts";

function useSave(window: MaintenanceWindow | null) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: WindowInput) =>
      window === null
        ? send(api.POST("/v1/maintenance-windows", { body }))
        : send(
            api.PUT("/v1/maintenance-windows/{id}", { params: { path: { id: window.id } }, body }),
          ),
    onSuccess: (saved) => {
      client.setQueryData(windowQuery(saved.id).queryKey, saved);
      showNotice({ text: words.form.saved(saved.name) });
      void client.invalidateQueries({ queryKey: ["maintenance"] });
      if (window !== null) return;
      const params = { windowId: String(saved.id) };
      void navigate({ to: "/alerts/maintenance/$windowId", params, replace: true });
    },
  });
}

interface EditorProps {
  readonly window: MaintenanceWindow | null;
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

function Editor({ window, start }: EditorProps) {
  const mayWrite = useMay("write");
  const [values, setValues] = useState(start);
  const save = useSave(window);
  const input = toInput(values, window);
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
          if (input !== null) save.mutate(input);
        }}
      >
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
      <Editor window={null} start={{ ...empty, checks }} />
    </>
  );
}

function KnownWindow({ id }: { readonly id: number }) {
  const mayWrite = useMay("write");
  const { data: window, error, refetch } = useQuery(windowQuery(id));
  const { data: calendar } = useQuery(calendarQuery("month", toDay(new Date())));
  if (error && window === undefined) {
    return (
      <ErrorPanel error={error} title={words.windowNotLoaded} onRetry={() => void refetch()} />
    );
  }
  if (window === undefined || calendar === undefined) return <Skeleton rows={12} />;
  const entry = calendar.windows.find((one) => one.window.id === id);
  const names = new Map(entry?.silences.checks.map((check) => [check.id, check.name]));
  return (
    <>
      <PageHeader
        title={<bdi>{window.name}</bdi>}
        actions={mayWrite && <WindowActions window={window} entry={entry} />}
      >
        <Link to="/alerts/maintenance">{words.back}</Link>
      </PageHeader>
      <Editor
        key={window.updated_at ?? window.id}
        window={window}
        start={toValues(window, names)}
      />
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
