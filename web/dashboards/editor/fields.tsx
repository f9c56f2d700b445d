import {
  Button,
  FileButton,
  NativeSelect,
  NumberInput,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { getFieldError } from "../../editing/index.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { tagsQuery } from "../../parts/queries.ts";
import { parseTags, toggleTag } from "../../parts/tags.ts";
import textStyles from "../../parts/text.module.css";
import { words } from "../words.ts";
import styles from "./editor.module.css";
import type { DashboardEditor, DashboardValues } from "./use-dashboard-editor.ts";

/** Maximum size of an image in bytes that the API accepts. */
const maxBytes = 200_000;
const types = "image/png,image/jpeg,image/gif,image/webp,image/svg+xml,image/x-icon";

function readFile(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

interface PictureFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly fault: string | undefined;
  readonly onChange: (value: string | null) => void;
}

/** Selects an image file, which the server stores and serves. */
function PictureField({ label, value, fault, onChange }: PictureFieldProps) {
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = async (file: File | null) => {
    if (file === null) return;
    setTooLarge(file.size > maxBytes);
    if (file.size <= maxBytes) onChange(await readFile(file));
  };
  const error = isTooLarge ? words.picture.tooLarge : fault;
  const isNew = value?.startsWith("data:") ?? false;
  return (
    <Stack gap={1}>
      <span className={textStyles.strong}>{label}</span>
      <span className={`${textStyles.hint} ${textStyles.wrap}`}>
        {value === null ? words.picture.none : isNew ? words.picture.chosen : value}
      </span>
      <Row>
        <FileButton accept={types} onChange={(file) => void choose(file)}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {words.picture.choose(label)}
            </Button>
          )}
        </FileButton>
        {value !== null && (
          <Button variant="default" size="xs" onClick={() => onChange(null)}>
            {words.picture.remove(label)}
          </Button>
        )}
      </Row>
      {error && (
        <span className={textStyles.fault} role="alert">
          {error}
        </span>
      )}
    </Stack>
  );
}

export interface FieldsProps {
  readonly editor: DashboardEditor;
  readonly error: unknown;
}

const { labels, hints } = words;
const maxKnownTags = 12;

type FlagName = {
  [name in keyof DashboardValues]: DashboardValues[name] extends boolean ? name : never;
}[keyof DashboardValues];
type TextName = {
  [name in keyof DashboardValues]: DashboardValues[name] extends string ? name : never;
}[keyof DashboardValues];

export function Flag({ editor, name, hint }: FlagProps) {
  return (
    <Switch
      label={labels[name]}
      description={hint}
      checked={editor.values[name]}
      onChange={({ currentTarget }) => editor.change({ [name]: currentTarget.checked })}
    />
  );
}

interface FlagProps {
  readonly editor: DashboardEditor;
  readonly name: FlagName;
  readonly hint?: string;
}

interface TextProps extends FieldsProps {
  readonly name: TextName;
  readonly maxLength: number;
  readonly hint?: string;
  readonly isRequired?: boolean;
}

export function Text({ editor, error, name, maxLength, hint, isRequired = false }: TextProps) {
  return (
    <TextInput
      label={labels[name]}
      description={hint}
      value={editor.values[name]}
      maxLength={maxLength}
      required={isRequired}
      spellCheck={name === "header"}
      error={getFieldError(error, name)}
      onChange={({ currentTarget }) => editor.change({ [name]: currentTarget.value })}
    />
  );
}

export function ChoiceFields({ editor, error }: FieldsProps) {
  const { data: known = [] } = useQuery(tagsQuery);
  const { values, change } = editor;
  const chosen = parseTags(values.tags);
  return (
    <>
      <Text editor={editor} error={error} name="tags" maxLength={5_000} hint={hints.tags} />
      {known.length > 0 && (
        <Row as="fieldset">
          <legend className={`${textStyles.hint} ${textStyles.wrap}`}>{hints.known}</legend>
          {known.slice(0, maxKnownTags).map(({ value }) => (
            <Button
              key={value}
              variant={chosen.includes(value) ? "filled" : "default"}
              size="compact-sm"
              aria-pressed={chosen.includes(value)}
              onClick={() => change({ tags: toggleTag(values.tags, value) })}
            >
              {value}
            </Button>
          ))}
        </Row>
      )}
      {chosen.length > 1 && <Flag editor={editor} name="useTagsAndOperator" />}
      <Flag editor={editor} name="sortByStatus" />
      <Flag editor={editor} name="enableIncidents" />
    </>
  );
}

export function HeadFields({ editor, error }: FieldsProps) {
  const { values, change } = editor;
  return (
    <>
      <Text editor={editor} error={error} name="header" maxLength={255} isRequired />
      <Textarea
        label={labels.description}
        value={values.description}
        maxLength={1_000}
        rows={2}
        error={getFieldError(error, "description")}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <Flag editor={editor} name="showHeader" />
      <PictureField
        label={labels.logo}
        value={values.logo}
        fault={getFieldError(error, "logo")}
        onChange={(logo) => change({ logo })}
      />
      <Text editor={editor} error={error} name="link" maxLength={2_048} hint={hints.link} />
      <PictureField
        label={labels.favicon}
        value={values.favicon}
        fault={getFieldError(error, "favicon")}
        onChange={(favicon) => change({ favicon })}
      />
    </>
  );
}

const rowFlags = [
  "showGroupNames",
  "showTags",
  "expandChecks",
  "showCheckRunLinks",
  "showP95",
  "showP99",
] as const;

export function RowFields({ editor }: Pick<FieldsProps, "editor">) {
  return (
    <div className={styles.flags}>
      {rowFlags.map((name) => (
        <Flag key={name} editor={editor} name={name} />
      ))}
    </div>
  );
}

const asOptions = (values: readonly number[]) => values.map((value) => `${value}`);

export function ScreenFields({ editor, error }: FieldsProps) {
  const { values, change } = editor;
  return (
    <>
      <NativeSelect
        label={labels.width}
        value={values.width}
        data={Object.entries(words.widths).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) =>
          change({ width: currentTarget.value as DashboardValues["width"] })
        }
      />
      <NativeSelect
        label={labels.layout}
        value={values.layout}
        data={Object.entries(words.layouts).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) =>
          change({ layout: currentTarget.value as DashboardValues["layout"] })
        }
      />
      <Flag editor={editor} name="paginate" hint={hints.paginate} />
      <NumberInput
        label={labels.checksPerPage}
        value={values.checksPerPage}
        min={1}
        max={20}
        allowDecimal={false}
        disabled={!values.paginate}
        error={getFieldError(error, "checksPerPage")}
        onChange={(value) => change({ checksPerPage: Number(value) || 1 })}
      />
      <NativeSelect
        label={labels.paginationRate}
        value={`${values.paginationRate}`}
        data={asOptions([30, 60, 300])}
        onChange={({ currentTarget }) => {
          const rate = Number(currentTarget.value) as DashboardValues["paginationRate"];
          change({ paginationRate: rate });
        }}
      />
      <NativeSelect
        label={labels.refreshRate}
        value={`${values.refreshRate}`}
        data={asOptions([60, 300, 600])}
        onChange={({ currentTarget }) => {
          const rate = Number(currentTarget.value) as DashboardValues["refreshRate"];
          change({ refreshRate: rate });
        }}
      />
    </>
  );
}
