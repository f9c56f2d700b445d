import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, type Schemas, send } from "../../api/client.ts";
import { useDeletion } from "../../api/deletion.ts";
import { useMay } from "../../api/session.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { EditorNotices, getFieldError, getFormError, type Version } from "../../editing/index.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CssField } from "../../parts/css-field.tsx";
import { ErrorPanel, GonePanel } from "../../parts/error-panel.tsx";
import formStyles from "../../parts/form.module.css";
import { EditorForm, EditorLayout, FormActions, FormSection } from "../../parts/form.tsx";
import { TrashIcon } from "../../parts/icons.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { PreviewFrame } from "../../parts/preview-frame.tsx";
import textStyles from "../../parts/text.module.css";
import { addressOf, type Dashboard, dashboardQuery, domainQuery } from "../queries.ts";
import { words } from "../words.ts";
import styles from "./editor.module.css";
import {
  ChoiceFields,
  type FieldsProps,
  Flag,
  HeadFields,
  RowFields,
  ScreenFields,
  Text,
} from "./fields.tsx";
import { KeysSection, ShownKey } from "./keys-section.tsx";
import { type DashboardEditor, toInput, useDashboardEditor } from "./use-dashboard-editor.ts";

/** Shows whether the saved custom domain is verified, and which DNS records are needed. */
function DomainState({ dashboardId }: { readonly dashboardId: string }) {
  const client = useQueryClient();
  const query = domainQuery(dashboardId);
  const { data: domain, error } = useQuery(query);
  const look = useMutation({
    mutationFn: () => {
      const params = { path: { dashboardId } };
      return send(api.POST("/v1/dashboards/{dashboardId}/domain/check", { params }));
    },
    onSuccess: (seen) => client.setQueryData(query.queryKey, seen),
  });
  const fault = look.error ?? error;
  return (
    <Stack role="status">
      {fault && <ErrorPanel error={fault} />}
      {domain?.isServed && <p>{words.domain.served}</p>}
      {domain !== undefined && !domain.isServed && (
        <>
          <p>{words.domain.notServed}</p>
          <p>{words.domain.records}</p>
          <Stack as="ul" gap={1}>
            {domain.records.map(({ type, name, value }) => (
              <li key={type}>
                <code className={textStyles.code}>{`${name} ${type} ${value}`}</code>
              </li>
            ))}
          </Stack>
          <div>
            <Button
              variant="default"
              size="compact-sm"
              loading={look.isPending}
              onClick={() => look.mutate()}
            >
              {words.domain.look}
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}

interface DeleteDashboardProps {
  readonly dashboard: Dashboard;
  readonly onGone: () => void;
}

function DeleteDashboard({ dashboard, onGone }: DeleteDashboardProps) {
  const { dashboardId, header } = dashboard;
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [["dashboards", dashboardId]],
    send: () => {
      const params = { path: { dashboardId } };
      return send(api.DELETE("/v1/dashboards/{dashboardId}", { params }));
    },
    leave: () => {
      onGone();
      setConfirming(false);
      showNotice({ text: words.deleted(header) });
      return navigate({ to: "/dashboards", ignoreBlocker: true });
    },
    renew: [["dashboards"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle(header)}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteText(addressOf(dashboard))}</p>
        <p>{words.deleteKeys(dashboard.keys.length)}</p>
      </ConfirmDialog>
    </>
  );
}

const labels = new Map<string, string>(Object.entries(words.labels));
const shownFields = [
  "header",
  "description",
  "logo",
  "favicon",
  "link",
  "tags",
  "checksPerPage",
  "customUrl",
  "customDomain",
  "customCSS",
];

function AddressFields(props: FieldsProps & { readonly dashboardId: string }) {
  const { editor, error, dashboardId } = props;
  const { values, base } = editor;
  const name = values.customUrl.trim() || dashboardId;
  const path = `${location.host}/dashboards/${name}`;
  const isSaved = base.customDomain !== "" && base.customDomain === values.customDomain;
  return (
    <>
      <Text
        {...{ editor, error }}
        name="customUrl"
        maxLength={63}
        hint={words.hints.customUrl(path)}
      />
      <Text
        {...{ editor, error }}
        name="customDomain"
        maxLength={260}
        hint={words.hints.customDomain}
      />
      {isSaved && <DomainState dashboardId={dashboardId} />}
    </>
  );
}

interface SectionsProps extends FieldsProps {
  readonly dashboard: Dashboard;
  readonly onKey: (rawKey: string) => void;
}

function SettingSections({ dashboard, editor, error, onKey }: SectionsProps) {
  const { dashboardId } = dashboard;
  const { sections } = words;
  return (
    <>
      <FormSection title={sections.head}>
        <HeadFields editor={editor} error={error} />
      </FormSection>
      <FormSection title={sections.what}>
        <ChoiceFields editor={editor} error={error} />
      </FormSection>
      <FormSection title={sections.columns}>
        <RowFields editor={editor} />
      </FormSection>
      <FormSection title={sections.screen}>
        <ScreenFields editor={editor} error={error} />
      </FormSection>
      <FormSection title={sections.address}>
        <AddressFields editor={editor} error={error} dashboardId={dashboardId} />
      </FormSection>
      <FormSection title={sections.access}>
        <Flag editor={editor} name="isPrivate" hint={words.hints.isPrivate} />
        {editor.base.isPrivate && <KeysSection dashboard={dashboard} onKey={onKey} />}
      </FormSection>
    </>
  );
}

/** Minimum time between preview requests while typing. */
const settleMs = 400;
/**
 * Interval at which the preview is renewed, because the server deletes a preview after ten minutes.
 */
const renewMs = 8 * 60_000;
/** Width in CSS pixels of the screen that the preview simulates. */
const screenWidth = 1_440;

interface PreviewState {
  readonly answer: Schemas["DashboardPreview"] | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** Returns the server-rendered preview of the dashboard, updated shortly after every change. */
function useDashboardPreview(
  dashboardId: string,
  { values, base }: Pick<DashboardEditor, "values" | "base">,
): PreviewState {
  const [state, setState] = useState<PreviewState>({ answer: null, isLoading: true, error: null });
  const [renewals, setRenewals] = useState(0);
  const input = useMemo(() => toInput(base, values), [base, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `renewals` reloads the preview
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const load = async () => {
      setState((before) => ({ ...before, isLoading: true }));
      try {
        const { keys: _keys, ...body } = input;
        const asked = { ...body, dashboardId };
        const answer = await send(api.POST("/v1/dashboards/previews", { body: asked, signal }));
        setState({ answer, isLoading: false, error: null });
      } catch (error) {
        if (!signal.aborted) setState((before) => ({ ...before, isLoading: false, error }));
      }
    };
    const timers = [
      setTimeout(() => void load(), settleMs),
      setTimeout(() => setRenewals((count) => count + 1), renewMs),
    ];
    return () => {
      abort.abort();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [dashboardId, input, renewals]);
  return state;
}

function DashboardPreview({ answer, isLoading, error }: PreviewState) {
  const fault = error instanceof ApiError ? words.previewFault(error.message) : null;
  return (
    <PreviewFrame
      title={words.preview}
      preview={answer}
      isLoading={isLoading}
      fault={fault}
      deskWidth={screenWidth}
    />
  );
}

function Editing({ stored }: { readonly stored: Version<Dashboard> }) {
  const { data: dashboard } = stored;
  const [rawKey, setRawKey] = useState<string | null>(null);
  const editor = useDashboardEditor(stored, setRawKey);
  const preview = useDashboardPreview(dashboard.dashboardId, editor);
  const { error } = editor;
  const other = getFormError(error, shownFields);
  const cssFault = getFieldError(error, "customCSS");
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
          owned={{ type: "dashboard", id: dashboard.dashboardId }}
          subject={words.subject}
          labels={labels}
        />
        <SettingSections dashboard={dashboard} editor={editor} error={error} onKey={setRawKey} />
        <FormSection title={words.sections.css}>
          <CssField
            value={editor.values.customCSS}
            warnings={preview.answer?.cssWarnings ?? dashboard.cssWarnings}
            onChange={(customCSS) => editor.change({ customCSS })}
          />
          {cssFault && <span className={textStyles.fault}>{cssFault}</span>}
        </FormSection>
        {other && <ErrorPanel error={other} title={words.notSaved} />}
        <FormActions atEnd={<DeleteDashboard dashboard={dashboard} onGone={editor.close} />}>
          <Button type="submit" loading={editor.isSaving}>
            {words.save}
          </Button>
          {editor.isDirty && (
            <span className={`${textStyles.hint} ${textStyles.wrap}`}>{words.unsaved}</span>
          )}
        </FormActions>
      </EditorForm>
      <aside className={`${formStyles.preview} ${styles.aside}`} aria-label={words.preview}>
        <DashboardPreview {...preview} />
        <p className={`${textStyles.hint} ${textStyles.wrap}`} role="status">
          {preview.answer && words.shows(preview.answer.checkCount)}
        </p>
      </aside>
      <ShownKey dashboard={dashboard} rawKey={rawKey} onDone={() => setRawKey(null)} />
    </EditorLayout>
  );
}

function EditorScreen() {
  const { dashboardId } = route.useParams();
  const mayWrite = useMay("write");
  const { data, error } = useLoaded(dashboardQuery(dashboardId));
  const address = addressOf(data.data);
  return (
    <>
      <PageHeader
        title={<bdi>{data.data.header}</bdi>}
        actions={
          <Button component="a" href={address} target="_blank" rel="noopener" variant="default">
            {words.open}
          </Button>
        }
      >
        <Link to="/dashboards">{words.title}</Link>
      </PageHeader>
      <GonePanel error={error} />
      {mayWrite ? (
        <Editing key={dashboardId} stored={data} />
      ) : (
        <p className={layoutStyles.inset}>{words.mayNot}</p>
      )}
    </>
  );
}

export const route = createLazyRoute("/signed-in/edit-dashboard/$dashboardId")({
  component: EditorScreen,
});
