import { Button, NativeSelect, Radio, Switch, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, type Schemas, send } from "../../api/client.ts";
import { getFieldError, getFormError, useEditor, type Version } from "../../editing/index.ts";
import blockStyles from "../../parts/blocks.module.css";
import { Callout } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { audienceQuery, type IncidentTemplate, templatesQuery } from "../queries.ts";
import { statuses } from "../search.ts";
import { words as moduleWords, composerWords as words } from "../words.ts";
import styles from "./composer.module.css";
import { type Composition, toIsoTime, toLocalText } from "./values.ts";

interface NotifyFieldProps {
  readonly serviceIds: readonly string[];
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/**
 * Switch that notifies subscribers. It is enabled only after the number of subscribers has loaded,
 * so that the user knows how many people receive the message.
 */
export function NotifyField({ serviceIds, isOn, onChange }: NotifyFieldProps) {
  const { data, isError, isPlaceholderData } = useQuery(audienceQuery(serviceIds));
  if (serviceIds.length === 0) return <p className={textStyles.muted}>{words.notifyChoose}</p>;
  if (data === undefined) {
    return <p className={textStyles.muted}>{isError ? words.notifyFailed : "…"}</p>;
  }
  const { subscribers, pages } = data;
  const isKnown = !isPlaceholderData && !isError;
  return (
    <Stack className={styles.notify} data-on={isOn || undefined}>
      {pages.length === 0 && (
        <Callout as="p" tone="fair">
          {words.noPage}
        </Callout>
      )}
      {pages.length > 0 && subscribers === 0 && (
        <p className={textStyles.muted}>{words.notifyNobody}</p>
      )}
      {subscribers > 0 && (
        <>
          <Stack as="ul" gap={0} className={`${textStyles.muted} ${textStyles.wrap}`}>
            {pages.map((page) => (
              <li key={page.statusPageId}>
                {words.audience(page.name, page.EMAIL + page.WEBHOOK + page.SLACK)}
              </li>
            ))}
          </Stack>
          <Switch
            label={words.notify(subscribers)}
            description={isOn ? words.notifyOn(subscribers) : words.notifyOff}
            checked={isOn}
            disabled={!isKnown}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        </>
      )}
    </Stack>
  );
}

interface WhenFieldProps {
  readonly composition: Composition;
  readonly onChange: (change: Partial<Composition>) => void;
  /** Whether the user can enter an end time. True for a new incident, false for an update. */
  readonly hasEnd: boolean;
  readonly fault?: string | undefined;
}

function formatUtc(text: string): string | undefined {
  const at = toIsoTime(text);
  return at === undefined ? undefined : words.utc(at.slice(0, 16).replace("T", " "));
}

/** Selects the time of the update: either now or a time in the past. */
export function WhenField({ composition, onChange, hasEnd, fault }: WhenFieldProps) {
  const { when, startedAt, endedAt, endText } = composition;
  const choose = (value: string) => {
    if (value !== "past") return onChange({ when: "now" });
    onChange({ when: "past", startedAt: startedAt || toLocalText(Date.now()) });
  };
  return (
    <Stack gap={4}>
      <Radio.Group label={words.when} value={when} onChange={choose}>
        <Row gap={4} className={styles.radios}>
          <Radio value="now" label={words.now} />
          <Radio value="past" label={words.past} />
        </Row>
      </Radio.Group>
      {when === "past" && (
        <Row gap={4} align="start" className={styles.moments}>
          <TextInput
            type="datetime-local"
            label={hasEnd ? words.startedAt : words.at}
            required
            value={startedAt}
            description={formatUtc(startedAt)}
            error={fault}
            onChange={(event) => onChange({ startedAt: event.currentTarget.value })}
          />
          {hasEnd && (
            <TextInput
              type="datetime-local"
              label={words.endedAt}
              value={endedAt}
              description={formatUtc(endedAt) ?? words.endedHint}
              onChange={(event) => onChange({ endedAt: event.currentTarget.value })}
            />
          )}
        </Row>
      )}
      {when === "past" && hasEnd && endedAt !== "" && (
        <Textarea
          label={words.endText}
          placeholder={words.defaultEnd}
          autosize
          minRows={2}
          maxLength={20_000}
          value={endText}
          onChange={(event) => onChange({ endText: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

interface WordsFieldsProps {
  readonly composition: Composition;
  readonly onChange: (change: Partial<Composition>) => void;
  readonly fault?: string | undefined;
}

/** Edits the status and message of an update. */
export function WordsFields({ composition, onChange, fault }: WordsFieldsProps) {
  return (
    <>
      <NativeSelect
        label={words.status}
        value={composition.status}
        onChange={(event) =>
          onChange({
            status: statuses.find((one) => one === event.currentTarget.value) ?? "INVESTIGATING",
          })
        }
        data={statuses.map((value) => ({ value, label: moduleWords.statusMeans[value] }))}
      />
      <Textarea
        label={words.message}
        description={words.messageHint}
        required
        autosize
        minRows={5}
        maxRows={20}
        maxLength={20_000}
        value={composition.description}
        error={fault}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}

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
    <Stack as="fieldset" gap={4} className={blockStyles.quote}>
      <legend className={textStyles.legend}>{words.variables}</legend>
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

/** Selects a template and edits its variables. The server renders the text. */
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
  // If the URL names a template without variables, the template is applied once, after the
  // templates have loaded.
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

interface CompositionOptions<Item> {
  readonly draftKey: string;
  readonly blank: Composition;
  readonly post: (composition: Composition) => Promise<Version<Item>>;
  readonly onPosted: (posted: Item) => Promise<void>;
}

/**
 * Form state of a new incident or update. The draft does not contain the switch that notifies
 * subscribers, so the user must turn it on again after a reload.
 */
export function useComposition<Item>(options: CompositionOptions<Item>) {
  const { draftKey, blank, post, onPosted } = options;
  const [notify, setNotify] = useState(false);
  const editor = useEditor<Item, Composition>({
    draftKey,
    stored: null,
    initial: blank,
    // After posting, the editor calls `toValues` to fill the form with the posted update. The form
    // only creates updates, so it becomes empty instead.
    toValues: () => blank,
    send: (values) => post({ ...values, notify }),
    onSaved: ({ data }) => {
      editor.close();
      return onPosted(data);
    },
  });
  const change = ({ notify: isOn, ...part }: Partial<Composition>) => {
    if (isOn !== undefined) setNotify(isOn);
    editor.change(part);
  };
  return { editor, composition: { ...editor.values, notify }, change };
}
