import { Button, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { api, send } from "../../api/client.ts";
import { useDeletion } from "../../api/deletion.ts";
import { useMay } from "../../api/session.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { EditorNotices, getFieldError, getFormError } from "../../editing/index.ts";
import { CopyButton } from "../../parts/buttons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CssField } from "../../parts/css-field.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import formStyles from "../../parts/form.module.css";
import { EditorForm, EditorLayout, FormActions, FormSection } from "../../parts/form.tsx";
import { TrashIcon } from "../../parts/icons.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { overviewsQuery, pageQuery, type StatusPage, type StoredPage } from "../queries.ts";
import { words as pageWords } from "../words.ts";
import { Automation } from "./automation.tsx";
import { CardsFields } from "./cards-fields.tsx";
import styles from "./editor.module.css";
import { FrameFields } from "./frame-fields.tsx";
import lookStyles from "./look.module.css";
import { LookFields } from "./look-fields.tsx";
import { PagePreview, type PreviewState, usePagePreview } from "./page-preview.tsx";
import { pictureFields } from "./page-values.ts";
import { type Services, useServices } from "./queries.ts";
import { listSnippets } from "./snippets.ts";
import { type PageEditor, usePageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

interface DeletePageProps {
  readonly page: StatusPage;
  readonly onGone: () => void;
}

function DeletePage({ page, onGone }: DeletePageProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { data: overviews } = useQuery(overviewsQuery);
  const navigate = useNavigate();
  const overview = overviews?.get(page.id);
  const remove = useDeletion({
    of: [
      ["status-pages", page.id],
      ["subscriptions", "of-page", page.id],
    ],
    send: () => {
      const params = { path: { statusPageId: page.id } };
      return send(api.DELETE("/v1/status-pages/{statusPageId}", { params }));
    },
    leave: () => {
      onGone();
      setConfirming(false);
      showNotice({ text: pageWords.deleted(page.name) });
      return navigate({ to: "/status-pages", ignoreBlocker: true });
    },
    renew: [["status-pages"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        disabled={overview === undefined}
        onClick={() => setConfirming(true)}
      >
        {pageWords.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming && overview !== undefined}
        title={pageWords.deleteTitle(page.name)}
        action={pageWords.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        {overview && (
          <>
            <p>{pageWords.deleteText(overview.address)}</p>
            <p>{pageWords.deleteLosses(overview.subscriberCount)}</p>
            <p>{pageWords.deleteKept(overview.serviceCount, overview.openIncidentCount)}</p>
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

/** Shows the HTML and Markdown snippets that embed the state of the page in other sites. */
function EmbedFields({ page }: { readonly page: StatusPage }) {
  const { data: overviews } = useQuery(overviewsQuery);
  const address = overviews?.get(page.id)?.address;
  if (page.isPrivate) return <p className={textStyles.hint}>{words.embedPrivate}</p>;
  if (address === undefined) return null;
  const snippets = listSnippets(page.name, address);
  return (
    <Stack align="start" className={lookStyles.embeds}>
      <img src={`/status/${page.url}/badge.svg`} alt={words.badge} />
      {(Object.keys(snippets) as (keyof typeof snippets)[]).map((kind) => (
        <div key={kind} className={lookStyles.embed}>
          <span className={textStyles.strong}>{words[kind]}</span>
          <code>{snippets[kind]}</code>
          <CopyButton text={snippets[kind]} name={words.copy(words[kind])} />
        </div>
      ))}
    </Stack>
  );
}

interface AboutFieldsProps {
  readonly editor: PageEditor;
  readonly error: unknown;
}

function AboutFields({ editor, error }: AboutFieldsProps) {
  const { values, base, change } = editor;
  const isMoved = values.url !== base.url;
  return (
    <>
      <TextInput
        label={words.name}
        value={values.name}
        maxLength={255}
        required
        error={getFieldError(error, "name")}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <TextInput
        label={words.url}
        description={isMoved && words.urlHint(`${location.host}/status/${values.url}/`)}
        value={values.url}
        maxLength={63}
        required
        spellCheck={false}
        autoCapitalize="none"
        error={getFieldError(error, "url")}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
      />
      <Textarea
        label={words.description}
        description={words.descriptionHint}
        value={values.description}
        maxLength={500}
        rows={2}
        error={getFieldError(error, "description")}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <TextInput
        label={words.redirectTo}
        description={words.redirectHint}
        value={values.redirectTo}
        maxLength={2_048}
        inputMode="url"
        error={getFieldError(error, "redirectTo")}
        onChange={({ currentTarget }) => change({ redirectTo: currentTarget.value })}
      />
      <Switch
        label={words.whiteLabel}
        checked={values.whiteLabel}
        onChange={({ currentTarget }) => change({ whiteLabel: currentTarget.checked })}
      />
    </>
  );
}

const from = "/signed-in/status-pages/$statusPageId/editor" as const;
const labels = new Map<string, string>(Object.entries(words.labels));

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
      <FormSection title={words.about}>
        <AboutFields editor={editor} error={error} />
      </FormSection>
      <FormSection title={words.cardsTitle} hint={words.cardsHint} ofCards>
        <CardsFields editor={editor} services={services} error={error} />
      </FormSection>
      <Automation statusPageId={page.id} />
      <FormSection title={words.look}>
        <LookFields editor={editor} preview={preview} error={error} />
      </FormSection>
      <FormSection title={words.frame}>
        <FrameFields editor={editor} error={error} />
      </FormSection>
      <FormSection title={words.css} hint={words.cssHint}>
        <CssField
          hint={null}
          value={editor.values.customCSS}
          warnings={preview.answer?.cssWarnings ?? []}
          onChange={(customCSS) => editor.change({ customCSS })}
        />
      </FormSection>
      <FormSection title={words.embed} hint={words.embedHint}>
        <EmbedFields page={page} />
      </FormSection>
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
    <EditorLayout>
      <EditorForm
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
        <FormActions atEnd={<DeletePage page={page} onGone={editor.close} />}>
          <Button type="submit" loading={editor.isSaving}>
            {words.save}
          </Button>
          {editor.isDirty && <span className={textStyles.hint}>{words.unsaved}</span>}
          <Button
            variant="default"
            className={styles.toPreview ?? ""}
            onClick={() => aside.current?.scrollIntoView()}
          >
            {words.toPreview}
          </Button>
        </FormActions>
      </EditorForm>
      <aside className={formStyles.preview} ref={aside}>
        <PagePreview {...preview} />
      </aside>
    </EditorLayout>
  );
}

function EditorScreen() {
  const { statusPageId } = useParams({ from });
  const mayWrite = useMay("write");
  const { data } = useLoaded(pageQuery(statusPageId));
  if (!mayWrite) return <p className={layoutStyles.inset}>{words.mayNot}</p>;
  return <Editing key={statusPageId} stored={data} />;
}

export const route = createLazyRoute(from)({ component: EditorScreen });
