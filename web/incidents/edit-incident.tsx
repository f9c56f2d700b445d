import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send, sendFull } from "../api/client.ts";
import { isNews } from "../checks/editor/changes.ts";
import { ConflictPanel } from "../checks/editor/conflict-panel.tsx";
import { LeaveGuard } from "../checks/editor/leave-guard.tsx";
import { type Fields, getText, isSame } from "../kinds/fields.ts";
import { AddressLink } from "../parts/address-link.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { faultBeside, faultOf } from "../parts/field-fault.ts";
import { showNotice } from "../parts/notices.tsx";
import { useDraft } from "../parts/use-draft.ts";
import composerStyles from "./composer/composer.module.css";
import { ServicesField } from "./composer/services-field.tsx";
import styles from "./incidents.module.css";
import { type Incident, serviceStatusesQuery } from "./queries.ts";
import { type Severity, severities } from "./search.ts";
import { words as roomWords, incidentWords as words } from "./words.ts";

interface Edited extends Fields {
  readonly name: string;
  readonly severity: Severity;
  readonly services: readonly string[];
}

const toEdited = ({ name, severity, services }: Incident): Edited => ({
  name,
  severity,
  services: services.map(({ id }) => id),
});

/** People compare names, not ids. A service that is not known any more keeps its id. */
function toShown(edited: Edited, names: ReadonlyMap<string, string>): Fields {
  return { ...edited, services: edited.services.map((id) => names.get(id) ?? id) };
}

function fromShown(fields: Fields, names: ReadonlyMap<string, string>): Edited {
  const ids = new Map([...names].map(([id, name]) => [name, id]));
  const severity = severities.find((one) => one === fields.severity) ?? "MAJOR";
  const shown = Array.isArray(fields.services) ? fields.services.map(String) : [];
  const services = shown.map((name) => ids.get(name) ?? name);
  return { name: getText(fields, "name"), severity, services };
}

/** Names are unique in an account. */
function useServiceNames({ services }: Incident): ReadonlyMap<string, string> {
  const { data } = useQuery(serviceStatusesQuery);
  return new Map([
    ...services.map(({ id, name }) => [id, name] as const),
    ...(data ?? []).map(({ serviceId, name }) => [serviceId, name] as const),
  ]);
}

const params = (incidentId: string) => ({ path: { incidentId } });
const path = "/v1/status-pages/incidents/{incidentId}" as const;

interface Base {
  readonly values: Edited;
  readonly etag: string | null;
}

function change(incidentId: string, mine: Edited, etag: string | null) {
  return send(
    api.PATCH(path, {
      params: { ...params(incidentId), header: etag === null ? {} : { "if-match": etag } },
      body: {
        name: mine.name,
        severity: mine.severity,
        services: mine.services.map((id) => ({ id })),
      },
    }),
  );
}

/** What somebody else saved meanwhile. */
interface Met {
  readonly theirs: Edited;
  readonly etag: string | null;
}

/** Null: saved. An update that somebody posted meanwhile is no conflict with these fields. */
async function saveOrMeet(incidentId: string, base: Base, mine: Edited): Promise<Met | null> {
  try {
    await change(incidentId, mine, base.etag);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  }
  const { data, etag } = await sendFull(api.GET(path, { params: params(incidentId) }));
  const theirs = toEdited(data);
  if (isNews(base.values, mine, theirs)) return { theirs, etag };
  await change(incidentId, mine, etag);
  return null;
}

interface EditIncidentProps {
  readonly incident: Incident;
  readonly etag: string | null;
}

const labels: ReadonlyMap<string, string> = new Map(Object.entries(words.fields));

function useEdit({ incident, etag }: EditIncidentProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [base, setBase] = useState<Base>(() => ({ values: toEdited(incident), etag }));
  const [values, setValues, forget] = useDraft(`incident.edit.${incident.id}`, base.values);
  const [met, setMet] = useState<Met | null>(null);
  const [isDone, setDone] = useState(false);
  const save = useMutation({
    mutationFn: () => saveOrMeet(incident.id, base, values),
    onSuccess: async (others) => {
      setMet(others);
      if (others !== null) return;
      setDone(true);
      forget();
      showNotice({ text: words.saved });
      void queryClient.invalidateQueries({ queryKey: ["incidents"] });
      await navigate({ href: `/incidents/${incident.id}`, ignoreBlocker: true });
    },
  });
  const settle = (settled: Edited) => {
    if (met === null) return;
    setBase({ values: met.theirs, etag: met.etag });
    setValues(settled);
    setMet(null);
  };
  const isDirty = !isDone && !isSame(values, base.values);
  return { base, values, setValues, forget, met, settle, save, isDirty };
}

interface EditFieldsProps {
  readonly values: Edited;
  readonly error: unknown;
  readonly onChange: (values: Edited) => void;
}

function EditFields({ values, error, onChange }: EditFieldsProps) {
  const set = (part: Partial<Edited>) => onChange({ ...values, ...part });
  return (
    <>
      <TextInput
        label={words.fields.name}
        required
        maxLength={255}
        value={values.name}
        error={faultOf(error, "name")}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.fields.severity}
        value={values.severity}
        data={severities.map((value) => ({ value, label: roomWords.severityMeans[value] }))}
        onChange={(event) => {
          const severity = severities.find((one) => one === event.currentTarget.value);
          if (severity !== undefined) set({ severity });
        }}
      />
      <ServicesField
        label={words.fields.services}
        value={values.services}
        fault={faultOf(error, "services")}
        onChange={(services) => set({ services })}
      />
    </>
  );
}

/** Its title, severity and services; what was told stays. */
export function EditIncident(props: EditIncidentProps) {
  const { incident } = props;
  const { base, values, setValues, forget, met, settle, save, isDirty } = useEdit(props);
  const names = useServiceNames(incident);
  const beside = faultBeside(save.error, ["name", "services", "severity"]);
  const isWhole = values.name.trim() !== "" && values.services.length > 0;
  const conflict = met && {
    base: toShown(base.values, names),
    mine: toShown(values, names),
    theirs: toShown(met.theirs, names),
    etag: met.etag,
  };
  return (
    <form
      className={styles.edit}
      aria-label={words.edit}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      {conflict && (
        <ConflictPanel
          conflict={conflict}
          labels={labels}
          title={words.conflictTitle}
          onSettle={(settled) => settle(fromShown(settled, names))}
        />
      )}
      <div className={composerStyles.form}>
        <EditFields values={values} error={save.error} onChange={setValues} />
        {beside && <ErrorPanel error={beside} />}
        <div className={styles.actions}>
          <Button type="submit" loading={save.isPending} disabled={!isWhole}>
            {words.save}
          </Button>
          <Button
            component={AddressLink}
            href={`/incidents/${incident.id}`}
            variant="default"
            onClick={forget}
          >
            {words.cancel}
          </Button>
        </div>
      </div>
      <LeaveGuard isDirty={isDirty} onGiveUp={forget} />
    </form>
  );
}
