import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, send, sendFull } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel, GonePanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { ServicesField } from "./composer/services-field.tsx";
import styles from "./incidents.module.css";
import {
  fetchTemplate,
  type IncidentTemplate,
  serviceStatusesQuery,
  templateQuery,
} from "./queries.ts";
import { severities, statuses } from "./search.ts";
import {
  addUpdate,
  formatTemplateValue,
  newTemplate,
  type TemplateUpdateValues,
  type TemplateValues,
  toBody,
  toValues,
} from "./template-values.ts";
import { words as moduleWords, templateWords as words } from "./words.ts";

const from = "/signed-in/incidents/templates/$templateId" as const;
const path = "/v1/status-pages/incident-templates" as const;
const maxUpdates = 20;

interface UpdateFieldsProps {
  readonly number: number;
  readonly update: TemplateUpdateValues;
  readonly fault: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (update: TemplateUpdateValues) => void;
  /** Removes the update; `null` if it is the only update, which cannot be removed. */
  readonly onRemove: (() => void) | null;
}

function UpdateFields({ number, update, fault, ...rest }: UpdateFieldsProps) {
  const { isReadOnly, onChange, onRemove } = rest;
  return (
    <Stack as="fieldset" className={styles.templateUpdate}>
      <legend>{words.update(number)}</legend>
      <NativeSelect
        label={words.status}
        value={update.status}
        disabled={isReadOnly}
        data={statuses.map((value) => ({ value, label: moduleWords.statuses[value] }))}
        onChange={(event) => {
          const status = statuses.find((one) => one === event.currentTarget.value);
          if (status !== undefined) onChange({ ...update, status });
        }}
      />
      <Textarea
        label={words.message}
        required
        autosize
        minRows={3}
        maxLength={20_000}
        readOnly={isReadOnly}
        value={update.description}
        error={fault}
        onChange={(event) => onChange({ ...update, description: event.currentTarget.value })}
      />
      {!isReadOnly && onRemove !== null && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={words.removeUpdateOf(number)}
            onClick={onRemove}
          >
            {words.removeUpdate}
          </Button>
        </div>
      )}
    </Stack>
  );
}

function DeleteTemplate({ template }: { readonly template: IncidentTemplate }) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const remove = useDeletion({
    of: [templateQuery(template.id).queryKey],
    send: () =>
      send(
        api.DELETE("/v1/status-pages/incident-templates/{templateId}", {
          params: { path: { templateId: template.id } },
        }),
      ),
    leave: () => {
      setConfirming(false);
      showNotice({ text: words.deleted });
      return navigate({ to: "/incidents/templates", ignoreBlocker: true });
    },
    renew: [["incident-templates"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
        {words.delete}
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
          <strong>{template.name}</strong>
        </p>
        <p>{words.deleteText}</p>
      </ConfirmDialog>
    </>
  );
}

function sendTemplate(
  values: TemplateValues,
  version: Version<IncidentTemplate> | null,
): Promise<Version<IncidentTemplate>> {
  const body = toBody(values);
  if (version === null) return sendFull(api.POST(path, { body }));
  const params = { path: { templateId: version.data.id }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/status-pages/incident-templates/{templateId}", { params, body }));
}

const labels: ReadonlyMap<string, string> = new Map([
  ["name", words.name],
  ["incidentName", words.incidentName],
  ["severity", words.severity],
  ["serviceIds", words.services],
  ["updates", words.updates],
]);

/** Returns a formatter for the conflict panel, which shows services by name and updates as text. */
function useFormat(): NonNullable<Naming["format"]> {
  const { data = [] } = useQuery(serviceStatusesQuery);
  const names = new Map(data.map(({ serviceId, name }) => [serviceId, name]));
  return (path, value) => formatTemplateValue(path, value, names);
}

function useTemplateEditor(stored: Version<IncidentTemplate> | null) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const editor = useEditor<IncidentTemplate, TemplateValues>({
    draftKey: `incident-template.${stored?.data.id ?? "new"}`,
    stored,
    initial: newTemplate,
    toValues,
    send: sendTemplate,
    refetch: ({ id }) => fetchTemplate(id),
    onSaved: async () => {
      editor.close();
      showNotice({ text: words.saved });
      void renewQueries(queryClient, ["incident-templates"]);
      await navigate({ to: "/incidents/templates", ignoreBlocker: true });
    },
  });
  return editor;
}

interface TemplateFieldsProps {
  readonly values: TemplateValues;
  readonly error: unknown;
  readonly isReadOnly: boolean;
  readonly onChange: (values: TemplateValues) => void;
}

function HeadFields({ values, error, isReadOnly, onChange }: TemplateFieldsProps) {
  const set = (part: Partial<TemplateValues>) => onChange({ ...values, ...part });
  return (
    <>
      <TextInput
        label={words.name}
        required
        maxLength={255}
        readOnly={isReadOnly}
        value={values.name}
        error={getFieldError(error, "name")}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <p className={textStyles.muted}>{words.hint}</p>
      <TextInput
        label={words.incidentName}
        description={words.incidentNameHint}
        maxLength={255}
        readOnly={isReadOnly}
        value={values.incidentName}
        error={getFieldError(error, "incidentName")}
        onChange={(event) => set({ incidentName: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.severity}
        disabled={isReadOnly}
        value={values.severity}
        data={[
          { value: "", label: words.anySeverity },
          ...severities.map((value) => ({ value, label: moduleWords.severities[value] })),
        ]}
        onChange={(event) =>
          set({ severity: severities.find((one) => one === event.currentTarget.value) ?? "" })
        }
      />
      {!isReadOnly && (
        <ServicesField
          label={words.services}
          hint={words.servicesHint}
          value={values.serviceIds}
          onChange={(serviceIds) => set({ serviceIds })}
        />
      )}
    </>
  );
}

function UpdatesFields({ values, error, isReadOnly, onChange }: TemplateFieldsProps) {
  const { updates } = values;
  const set = (next: readonly TemplateUpdateValues[]) => onChange({ ...values, updates: next });
  return (
    <>
      <h2>{words.updates}</h2>
      {updates.map((update, index) => (
        <UpdateFields
          key={update.key}
          number={index + 1}
          update={update}
          fault={getFieldError(error, `updates.${index}`)}
          isReadOnly={isReadOnly}
          onChange={(next) => set(updates.map((one) => (one.key === update.key ? next : one)))}
          onRemove={
            updates.length === 1 ? null : () => set(updates.filter(({ key }) => key !== update.key))
          }
        />
      ))}
      {!isReadOnly && updates.length < maxUpdates && (
        <div>
          <Button variant="default" onClick={() => onChange(addUpdate(values))}>
            {words.addUpdate}
          </Button>
        </div>
      )}
    </>
  );
}

function TemplateForm({ stored }: { readonly stored: Version<IncidentTemplate> | null }) {
  const isReadOnly = !useMay("write");
  const editor = useTemplateEditor(stored);
  const format = useFormat();
  const { values, error } = editor;
  const isWhole =
    values.name.trim() !== "" &&
    values.updates.every(({ description }) => description.trim() !== "");
  const beside = getFormError(error, ["name", "incidentName", "severity", "updates"]);
  const fields = { values, error, isReadOnly, onChange: editor.change };
  return (
    <Stack
      as="form"
      gap={4}
      className={styles.templateForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && !isReadOnly) editor.save();
      }}
    >
      <EditorNotices editor={editor} subject={words.subject} labels={labels} format={format} />
      <HeadFields {...fields} />
      <UpdatesFields {...fields} />
      {!isReadOnly && (
        <>
          {beside && <ErrorPanel error={beside} />}
          <Row gap={3}>
            <Button type="submit" loading={editor.isSaving} disabled={!isWhole}>
              {words.save}
            </Button>
          </Row>
        </>
      )}
    </Stack>
  );
}

function KnownTemplate({ templateId }: { readonly templateId: string }) {
  const mayWrite = useMay("write");
  const { data: stored, error } = useLoaded(templateQuery(templateId));
  const { data: template } = stored;
  return (
    <>
      <PageHeader
        title={<bdi>{template.name}</bdi>}
        actions={mayWrite && <DeleteTemplate template={template} />}
      >
        <Link to="/incidents/templates">{words.title}</Link>
      </PageHeader>
      <GonePanel error={error} />
      <TemplateForm key={template.id} stored={stored} />
    </>
  );
}

function TemplateScreen() {
  const { templateId } = useParams({ from });
  if (templateId !== "new") return <KnownTemplate templateId={templateId} />;
  return (
    <>
      <PageHeader title={words.new}>
        <Link to="/incidents/templates">{words.title}</Link>
      </PageHeader>
      <TemplateForm stored={null} />
    </>
  );
}

export const route = createLazyRoute(from)({ component: TemplateScreen });
