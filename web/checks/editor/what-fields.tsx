import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { Completed } from "../../kinds/editor/variable-completion.tsx";
import { guessKind, listOtherGuesses, proposeName } from "../../kinds/guess-kind.ts";
import { findKind, kindTargets } from "../../kinds/index.ts";
import type { KindTarget } from "../../kinds/kind.ts";
import { useFindKind } from "../../kinds/queries.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { getText, mergeFields } from "../../parts/fields.ts";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { changeKind } from "./check-values.ts";
import styles from "./editor.module.css";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface WhatFieldsProps {
  readonly editor: CheckEditor;
  /**
   * Whether the user has selected the check type. If so, the type is not detected from the target.
   */
  readonly isKindChosen: boolean;
  readonly onChooseKind: (type: string) => void;
}

/** Edits the target, the detected check type and the name. */
export function WhatFields({ editor, isKindChosen, onChooseKind }: WhatFieldsProps) {
  const { values, isNew } = editor;
  const kind = findKind(values.checkType);
  const findLimits = useFindKind();
  const [typed, setTyped] = useState(() => kind?.target?.write(values) ?? "");
  const [isNamed, setNamed] = useState(() => isOwnName(values));
  const written = kind?.target?.write(values) ?? "";
  // If the target changes without typing, for example when a conflict is resolved, the new target
  // replaces the typed text.
  if (kind?.target && typed !== written && writeTyped(kind, values, typed) !== written) {
    setTyped(written);
  }

  for (const path of kind?.target?.paths ?? []) editor.noteLabel(path, kind?.target?.label ?? "");
  editor.noteLabel("name", words.name);

  const take = (text: string, meant: KindTarget | null) => {
    if (meant === null) return;
    const same =
      meant.type === values.checkType ? values : changeKind(values, findLimits(meant.type));
    const read = meant.target?.read(text) ?? {};
    const next = mergeFields(same, read);
    const name = isNamed || !isNew ? getText(values, "name") : proposeName(meant, next);
    editor.replace({ ...next, name });
  };
  const type = (text: string) => {
    setTyped(text);
    take(text, isKindChosen || !isNew ? kind : (guessKind(text) ?? kind));
  };
  const choose = (chosen: KindTarget) => {
    take(typed, chosen);
    onChooseKind(chosen.type);
  };
  return (
    <>
      {kind?.target && (
        <TargetField
          target={kind.target}
          value={typed}
          isNew={isNew}
          hint={isNew && !isKindChosen ? words.targetHint : undefined}
          fault={kind.target.paths.map(editor.findFieldError).find(Boolean)}
          onText={type}
        />
      )}
      {isNew && !isKindChosen && (
        <OtherKinds kinds={listOtherGuesses(typed)} guessed={kind} onChoose={choose} />
      )}
      {isNew && <KindChoice chosen={kind} onChoose={choose} />}
      <NameField
        example={
          kind?.target
            ? words.nameExample
            : (words.nameExamples[String(values.checkType)] ?? words.nameOfScript)
        }
        onName={() => setNamed(true)}
      />
    </>
  );
}

interface TargetFieldProps {
  readonly target: NonNullable<KindTarget["target"]>;
  readonly value: string;
  readonly isNew: boolean;
  readonly hint: string | undefined;
  readonly fault: string | null | undefined;
  readonly onText: (text: string) => void;
}

function TargetField({ target, value, isNew, hint, fault, onText }: TargetFieldProps) {
  return (
    <Completed value={value} onText={onText}>
      {(input) => (
        <TextInput
          {...input}
          label={isNew ? words.target : target.label}
          description={hint}
          placeholder={target.example}
          data-path={target.paths.join(" ")}
          error={fault}
          autoFocus={isNew}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
        />
      )}
    </Completed>
  );
}

/** Returns whether the user typed the name. If so, a new target must not replace the name. */
function isOwnName(values: CheckEditor["values"]): boolean {
  const name = getText(values, "name");
  const kind = findKind(values.checkType);
  return name !== "" && (kind === null || name !== proposeName(kind, values));
}

interface OtherKindsProps {
  readonly kinds: readonly KindTarget[];
  readonly guessed: KindTarget | null;
  readonly onChoose: (kind: KindTarget) => void;
}

/** Offers other check types if the target is only a host name. */
function OtherKinds({ kinds, guessed, onChoose }: OtherKindsProps) {
  const others = kinds.filter(({ type }) => type !== guessed?.type);
  if (others.length === 0) return null;
  return (
    <Row as="p" gap={3} tight className={textStyles.hint} role="status">
      <span>{words.guessedAs(guessed?.label ?? "")}</span>
      {others.map((kind) => (
        <Button key={kind.type} variant="default" size="compact-sm" onClick={() => onChoose(kind)}>
          {words.otherKind[kind.type] ?? kind.label}
        </Button>
      ))}
    </Row>
  );
}

function writeTyped(kind: KindTarget, values: CheckEditor["values"], typed: string): string {
  return kind.target?.write(mergeFields(values, kind.target.read(typed))) ?? "";
}

interface KindChoiceProps {
  readonly chosen: KindTarget | null;
  readonly onChoose: (kind: KindTarget) => void;
}

function KindChoice({ chosen, onChoose }: KindChoiceProps) {
  return (
    <Row as="fieldset" className={styles.kinds} data-path="checkType">
      <legend className={textStyles.legend}>{words.kind}</legend>
      {kindTargets
        .filter(({ isHidden }) => !isHidden)
        .map((kind) => (
          <label
            className={`${buttonStyles.chip} ${styles.kind}`}
            key={kind.type}
            title={kind.hint}
          >
            <input
              type="radio"
              name="kind"
              value={kind.type}
              checked={kind.type === chosen?.type}
              onChange={() => onChoose(kind)}
            />
            {kind.label}
          </label>
        ))}
      <p className={textStyles.hint}>{chosen?.hint}</p>
    </Row>
  );
}

interface NameFieldProps {
  readonly example: string;
  readonly onName: () => void;
}

function NameField({ example, onName }: NameFieldProps) {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel("name", words.name);
  const error = findFieldError("name");
  return (
    <TextInput
      label={words.name}
      placeholder={error === null ? example : ""}
      data-path="name"
      error={error}
      autoComplete="off"
      value={getText(values, "name")}
      onChange={({ currentTarget }) => {
        onName();
        set("name", currentTarget.value);
      }}
    />
  );
}
