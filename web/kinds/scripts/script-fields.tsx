import { javascript } from "@codemirror/lang-javascript";
import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { getList, getText } from "../../parts/fields.ts";
import { formatBytes } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { CodeField } from "../editor/code-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import { runtimesQuery } from "./queries.ts";
import styles from "./scripts.module.css";
import { type Template, variableExample } from "./templates.ts";
import { words } from "./words.ts";

const { TextField } = fieldsOf<"MULTI_STEP">();

const language = javascript({ typescript: true });

/** Shows the script with example scripts to start from, and its runtime. */
export function ScriptFields({ templates }: { readonly templates: readonly Template[] }) {
  return (
    <>
      <TemplateChoice templates={templates} />
      <CodeField
        path="script"
        label={words.script}
        hint={words.scriptHint(variableExample)}
        language={language}
        isTall
      />
      <RuntimeField />
    </>
  );
}

/**
 * Shows example scripts until the user edits the script, so that an example never replaces user
 * input.
 */
function TemplateChoice({ templates }: { readonly templates: readonly Template[] }) {
  const { values, set } = useEditorOf<"MULTI_STEP">();
  const script = getText(values, "script");
  const chosen = templates.find((template) => template.script === script);
  if (script.trim() !== "" && chosen === undefined) return null;
  const choose = ({ script: next }: Template) => set("script", next);
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.strong}>{words.templates}</legend>
      <Row>
        {templates.map((template) => (
          <Button
            key={template.name}
            variant={template === chosen ? "light" : "default"}
            size="compact-md"
            aria-pressed={template === chosen}
            title={template.hint}
            onClick={() => choose(template)}
          >
            {template.name}
          </Button>
        ))}
      </Row>
      {chosen && <p className={textStyles.hint}>{chosen.hint}</p>}
    </Stack>
  );
}

export function RuntimeField() {
  const { values, set, noteLabel, findFieldError } = useEditorOf<"MULTI_STEP">();
  const { data = [] } = useQuery(runtimesQuery);
  noteLabel("runtimeId", words.runtime);
  // A missing runtime that cannot be installed is listed only if the check already uses it.
  const usable = data.filter(
    ({ name, multiStepSupport, stage, installation: { state, canInstall } }) =>
      multiStepSupport &&
      stage !== "REMOVED" &&
      (state !== "missing" || canInstall || name === values.runtimeId),
  );
  const usual = data.find(({ stage }) => stage === "CURRENT")?.name ?? "";
  const chosen = values.runtimeId ?? "";
  const used = data.find(({ name }) => name === (chosen || usual));
  const isListed = chosen === "" || usable.some(({ name }) => name === chosen);
  return (
    <Stack gap={1}>
      <NativeSelect
        label={words.runtime}
        description={words.runtimeHint}
        data-path="runtimeId"
        error={findFieldError("runtimeId")}
        data={[
          { value: "", label: words.defaultRuntime(usual) },
          ...usable.map(({ name, stage }) => ({
            value: name,
            label: stage === "DEPRECATED" ? words.deprecated(name) : name,
          })),
          ...(isListed ? [] : [{ value: chosen, label: words.unknownRuntime(chosen) }]),
        ]}
        value={chosen}
        onChange={({ currentTarget: { value } }) =>
          set("runtimeId", value === "" ? null : (value as typeof values.runtimeId))
        }
      />
      {used !== undefined && used.installation.state !== "installed" && (
        <p className={textStyles.hint}>
          {words.notInstalled(used.name)} {/* Another tab, so that the script stays as it is. */}
          <a href="/settings/runtimes" target="_blank" rel="noopener">
            {words.install}
          </a>
        </p>
      )}
    </Stack>
  );
}

/** Shows the files that are stored next to the script. */
export function ScriptFileFields() {
  const { values, set, noteLabel, findFieldError } = useEditorOf<"MULTI_STEP">();
  noteLabel("dependencies", words.files);
  const files = getList(values, "dependencies");
  const replace = (next: readonly object[]) =>
    set("dependencies", next as typeof values.dependencies);
  const fault = findFieldError("dependencies");
  return (
    <Stack as="fieldset" gap={3} data-path="dependencies">
      <legend className={textStyles.strong}>{words.files}</legend>
      <p className={textStyles.hint}>{words.filesHint}</p>
      {files.length === 0 && <p className={textStyles.muted}>{words.noFiles}</p>}
      {files.map((_file, index) => (
        <FileField
          // biome-ignore lint/suspicious/noArrayIndexKey: files have no id
          key={index}
          index={index}
          onRemove={() => replace(files.filter((_one, place) => place !== index))}
        />
      ))}
      {fault && <span className={textStyles.fault}>{fault}</span>}
      <Row>
        <Button variant="default" onClick={() => replace([...files, { path: "", content: "" }])}>
          {words.addFile}
        </Button>
      </Row>
      {(files.length > 0 || getText(values, "scriptPath") !== "") && (
        <TextField
          path="scriptPath"
          label={words.scriptPath}
          hint={words.scriptPathHint}
          example={words.scriptPathExample}
          empty={null}
        />
      )}
    </Stack>
  );
}

interface FileFieldProps {
  readonly index: number;
  readonly onRemove: () => void;
}

function FileField({ index, onRemove }: FileFieldProps) {
  const { values, set, noteLabel, findFieldError } = useEditorOf<"MULTI_STEP">();
  const [pathAt, contentAt] = [
    `dependencies.${index}.path`,
    `dependencies.${index}.content`,
  ] as const;
  noteLabel(pathAt, words.path);
  noteLabel(contentAt, words.content);
  const path = getText(values, pathAt);
  const content = getText(values, contentAt);
  const fault = findFieldError(pathAt) ?? findFieldError(contentAt);
  const [isOpen, setOpen] = useState(path === "");
  return (
    <details
      className={styles.file}
      open={isOpen || fault !== null}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span className={`${textStyles.mono} ${textStyles.small}`}>{path || words.newFile}</span>{" "}
        <span className={textStyles.muted}>{formatBytes(new Blob([content]).size)}</span>
      </summary>
      <Stack gap={2}>
        <TextInput
          label={words.path}
          placeholder={words.pathExample}
          data-path={pathAt}
          error={findFieldError(pathAt)}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={({ currentTarget }) => set(pathAt, currentTarget.value)}
        />
        <Textarea
          label={words.content}
          data-path={contentAt}
          error={findFieldError(contentAt)}
          classNames={{ input: `${textStyles.mono} ${textStyles.small}` }}
          rows={8}
          spellCheck={false}
          autoComplete="off"
          value={content}
          onChange={({ currentTarget }) => set(contentAt, currentTarget.value)}
        />
        <Row>
          <Button variant="default" size="compact-md" onClick={onRemove}>
            {words.removeFile(path)}
          </Button>
        </Row>
      </Stack>
    </details>
  );
}
