import { Switch, Textarea, TextInput } from "@mantine/core";
import { getFieldError } from "../../editing/index.ts";
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
        error={getFieldError(error, "name")}
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
        error={getFieldError(error, "url")}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
      />
      <Textarea
        label={words.description}
        description={words.descriptionHint}
        value={values.description}
        maxLength={500}
        rows={2}
        error={getFieldError(error, "description")}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <TextInput
        label={words.redirectTo}
        description={words.redirectHint}
        value={values.redirectTo}
        maxLength={2_048}
        inputMode="url"
        error={getFieldError(error, "redirectTo")}
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
