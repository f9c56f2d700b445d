import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { getText, mergeFields } from "../../kinds/fields.ts";
import { guessKind, proposeName } from "../../kinds/guess-kind.ts";
import type { KindTarget } from "../../kinds/kind-target.ts";
import { findKind, kindTargets } from "../../kinds/targets.ts";
import { changeKind } from "./check-values.ts";
import styles from "./editor.module.css";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface WhatFieldsProps {
  readonly editor: CheckEditor;
  /** Somebody said which kind it is: then nothing is guessed. */
  readonly isKindChosen: boolean;
  readonly onChooseKind: (type: string) => void;
}

/** The target, what kind of check that makes, and its name. */
export function WhatFields({ editor, isKindChosen, onChooseKind }: WhatFieldsProps) {
  const { values, isNew } = editor;
  const kind = findKind(values.checkType);
  const [typed, setTyped] = useState(() => kind?.target?.write(values) ?? "");
  const [isNamed, setNamed] = useState(() => getText(values, "name") !== "");
  const written = kind?.target?.write(values) ?? "";
  // What was taken from somebody else, or put back, is shown in place of what was typed.
  if (kind?.target && typed !== written && writeTyped(kind, values, typed) !== written) {
    setTyped(written);
  }

  for (const path of kind?.target?.paths ?? []) editor.noteLabel(path, kind?.target?.label ?? "");
  editor.noteLabel("name", words.name);

  const take = (text: string, meant: KindTarget | null) => {
    if (meant === null) return;
    const same = meant.type === values.checkType ? values : changeKind(values, meant.type);
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
        <TextInput
          label={isNew ? words.target : kind.target.label}
          description={isNew && !isKindChosen ? words.targetHint : undefined}
          placeholder={kind.target.example}
          data-path={kind.target.paths.join(" ")}
          error={kind.target.paths.map(editor.findFault).find(Boolean)}
          value={typed}
          autoFocus={isNew}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
      )}
      {isNew && <KindChoice chosen={kind} onChoose={choose} />}
      <NameField
        example={kind?.target ? words.nameExample : words.nameAlone}
        onName={() => setNamed(true)}
      />
    </>
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
    <fieldset className={styles.kinds} data-path="checkType">
      <legend className={styles.legend}>{words.kind}</legend>
      {kindTargets.map((kind) => (
        <label className={styles.kind} key={kind.type} title={kind.hint}>
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
      <p className={styles.hint}>{chosen?.hint}</p>
    </fieldset>
  );
}

interface NameFieldProps {
  readonly example: string;
  readonly onName: () => void;
}

function NameField({ example, onName }: NameFieldProps) {
  const { values, set, findFault, noteLabel } = useEditor();
  noteLabel("name", words.name);
  return (
    <TextInput
      label={words.name}
      placeholder={example}
      data-path="name"
      error={findFault("name")}
      autoComplete="off"
      value={getText(values, "name")}
      onChange={({ currentTarget }) => {
        onName();
        set("name", currentTarget.value);
      }}
    />
  );
}
