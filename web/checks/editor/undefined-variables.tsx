import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { listUndefinedNames } from "../../kinds/variable-names.ts";
import { Callout } from "../../parts/blocks.tsx";
import { getList } from "../../parts/fields.ts";
import { Row } from "../../parts/layout.tsx";
import { goToField } from "./show-refusal.ts";
import type { CheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

interface UndefinedVariablesProps {
  readonly editor: CheckEditor;
  /** `null` while loading. */
  readonly names: readonly string[] | null;
  readonly form: HTMLElement | null;
}

const path = "environmentVariables";

/** Warns about undefined `{{NAME}}` variables and offers to define them in this check. */
export function UndefinedVariables({ editor, names, form }: UndefinedVariablesProps) {
  const { values, set } = editor;
  const [added, setAdded] = useState<string | null>(null);
  // The new field exists after the next render.
  useEffect(() => {
    if (added === null || form === null) return;
    goToField(form, [added]);
    setAdded(null);
  }, [added, form]);
  if (names === null) return null;
  const unknown = listUndefinedNames(values.request, names);
  if (unknown.length === 0) return null;
  const define = (key: string) => {
    const own = getList(values, path);
    set(path, [...own, { key, value: "", secret: false }]);
    setAdded(`${path}.${own.length}.value`);
  };
  return (
    <Callout tone="fair" role="status">
      {unknown.map((name) => (
        <Row as="p" gap={3} tight key={name}>
          <span>{words.undefinedVariable(name)}</span>
          <Button variant="default" size="compact-sm" onClick={() => define(name)}>
            {words.defineVariable(name)}
          </Button>
        </Row>
      ))}
    </Callout>
  );
}
