import {
  Button,
  Checkbox,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { getFieldError } from "../editing/index.ts";
import { Stack } from "../parts/layout.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./alerts.module.css";
import type { Config, Entry, Field } from "./schema-fields.ts";
import { words } from "./words.ts";

const own = words.channel;

interface OneFieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

const toText = (value: unknown) => (typeof value === "string" ? value : "");

/** Edits a list of name-value pairs, such as headers or query parameters. */
function EntriesField({ field, value, error, onChange }: OneFieldProps) {
  const entries = Array.isArray(value) ? (value as readonly Entry[]) : [];
  const change = (index: number, entry: Partial<Entry>) =>
    onChange(entries.map((one, at) => (at === index ? { ...one, ...entry } : one)));
  return (
    <Stack as="fieldset" className={styles.entries}>
      <legend>{field.label}</legend>
      {field.hint !== "" && <p className={textStyles.muted}>{field.hint}</p>}
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and may be equal
        <div className={styles.entry} key={index}>
          <TextInput
            aria-label={`${field.label} ${index + 1}, name`}
            placeholder="name"
            value={entry.key}
            onChange={(event) => change(index, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`${field.label} ${index + 1}, value`}
            placeholder="value"
            value={entry.value}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <Checkbox
            label={own.entryLocked}
            checked={entry.locked}
            onChange={(event) => change(index, { locked: event.currentTarget.checked })}
          />
          <Button
            variant="default"
            size="xs"
            aria-label={`${own.removeEntry} ${field.label} ${index + 1}`}
            onClick={() => onChange(entries.filter((_, at) => at !== index))}
          >
            {own.removeEntry}
          </Button>
        </div>
      ))}
      {error !== undefined && <p className={textStyles.bad}>{error}</p>}
      <div>
        <Button
          variant="default"
          size="xs"
          aria-label={`${own.addEntry}: ${field.label}`}
          onClick={() => onChange([...entries, { key: "", value: "", locked: false }])}
        >
          {own.addEntry}
        </Button>
      </div>
    </Stack>
  );
}

function OneField({ field, value, error, onChange }: OneFieldProps) {
  const common = {
    label: field.label,
    description: field.hint,
    required: field.isRequired,
    error,
  };
  const text = {
    ...common,
    value: toText(value),
    placeholder: field.placeholder,
    ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  switch (field.shape) {
    case "entries":
      return <EntriesField field={field} value={value} error={error} onChange={onChange} />;
    case "secret":
      return (
        <PasswordInput
          {...text}
          // Mantine marks an invalid field only by colour, so screen readers need this attribute.
          aria-invalid={error !== undefined}
          placeholder=""
          description={
            toText(value).endsWith("********")
              ? `${field.hint} ${own.secretKept}`.trim()
              : field.hint
          }
          autoComplete="off"
          // Focusing the field selects a stored secret's mask, so that typing replaces the mask.
          onFocus={(event) => event.currentTarget.select()}
        />
      );
    case "long-text":
      return <Textarea {...text} autosize={false} rows={6} spellCheck={false} />;
    case "number":
      return (
        <NumberInput
          {...common}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => onChange(next === "" ? null : Number(next))}
        />
      );
    case "choice":
      return (
        <NativeSelect
          {...common}
          value={toText(value) || toText(field.byDefault)}
          onChange={(event) => onChange(event.currentTarget.value)}
          data={[
            ...(field.isNullable || field.byDefault === undefined
              ? [{ value: "", label: "–" }]
              : []),
            ...field.choices.map((choice) => ({
              value: choice,
              label: field.labels?.get(choice) ?? choice,
            })),
          ]}
        />
      );
    default:
      return (
        <TextInput {...text} type={field.key.toLowerCase().endsWith("url") ? "url" : "text"} />
      );
  }
}

interface ConfigFieldsProps {
  readonly fields: readonly Field[];
  readonly config: Config;
  readonly error: unknown;
  readonly onChange: (config: Config) => void;
}

/** Shows the required fields first, and the optional fields in a collapsed section. */
export function ConfigFields({ fields, config, error, onChange }: ConfigFieldsProps) {
  const show = (field: Field) => (
    <OneField
      key={field.key}
      field={field}
      value={config[field.key]}
      error={getFieldError(error, `config.${field.key}`)}
      onChange={(value) => onChange({ ...config, [field.key]: value })}
    />
  );
  // A field that selects a schedule or member by name is also shown first, although it is optional,
  // because it determines whom the channel alerts.
  const isFirst = ({ isRequired, labels }: Field) => isRequired || labels !== undefined;
  const first = fields.filter(isFirst);
  const rest = fields.filter((field) => !isFirst(field));
  const isFaulty = rest.some(({ key }) => getFieldError(error, `config.${key}`) !== undefined);
  return (
    <>
      {first.map(show)}
      {rest.length > 0 && (
        <details open={isFaulty || undefined}>
          <summary>{own.more}</summary>
          <Stack gap={4}>{rest.map(show)}</Stack>
        </details>
      )}
    </>
  );
}
