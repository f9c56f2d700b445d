import { Switch, Textarea, TextInput } from "@mantine/core";
import { faultOf } from "../../parts/field-fault.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

interface AboutFieldsProps {
  readonly editor: PageEditor;
  readonly error: unknown;
}

export function AboutFields({ editor, error }: AboutFieldsProps) {
  const { values, base, change } = editor;
  const isMoved = values.url !== base.url;
  return (
    <>
      <TextInput
        label={words.name}
        value={values.name}
        maxLength={255}
        required
        error={faultOf(error, "name")}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <TextInput
        label={words.url}
        description={isMoved && words.urlHint(`${location.host}/status/${values.url}/`)}
        value={values.url}
        maxLength={63}
        required
        spellCheck={false}
        autoCapitalize="none"
        error={faultOf(error, "url")}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
      />
      <Textarea
        label={words.description}
        description={words.descriptionHint}
        value={values.description}
        maxLength={500}
        rows={2}
        error={faultOf(error, "description")}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <TextInput
        label={words.redirectTo}
        description={words.redirectHint}
        value={values.redirectTo}
        maxLength={2_048}
        inputMode="url"
        error={faultOf(error, "redirectTo")}
        onChange={({ currentTarget }) => change({ redirectTo: currentTarget.value })}
      />
      <Switch
        label={words.whiteLabel}
        checked={values.whiteLabel}
        onChange={({ currentTarget }) => change({ whiteLabel: currentTarget.checked })}
      />
    </>
  );
}
