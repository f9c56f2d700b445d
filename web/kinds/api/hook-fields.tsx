/** Setup and teardown scripts in the editor of an API check, loaded when the user expands them. */
import { javascript } from "@codemirror/lang-javascript";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Stack } from "../../parts/layout.tsx";
import { CodeField } from "../editor/code-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { snippetsQuery } from "../scripts/queries.ts";
import { RuntimeField } from "../scripts/script-fields.tsx";

const words = {
  setup: "Setup script",
  setupHint: (example: string) => `Runs before the request and may change it, as in ${example}.`,
  setupExample: 'request.headers["X-Api-Version"] = "2"',
  tearDown: "Teardown script",
  tearDownHint: (example: string) =>
    `Runs after the response and may change it before the assertions, as in ${example}.`,
  tearDownExample: "response.body = response.body.trim()",
  setupSnippet: "Setup snippet",
  tearDownSnippet: "Teardown snippet",
  snippetHint: "Runs before the script.",
  none: "None",
  unknown: (id: number) => `Snippet ${id} (deleted)`,
} as const;

const language = javascript({ typescript: true });

export function HookFields() {
  return (
    <Stack gap={4}>
      <SnippetField path="setupSnippetId" label={words.setupSnippet} />
      <CodeField
        path="localSetupScript"
        label={words.setup}
        hint={words.setupHint(words.setupExample)}
        language={language}
      />
      <SnippetField path="tearDownSnippetId" label={words.tearDownSnippet} />
      <CodeField
        path="localTearDownScript"
        label={words.tearDown}
        hint={words.tearDownHint(words.tearDownExample)}
        language={language}
      />
      <RuntimeField />
    </Stack>
  );
}

interface SnippetFieldProps {
  readonly path: "setupSnippetId" | "tearDownSnippetId";
  readonly label: string;
}

function SnippetField({ path, label }: SnippetFieldProps) {
  const { values, set, noteLabel, findFieldError } = useEditorOf<"API">();
  const { data = [] } = useQuery(snippetsQuery);
  noteLabel(path, label);
  const chosen = values[path] ?? null;
  const isListed = chosen === null || data.some(({ id }) => id === chosen);
  if (data.length === 0 && chosen === null) return null;
  return (
    <NativeSelect
      label={label}
      description={words.snippetHint}
      data-path={path}
      error={findFieldError(path)}
      data={[
        { value: "", label: words.none },
        ...data.map(({ id, name }) => ({ value: String(id), label: name })),
        ...(isListed ? [] : [{ value: String(chosen), label: words.unknown(chosen) }]),
      ]}
      value={chosen === null ? "" : String(chosen)}
      onChange={({ currentTarget: { value } }) => set(path, value === "" ? null : Number(value))}
    />
  );
}
