import { Button, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { api, type Schemas, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { mask } from "../parts/secrets.ts";
import { words } from "./words.ts";

export type Variable = Schemas["Variable"];
type Kind = keyof typeof words.kinds;

export function kindOf({ locked, secret }: Variable): Kind {
  if (secret) return "secret";
  return locked ? "locked" : "plain";
}

interface Values {
  readonly key: string;
  /** The mask for a secret, which is never sent to a browser. */
  readonly value: string;
  readonly kind: Kind;
}

const newVariable: Values = { key: "", value: "", kind: "plain" };

function toValues(variable: Variable): Values {
  const { key, value, secret } = variable;
  return { key, value: secret ? mask : (value ?? ""), kind: kindOf(variable) };
}

function sendVariable(
  { key, value, kind }: Values,
  version: Version<Variable> | null,
): Promise<Version<Variable>> {
  const flags = { locked: kind === "locked", secret: kind === "secret" };
  if (version === null) {
    return sendFull(api.POST("/v1/variables", { body: { key, value, ...flags } }));
  }
  const kept = version.data.secret && value === "" ? mask : value;
  const params = { path: { key }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/variables/{key}", { params, body: { value: kept, ...flags } }));
}

export const fetchVariable = (key: string): Promise<Version<Variable>> =>
  sendFull(api.GET("/v1/variables/{key}", { params: { path: { key } } }));

const naming: Naming = {
  subject: words.subject,
  labels: new Map([
    ["value", words.value],
    ["kind", words.shown],
  ]),
  format: (path, value) => (path === "kind" ? words.kinds[value as Kind] : undefined),
};

interface VariableDialogProps {
  /** `null` for a new variable. */
  readonly stored: Version<Variable> | null;
  readonly onClose: () => void;
}

function useVariableEditor({ stored, onClose }: VariableDialogProps) {
  const queryClient = useQueryClient();
  return useEditor<Variable, Values>({
    // Values may be secrets, which must not be stored in the browser.
    draftKey: null,
    stored,
    initial: newVariable,
    toValues,
    send: sendVariable,
    refetch: ({ key }) => fetchVariable(key),
    onSaved: async (_saved, isNew) => {
      onClose();
      showNotice({ text: isNew ? words.created : words.changed });
      await renewQueries(queryClient, ["variables"]);
    },
  });
}

export function VariableDialog(props: VariableDialogProps) {
  const { onClose } = props;
  const editor = useVariableEditor(props);
  const { values, change, error } = editor;
  const variable = editor.version?.data ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  const wasSecret = variable?.secret === true;
  const beside = getFormError(error, ["key", "value"]);
  return (
    <Modal
      opened
      onClose={onClose}
      title={variable === null ? words.createTitle : words.changeTitle(variable.key)}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <FormLayout onSubmit={submit}>
        <EditorNotices editor={editor} {...naming} />
        {variable === null && (
          <TextInput
            label={words.key}
            description={words.keyHint}
            required
            maxLength={255}
            data-autofocus
            spellCheck={false}
            value={values.key}
            error={getFieldError(error, "key")}
            onChange={(event) => change({ key: event.currentTarget.value })}
          />
        )}
        <Textarea
          label={words.value}
          description={wasSecret ? words.secretHint : undefined}
          autosize={false}
          rows={3}
          spellCheck={false}
          value={values.value === mask ? "" : values.value}
          error={getFieldError(error, "value")}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.shown}
          description={wasSecret ? words.secretStays : words.kindHint}
          value={values.kind}
          disabled={wasSecret}
          onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
          data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
        />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={editor.isSaving}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}
