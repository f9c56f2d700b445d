import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useParams } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { useMay } from "../../api/session.ts";
import { ConflictPanel } from "../../checks/editor/conflict-panel.tsx";
import { LeaveGuard } from "../../checks/editor/leave-guard.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { faultBeside } from "../../parts/field-fault.ts";
import { pageQuery, type StoredPage } from "../queries.ts";
import { AboutFields } from "./about-fields.tsx";
import { DeletePage } from "./delete-page.tsx";
import styles from "./editor.module.css";
import { PagePreview, usePagePreview } from "./page-preview.tsx";
import type { PageValues } from "./page-values.ts";
import { type PageEditor, usePageEditor } from "./use-page-editor.ts";
import { useSave } from "./use-save.ts";
import { words } from "./words.ts";

const from = "/signed-in/status-pages/$statusPageId/editor" as const;
const labels = new Map<string, string>(Object.entries(words.labels));

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function RestoredBanner({ editor }: { readonly editor: PageEditor }) {
  if (!editor.isRestored || !editor.isDirty) return null;
  return (
    <div className={styles.banner} role="status">
      <span>{words.restored}</span>
      <Button variant="default" size="compact-sm" onClick={editor.discard}>
        {words.discard}
      </Button>
    </div>
  );
}

function Editing({ stored }: { readonly stored: StoredPage }) {
  const { page } = stored;
  const editor = usePageEditor(stored);
  const { save, conflict, setConflict } = useSave(page.id, editor);
  const preview = usePagePreview(page.id, editor, null);
  const shownFields = ["name", "url", "description", "redirectTo"];
  const other = faultBeside(save.error, shownFields);
  return (
    <div className={styles.layout}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <RestoredBanner editor={editor} />
        {conflict && (
          <ConflictPanel
            title={words.conflict}
            conflict={conflict}
            labels={labels}
            onSettle={(values) => {
              editor.rebase(conflict.theirs, conflict.etag, values as PageValues);
              setConflict(null);
            }}
          />
        )}
        <Section title={words.about}>
          <AboutFields editor={editor} error={save.error} />
        </Section>
        {other && <ErrorPanel error={other} title={words.notSaved} />}
        <div className={styles.actions}>
          <Button type="submit" loading={save.isPending}>
            {words.save}
          </Button>
          {editor.isDirty && <span className={styles.hint}>{words.unsaved}</span>}
          <span className={styles.end}>
            <DeletePage page={page} onGone={editor.settle} />
          </span>
        </div>
      </form>
      <aside className={styles.aside}>
        <PagePreview {...preview} />
      </aside>
      <LeaveGuard isDirty={editor.isDirty} onGiveUp={editor.settle} />
    </div>
  );
}

function EditorScreen() {
  const { statusPageId } = useParams({ from });
  const mayWrite = useMay("write");
  const { data } = useQuery(pageQuery(statusPageId));
  // The frame around this shows what is loading and what could not be loaded.
  if (data === undefined) return null;
  if (!mayWrite) return <p className={styles.mayNot}>{words.mayNot}</p>;
  return <Editing key={statusPageId} stored={data} />;
}

export const route = createLazyRoute(from)({ component: EditorScreen });
