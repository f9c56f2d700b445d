/**
 * Form fields bound to a path in the settings, each with its validation error. `fieldsOf` types the
 * paths for a check type, so that a misspelt path is a type error.
 */
import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { getAt, type PathTo, type ValueAt } from "../../parts/fields.ts";
import textStyles from "../../parts/text.module.css";
import type { AnyValues, CheckType, CheckValues } from "../form-values.ts";
import { findLimits, useFieldEditor } from "./editor-context.ts";
import styles from "./fields.module.css";
import { Completed } from "./variable-completion.tsx";

interface FieldProps<Path = string> {
  readonly path: Path;
  readonly label: string;
  readonly hint?: ReactNode;
}

function useField({ path, label }: FieldProps) {
  const editor = useFieldEditor();
  editor.noteLabel(path, label);
  const value = getAt(editor.values, path);
  return {
    value,
    text: typeof value === "string" ? value : "",
    limits: findLimits(editor.kind, path),
    set: (next: unknown) => editor.set(path, next),
    shared: { label, "data-path": path, error: editor.findFieldError(path) },
  };
}

interface TextProps<Path = string> extends FieldProps<Path> {
  readonly example?: string;
  readonly type?: "text" | "password";
  /** Value that is stored while the field is empty. */
  readonly empty?: null | "";
}

function TextField(props: TextProps) {
  const { hint, example, type = "text", empty = "" } = props;
  const { text: typed, set, shared } = useField(props);
  const setText = (text: string) => set(text === "" ? empty : text);
  return (
    <Completed value={typed} onText={setText}>
      {(input) => (
        <TextInput
          {...shared}
          {...input}
          description={hint}
          placeholder={example}
          type={type}
          autoComplete={type === "password" ? "new-password" : "off"}
          spellCheck={false}
        />
      )}
    </Completed>
  );
}

/** Parses a number. Other text is returned unchanged, so that the API rejects it. */
function readNumber(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

interface NumberProps<Path = string> extends FieldProps<Path> {
  readonly unit?: string;
  readonly example?: string;
}

function NumberField(props: NumberProps) {
  const { hint, unit, example } = props;
  const { value, set, shared } = useField(props);
  return (
    <TextInput
      {...shared}
      className={styles.number}
      description={hint}
      inputMode="decimal"
      autoComplete="off"
      placeholder={example}
      rightSection={unit && <span className={`${styles.unit} ${textStyles.hint}`}>{unit}</span>}
      rightSectionWidth={unit === undefined ? 0 : 64}
      rightSectionPointerEvents="none"
      value={value === null || value === undefined ? "" : String(value)}
      onChange={({ currentTarget }) => set(readNumber(currentTarget.value))}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps<Path = string, Value extends string = string> extends FieldProps<Path> {
  /** Labels of the values in display order; by default, each value is its own label. */
  readonly labels?: Readonly<Record<Value, string>>;
  /** Label of an option that sets `null`; absent if there is no such option. */
  readonly none?: string;
}

/** Selects one of the values that the API allows. */
function SelectField(props: SelectProps) {
  const { hint, labels = {}, none } = props;
  const { text, limits, set, shared } = useField(props);
  const allowed = limits.enum?.map(String) ?? [];
  const labelled = Object.keys(labels).filter((value) => allowed.includes(value));
  const values = [...new Set([...labelled, ...allowed])];
  return (
    <NativeSelect
      {...shared}
      description={hint}
      data={[
        ...(none === undefined ? [] : [{ value: "", label: none }]),
        ...values.map((value) => ({ value, label: labels[value] ?? value })),
      ]}
      value={text}
      onChange={({ currentTarget: { value } }) => set(value === "" ? null : value)}
    />
  );
}

function FlagField(props: FieldProps) {
  const { hint } = props;
  const { value, set, shared } = useField(props);
  return (
    <Checkbox
      {...shared}
      description={hint}
      checked={value === true}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
  );
}

interface NumberSelectProps<Path = string> extends FieldProps<Path> {
  readonly format?: (value: number) => string;
}

/** Selects one of the numbers that the API allows. */
function NumberSelectField(props: NumberSelectProps) {
  const { hint, format = String } = props;
  const { value, limits, set, shared } = useField(props);
  const allowed = limits.enum?.map(Number) ?? [];
  return (
    <NativeSelect
      {...shared}
      description={hint}
      data={allowed.map((one) => ({ value: String(one), label: format(one) }))}
      value={String(value)}
      onChange={({ currentTarget }) => set(Number(currentTarget.value))}
    />
  );
}

interface LongTextProps<Path = string> extends FieldProps<Path> {
  readonly empty?: null | "";
  readonly rows?: number;
}

function LongTextField(props: LongTextProps) {
  const { hint, empty = "", rows = 4 } = props;
  const { text: typed, set, shared } = useField(props);
  const setText = (text: string) => set(text === "" ? empty : text);
  return (
    <Completed value={typed} onText={setText}>
      {(input) => (
        <Textarea
          {...shared}
          {...input}
          classNames={{ input: `${textStyles.mono} ${textStyles.small}` }}
          description={hint}
          rows={rows}
          spellCheck={false}
          autoComplete="off"
        />
      )}
    </Completed>
  );
}

interface Fields<Values extends object> {
  TextField(props: TextProps<PathTo<Values, string>>): ReactNode;
  LongTextField(props: LongTextProps<PathTo<Values, string>>): ReactNode;
  NumberField(props: NumberProps<PathTo<Values, number>>): ReactNode;
  NumberSelectField(props: NumberSelectProps<PathTo<Values, number>>): ReactNode;
  FlagField(props: FieldProps<PathTo<Values, boolean>>): ReactNode;
  SelectField<Path extends PathTo<Values, string>>(
    props: SelectProps<Path, NonNullable<ValueAt<Values, Path>> & string>,
  ): ReactNode;
}

const fields = {
  TextField,
  LongTextField,
  NumberField,
  NumberSelectField,
  FlagField,
  SelectField,
};

/** Fields that accept only the paths that checks of any type have. */
export const anyFields: Fields<AnyValues> = fields;

/** Returns fields that accept only the paths of one check type. */
export const fieldsOf = <Type extends CheckType>(): Fields<CheckValues<Type>> => fields;
