/** Form fields bound to a path. Each shows its own validation error. */
import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { getAt, getFlag, getText } from "../../parts/fields.ts";
import { useEditor } from "./editor-context.ts";
import styles from "./fields.module.css";
import { Completed } from "./variable-completion.tsx";

interface FieldProps {
  readonly path: string;
  readonly label: string;
  readonly hint?: ReactNode;
}

function useField({ path, label }: FieldProps) {
  const editor = useEditor();
  editor.noteLabel(path, label);
  return {
    ...editor,
    value: getAt(editor.values, path),
    shared: { label, "data-path": path, error: editor.findFieldError(path) },
  };
}

interface TextProps extends FieldProps {
  readonly example?: string;
  readonly type?: "text" | "password";
  /** Value stored for an empty field. */
  readonly empty?: null | "";
}

export function TextField(props: TextProps) {
  const { path, hint, example, type = "text", empty = "" } = props;
  const { values, set, shared } = useField(props);
  const setText = (text: string) => set(path, text === "" ? empty : text);
  return (
    <Completed value={getText(values, path)} onText={setText}>
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

/** Text that is not a number is stored as typed, so that the API rejects it. */
function readNumber(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

interface NumberProps extends FieldProps {
  readonly unit?: string;
  readonly example?: string;
}

export function NumberField(props: NumberProps) {
  const { path, hint, unit, example } = props;
  const { value, set, shared } = useField(props);
  return (
    <TextInput
      {...shared}
      className={styles.number}
      description={hint}
      inputMode="decimal"
      autoComplete="off"
      placeholder={example}
      rightSection={unit && <span className={styles.unit}>{unit}</span>}
      rightSectionWidth={unit === undefined ? 0 : 64}
      rightSectionPointerEvents="none"
      value={value === null || value === undefined ? "" : String(value)}
      onChange={({ currentTarget }) => set(path, readNumber(currentTarget.value))}
    />
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends FieldProps {
  readonly choices: readonly (Choice | string)[];
}

const toChoice = (choice: Choice | string): Choice =>
  typeof choice === "string" ? { value: choice, label: choice } : choice;

export function SelectField(props: SelectProps) {
  const { path, hint, choices } = props;
  const { value, set, shared } = useField(props);
  return (
    <NativeSelect
      {...shared}
      description={hint}
      data={choices.map(toChoice)}
      value={typeof value === "string" ? value : ""}
      onChange={({ currentTarget }) => set(path, currentTarget.value)}
    />
  );
}

export function FlagField(props: FieldProps) {
  const { path, hint } = props;
  const { values, set, shared } = useField(props);
  return (
    <Checkbox
      {...shared}
      description={hint}
      checked={getFlag(values, path)}
      onChange={({ currentTarget }) => set(path, currentTarget.checked)}
    />
  );
}

interface LongTextProps extends FieldProps {
  readonly empty?: null | "";
  readonly rows?: number;
}

export function LongTextField(props: LongTextProps) {
  const { path, hint, empty = "", rows = 4 } = props;
  const { values, set, shared } = useField(props);
  const setText = (text: string) => set(path, text === "" ? empty : text);
  return (
    <Completed value={getText(values, path)} onText={setText}>
      {(input) => (
        <Textarea
          {...shared}
          {...input}
          classNames={{ input: styles.code ?? "" }}
          description={hint}
          rows={rows}
          spellCheck={false}
          autoComplete="off"
        />
      )}
    </Completed>
  );
}

/** Places fields side by side if there is room. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}
