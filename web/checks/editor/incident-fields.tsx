import { Checkbox, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { audienceQuery, incidentWords, serviceStatusesQuery } from "../../incidents/index.ts";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { anyFields, FieldRow } from "../../kinds/editor/fields.tsx";
import { getText } from "../../parts/fields.ts";
import { GoLink } from "../../parts/go-link.tsx";
import textStyles from "../../parts/text.module.css";
import { incidentFieldWords as words } from "./words.ts";

const { FlagField, LongTextField, SelectField, TextField } = anyFields;

const path = "triggerIncident";

/** Settings of the incident that an alert of this check opens. */
export function IncidentFields() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel(path, words.opens);
  const trigger = values.triggerIncident ?? null;
  const before = useRef(trigger);
  const toggle = (isOn: boolean) => {
    if (!isOn) before.current = trigger;
    set(path, isOn ? (before.current ?? words.firstIncident) : null);
  };
  return (
    <>
      <Checkbox
        label={words.opens}
        description={words.opensHint}
        data-path={path}
        error={findFieldError(path)}
        checked={trigger !== null}
        onChange={({ currentTarget }) => toggle(currentTarget.checked)}
      />
      {trigger !== null && <Incident />}
    </>
  );
}

function Incident() {
  const { data } = useQuery(serviceStatusesQuery);
  if (data?.length === 0) {
    return (
      <p className={textStyles.hint}>
        {words.noServices} <GoLink href="/status-pages">{words.addServices}</GoLink>
      </p>
    );
  }
  return (
    <>
      <FieldRow>
        <ServiceField services={data ?? []} />
        <SelectField
          path={`${path}.severity`}
          label={words.severity}
          labels={incidentWords.severityMeans}
        />
      </FieldRow>
      <TextField path={`${path}.name`} label={words.name} hint={words.variables} />
      <LongTextField path={`${path}.description`} label={words.description} rows={3} />
      <NotifyField />
    </>
  );
}

interface ServiceFieldProps {
  readonly services: readonly { readonly serviceId: string; readonly name: string }[];
}

function ServiceField({ services }: ServiceFieldProps) {
  const { values, set, findFieldError, noteLabel } = useEditor();
  const own = `${path}.serviceId` as const;
  noteLabel(own, words.service);
  const id = getText(values, own);
  const isListed = services.some(({ serviceId }) => serviceId === id);
  return (
    <NativeSelect
      label={words.service}
      data-path={own}
      error={findFieldError(own)}
      data={[
        ...(isListed ? [] : [{ value: id, label: id === "" ? words.choose : id }]),
        ...services.map(({ serviceId, name }) => ({ value: serviceId, label: name })),
      ]}
      value={id}
      onChange={({ currentTarget }) => set(own, currentTarget.value)}
    />
  );
}

function NotifyField() {
  const { values } = useEditor();
  const id = getText(values, `${path}.serviceId`);
  const { data } = useQuery(audienceQuery(id === "" ? [] : [id]));
  const isShown = data !== undefined && data.pages.length > 0;
  const told = data === undefined ? "" : words.told(data.subscribers);
  return (
    <FlagField
      path={`${path}.notifySubscribers`}
      label={words.notify}
      hint={data === undefined || isShown ? told : words.noPage}
    />
  );
}
