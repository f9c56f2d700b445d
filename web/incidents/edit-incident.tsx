import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import { showNotice } from "../parts/notices.tsx";
import composerStyles from "./composer/composer.module.css";
import { ServicesField } from "./composer/services-field.tsx";
import styles from "./incidents.module.css";
import { fetchIncident, type Incident, serviceStatusesQuery } from "./queries.ts";
import { type Severity, severities } from "./search.ts";
import { words as moduleWords, incidentWords as words } from "./words.ts";

interface IncidentValues {
  readonly name: string;
  readonly severity: Severity;
  readonly services: readonly string[];
}

const toValues = ({ name, severity, services }: Incident): IncidentValues => ({
  name,
  severity,
  services: services.map(({ id }) => id),
});

/** Returns a formatter for the values of a conflict. A deleted service is shown by its id. */
function useFormat({ services }: Incident): NonNullable<Naming["format"]> {
  const { data = [] } = useQuery(serviceStatusesQuery);
  const names = new Map([
    ...services.map(({ id, name }) => [id, name] as const),
    ...data.map(({ serviceId, name }) => [serviceId, name] as const),
  ]);
  return (path, value) =>
    path === "services" && Array.isArray(value)
      ? value.map((id) => names.get(id) ?? id).join(", ")
      : undefined;
}

function sendIncident(
  { name, severity, services }: IncidentValues,
  version: Version<Incident> | null,
): Promise<Version<Incident>> {
  if (version === null) throw new Error("Only an existing incident is edited.");
  const params = { path: { incidentId: version.data.id }, header: ifMatch(version.etag) };
  const body = { name, severity, services: services.map((id) => ({ id })) };
  return sendFull(api.PATCH("/v1/status-pages/incidents/{incidentId}", { params, body }));
}

const labels: ReadonlyMap<string, string> = new Map(Object.entries(words.fields));

function useIncidentEditor(stored: Version<Incident>) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { id } = stored.data;
  const editor = useEditor({
    draftKey: `incident.edit.${id}`,
    stored,
    toValues,
    send: sendIncident,
    refetch: () => fetchIncident(id),
    onSaved: async () => {
      editor.close();
      showNotice({ text: words.saved });
      void renewQueries(queryClient, ["incidents"]);
      await navigate({ href: `/incidents/${id}`, ignoreBlocker: true });
    },
  });
  return editor;
}

interface EditFieldsProps {
  readonly values: IncidentValues;
  readonly error: unknown;
  readonly onChange: (change: Partial<IncidentValues>) => void;
}

function EditFields({ values, error, onChange }: EditFieldsProps) {
  return (
    <>
      <TextInput
        label={words.fields.name}
        required
        maxLength={255}
        value={values.name}
        error={getFieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.fields.severity}
        value={values.severity}
        data={severities.map((value) => ({ value, label: moduleWords.severityMeans[value] }))}
        onChange={(event) => {
          const severity = severities.find((one) => one === event.currentTarget.value);
          if (severity !== undefined) onChange({ severity });
        }}
      />
      <ServicesField
        label={words.fields.services}
        value={values.services}
        fault={getFieldError(error, "services")}
        onChange={(services) => onChange({ services })}
      />
    </>
  );
}

/** Edits the title, severity and services of an incident. Posted updates do not change. */
export function EditIncident({ stored }: { readonly stored: Version<Incident> }) {
  const editor = useIncidentEditor(stored);
  const { values, error } = editor;
  const format = useFormat(stored.data);
  const beside = getFormError(error, ["name", "services", "severity"]);
  const isWhole = values.name.trim() !== "" && values.services.length > 0;
  return (
    <Stack
      as="form"
      gap={4}
      className={styles.edit}
      aria-label={words.edit}
      onSubmit={(event) => {
        event.preventDefault();
        editor.save();
      }}
    >
      <EditorNotices editor={editor} subject={words.subject} labels={labels} format={format} />
      <Stack gap={4} className={composerStyles.form}>
        <EditFields values={values} error={error} onChange={editor.change} />
        {beside && <ErrorPanel error={beside} />}
        <Row gap={3}>
          <Button type="submit" loading={editor.isSaving} disabled={!isWhole}>
            {words.save}
          </Button>
          <Button
            component={AddressLink}
            href={`/incidents/${stored.data.id}`}
            variant="default"
            onClick={editor.close}
          >
            {words.cancel}
          </Button>
        </Row>
      </Stack>
    </Stack>
  );
}
