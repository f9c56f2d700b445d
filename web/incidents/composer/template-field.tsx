import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, type Schemas, send } from "../../api/client.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Stack } from "../../parts/layout.tsx";
import { type IncidentTemplate, templatesQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import styles from "./composer.module.css";
import type { Composition } from "./values.ts";

type Draft = Schemas["IncidentDraft"];

interface TemplateFieldProps {
  readonly composition: Composition;
  /** Id of the incident; `null` for a new incident. */
  readonly incidentId: string | null;
  readonly onChange: (change: Partial<Composition>) => void;
  readonly onDraft: (draft: Draft) => void;
}

type Fill = ReturnType<typeof useFill>;

function useFill({ composition, incidentId, onDraft }: Omit<TemplateFieldProps, "onChange">) {
  const { variables, serviceIds } = composition;
  const services = serviceIds.map((id) => ({ id }));
  return useMutation({
    mutationFn: (templateId: string) =>
      send(
        api.POST("/v1/status-pages/incidents/draft", {
          body: {
            templateId,
            variables: { ...variables },
            ...(incidentId !== null && { incidentId }),
            ...(incidentId === null && services.length > 0 && { services }),
          },
        }),
      ),
    onSuccess: onDraft,
  });
}

interface VariablesProps extends Pick<TemplateFieldProps, "onChange"> {
  readonly template: IncidentTemplate;
  readonly variables: Composition["variables"];
  readonly fill: Fill;
}

function Variables({ template, variables, fill, onChange }: VariablesProps) {
  return (
    <Stack as="fieldset" gap={4} className={styles.variables}>
      <legend>{words.variables}</legend>
      {template.variables.map((name) => (
        <TextInput
          key={name}
          label={name}
          maxLength={2_000}
          value={variables[name] ?? ""}
          error={getFieldError(fill.error, `variables.${name}`)}
          onChange={(event) =>
            onChange({ variables: { ...variables, [name]: event.currentTarget.value } })
          }
        />
      ))}
      <div>
        <Button variant="default" loading={fill.isPending} onClick={() => fill.mutate(template.id)}>
          {words.fill}
        </Button>
      </div>
    </Stack>
  );
}

/** Selects a template and its variables. The server renders it. */
export function TemplateField(props: TemplateFieldProps) {
  const { composition, incidentId, onChange } = props;
  const { templateId, variables } = composition;
  const { data: templates } = useQuery(templatesQuery);
  const chosen = templates?.find(({ id }) => id === templateId);
  const fill = useFill(props);
  const choose = (id: string) => {
    onChange({ templateId: id, variables: {} });
    fill.reset();
    const template = templates?.find((one) => one.id === id);
    if (template !== undefined && template.variables.length === 0) fill.mutate(id);
  };
  // A template in the address is applied once, when it has loaded.
  const isNamed = useRef(templateId !== "" && composition.description === "");
  useEffect(() => {
    if (!isNamed.current || chosen === undefined) return;
    isNamed.current = false;
    if (chosen.variables.length === 0) fill.mutate(chosen.id);
  });
  if (templates === undefined || templates.length === 0) return null;
  const usable = templates.filter((one) => incidentId !== null || one.incidentName !== null);
  const keys = chosen?.variables.map((name) => `variables.${name}`) ?? [];
  const beside = getFormError(fill.error, keys);
  return (
    <>
      <NativeSelect
        label={words.template}
        value={templateId}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: "", label: words.noTemplate },
          ...usable.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {chosen !== undefined && chosen.variables.length > 0 && (
        <Variables template={chosen} variables={variables} fill={fill} onChange={onChange} />
      )}
      {beside && <ErrorPanel error={beside} />}
    </>
  );
}
