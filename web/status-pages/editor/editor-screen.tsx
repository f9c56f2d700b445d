import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useParams } from "@tanstack/react-router";
import { type ReactNode, useId, useRef } from "react";
import { useMay } from "../../api/session.ts";
import { EditorNotices, getFormError } from "../../editing/index.ts";
import { CssField } from "../../parts/css-field.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { StatusPage } from "../page-types.ts";
import { pageQuery, type StoredPage } from "../queries.ts";
import { AboutFields } from "./about-fields.tsx";
import { CardsFields } from "./cards-fields.tsx";
import { DeletePage } from "./delete-page.tsx";
import styles from "./editor.module.css";
import { EmbedFields } from "./embed-fields.tsx";
import { FrameFields } from "./frame-fields.tsx";
import { LookFields } from "./look-fields.tsx";
import { PagePreview, type PreviewState, usePagePreview } from "./page-preview.tsx";
import { pictureFields } from "./page-values.ts";
import { type Services, useServices } from "./services.ts";
import { type PageEditor, usePageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

const from = "/signed-in/status-pages/$statusPageId/editor" as const;
const labels = new Map<string, string>(Object.entries(words.labels));

interface SectionProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

function Section({ title, hint, children }: SectionProps) {
  const id = useId();
  return (
    <Stack as="section" gap={4} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint && <p className={textStyles.hint}>{hint}</p>}
      </div>
      {children}
    </Stack>
  );
}

interface SaveBarProps {
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  readonly onPreview: () => void;
}

/** Sticky save bar. If the preview is not beside the fields, it links to it. */
function SaveBar({ isBusy, isDirty, onPreview }: SaveBarProps) {
  return (
    <Row gap={3} className={`${layoutStyles.saveBar} ${styles.actions}`}>
      <Button type="submit" loading={isBusy}>
        {words.save}
      </Button>
      {isDirty && <span className={textStyles.hint}>{words.unsaved}</span>}
      <Button variant="default" className={styles.toPreview ?? ""} onClick={onPreview}>
        {words.toPreview}
      </Button>
    </Row>
  );
}

interface SectionsProps {
  readonly page: StatusPage;
  readonly editor: PageEditor;
  readonly preview: PreviewState;
  readonly services: Services;
  readonly error: unknown;
}

function Sections({ page, editor, preview, services, error }: SectionsProps) {
  return (
    <>
      <Section title={words.about}>
        <AboutFields editor={editor} error={error} />
      </Section>
      <Section title={words.cardsTitle} hint={words.cardsHint}>
        <CardsFields editor={editor} services={services} error={error} />
      </Section>
      <Section title={words.look}>
        <LookFields editor={editor} preview={preview} error={error} />
      </Section>
      <Section title={words.frame}>
        <FrameFields editor={editor} error={error} />
      </Section>
      <Section title={words.css} hint={words.cssHint}>
        <CssField
          hint={null}
          value={editor.values.customCSS}
          warnings={preview.answer?.cssWarnings ?? []}
          onChange={(customCSS) => editor.change({ customCSS })}
        />
      </Section>
      <Section title={words.embed} hint={words.embedHint}>
        <EmbedFields page={page} />
      </Section>
    </>
  );
}

function Editing({ stored }: { readonly stored: StoredPage }) {
  const { data: page } = stored;
  const editor = usePageEditor(stored);
  const aside = useRef<HTMLElement>(null);
  const services = useServices();
  const preview = usePagePreview(page.id, editor, services.version);
  const shownFields = [
    ...["name", "url", "description", "redirectTo", "cards", "footerText"],
    ...["headerLinks", "footerLinks"],
    ...pictureFields,
  ];
  const other = getFormError(editor.error, shownFields);
  return (
    <div className={layoutStyles.editor}>
      <Stack
        as="form"
        gap={6}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          editor.save();
        }}
      >
        <EditorNotices
          editor={editor}
          owned={{ type: "status-page", id: page.id }}
          subject={words.subject}
          labels={labels}
        />
        <Sections
          page={page}
          editor={editor}
          preview={preview}
          services={services}
          error={editor.error}
        />
        {other && <ErrorPanel error={other} title={words.notSaved} />}
        <div>
          <DeletePage page={page} onGone={editor.close} />
        </div>
        <SaveBar
          isBusy={editor.isSaving}
          isDirty={editor.isDirty}
          onPreview={() => aside.current?.scrollIntoView()}
        />
      </Stack>
      <aside className={layoutStyles.preview} ref={aside}>
        <PagePreview {...preview} />
      </aside>
    </div>
  );
}

function EditorScreen() {
  const { statusPageId } = useParams({ from });
  const mayWrite = useMay("write");
  const { data } = useQuery(pageQuery(statusPageId));
  // The parent frame shows loading and error states.
  if (data === undefined) return null;
  if (!mayWrite) return <p className={layoutStyles.inset}>{words.mayNot}</p>;
  return <Editing key={statusPageId} stored={data} />;
}

export const route = createLazyRoute(from)({ component: EditorScreen });
